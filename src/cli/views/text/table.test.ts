import { describe, expect, it } from "vitest";
import { renderLabelled, renderTable } from "./table.ts";
import { textWidth } from "./text-width.ts";

const plain = (text: string): string => text;

describe("renderTable", () => {
  it("aligns by columns of the terminal, not by characters", () => {
    expect(
      renderTable(
        {
          head: ["name", "n"],
          rows: [
            ["漢字", "1"],
            ["a", "22"],
          ],
        },
        80,
        plain,
      ),
    ).toEqual(["name  n", "漢字  1", "a     22"]);
  });

  it("takes from the widest column until the line fits", () => {
    const lines = renderTable({ head: [], rows: [["short", "a very long cell that cannot stay", "end"]] }, 30, plain);
    expect(lines).toEqual(["short  a very long cell …  end"]);
    expect(textWidth(lines[0] ?? "")).toBeLessThanOrEqual(30);
  });

  it("paints after cutting, so that colours are never cut", () => {
    const lines = renderTable({ head: [], rows: [[{ text: "abcdefghijkl", paint: (text) => `<${text}>` }]] }, 8, plain);
    expect(lines).toEqual(["<abcdefg…>"]);
  });
});

describe("renderLabelled", () => {
  it("puts every line of a text under its first", () => {
    expect(
      renderLabelled(
        [
          ["why", "one\ntwo"],
          ["a", "b"],
        ],
        plain,
      ),
    ).toEqual(["why  one", "     two", "a    b"]);
  });
});

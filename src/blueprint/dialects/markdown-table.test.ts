import { describe, expect, it } from "vitest";
import { createSource } from "../text/source.ts";
import { tablesOf } from "./markdown-table.ts";

const texts = (text: string) =>
  tablesOf(text).map(({ head, rows }) => [head, ...rows].map((row) => row.map((cell) => cell.text)));

describe("tablesOf", () => {
  it("reads tables with and without bars at their ends, and no other line", () => {
    expect(texts("a | b\n--|--\n1 | 2\n\ntext | more\n\n| c |\n|:-:|\n| 3 |\nend\n")).toEqual([
      [
        ["a", "b"],
        ["1", "2"],
      ],
      [["c"], ["3"]],
    ]);
    expect(texts("| a | b |\n|---|\n| 1 |\n")).toEqual([]);
    expect(texts("|\n|\n")).toEqual([]);
    expect(texts("")).toEqual([]);
  });

  it("takes a table at the very end, one without rows, and rows of other lengths", () => {
    expect(texts("| a | b |\n|---|---|")).toEqual([[["a", "b"]]]);
    expect(texts("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |\n|\n")).toEqual([
      [["a", "b"], ["1"], ["1", "2", "3"], []],
    ]);
  });

  it("shows cells as people see them", () => {
    expect(texts("| **A** `b`  c | [x](http://y) | 1 \\| 2 |\n|-|-|-|\n|  |  |  |\r\n")).toEqual([
      [
        ["A b c", "x", "1 | 2"],
        ["", "", ""],
      ],
    ]);
  });

  it("does not read what a page does not show", () => {
    expect(
      texts("<!-- | a |\n|---|\n-->\n```\n| a |\n|---|\n~~~\n```\n~~~~\n| b |\n|---|\n~~~\n~~~~\n| c |\n|---|\n"),
    ).toEqual([[["c"]]]);
    expect(texts("<!-- never closed\n| a |\n|---|\n")).toEqual([]);
  });

  it("names the place of each cell", () => {
    const text = "# x\n  | a | **b** |\n|---|---|\n|  | 2 |\n";
    const [table] = tablesOf(text);
    const { span } = createSource(text, "x.md");
    const places = [table?.head, ...(table?.rows ?? [])].map((row) =>
      row?.map((cell) => `${span(cell).line}:${span(cell).column}+${span(cell).length}`),
    );
    expect(places).toEqual([
      ["2:5+1", "2:9+5"],
      ["4:2+1", "4:6+1"],
    ]);
  });

  it("takes time in proportion to a hostile text", () => {
    for (const piece of ["|", "[", "<!--", "`", "\\|", " | ---", "[]("]) {
      expect(tablesOf(`${piece.repeat(40_000)}\n${piece.repeat(40_000)}\n`).length).toBeLessThan(2);
    }
  });
});

import { describe, expect, it } from "vitest";
import { breakAt, pageLines, withoutLines } from "./page-lines.ts";

const shown = (text: string): readonly string[] => pageLines(text).map((line) => line.shown.trimEnd());

describe("the lines of a page", () => {
  it("are told apart by every kind of line break, and hold every character", () => {
    const text = "\uFEFFa\r\nb\rc\n";
    expect(pageLines(text).map(({ number, start, end, next }) => [number, start, end, next])).toEqual([
      [1, 1, 2, 4],
      [2, 4, 5, 6],
      [3, 6, 7, 8],
      [4, 8, 8, 8],
    ]);
    expect(pageLines("")).toEqual([{ number: 1, start: 0, end: 0, next: 0, shown: "", hidesNext: false }]);
  });

  it("show no comment, and keep the place of what stands beside one", () => {
    expect(shown("a <!-- b --> c <!-- d -->\n<!-- e\nf --> g\n-->")).toEqual(["a            c", "", "      g", "-->"]);
    expect(pageLines("<!-- e\nf --> g").map(({ hidesNext }) => hidesNext)).toEqual([true, false]);
  });

  it("show no code in fences, whatever stands in it", () => {
    expect(shown("```js\n<!--\n```\nx")).toEqual(["", "", "", "x"]);
    expect(shown("~~~~\n~~~\n~~~~ no\n~~~~\nx")).toEqual(["", "", "", "", "x"]);
    expect(shown("``` a ` b\nx")).toEqual(["``` a ` b", "x"]);
    expect(pageLines("```\nx").map(({ hidesNext }) => hidesNext)).toEqual([true, true]);
  });
});

describe("removed lines", () => {
  it("are gone with their break, unless two breaks would become one and an empty line would be lost", () => {
    expect(withoutLines("a\nb\nc", 2, 4)).toBe("a\nc");
    expect(withoutLines("a\rb\n\nc", 2, 4)).toBe("a\rb\n\nc");
    expect(withoutLines("a\r\nb\n\nc", 3, 5)).toBe("a\r\n\nc");
  });
});

describe("the line break at a place", () => {
  it("is the one before it, else the first of the text", () => {
    expect(breakAt("a\nb\r\nc\rd", 2)).toBe("\n");
    expect(breakAt("a\nb\r\nc\rd", 5)).toBe("\r\n");
    expect(breakAt("a\nb\r\nc\rd", 7)).toBe("\r");
    expect(breakAt("a\rb\n", 0)).toBe("\r");
    expect(breakAt("a", 1)).toBe("\n");
  });
});

import { describe, expect, it } from "vitest";
import { createSource, lastAtMost } from "./source.ts";
import { keysOf, nameOf } from "./tree.ts";

describe("createSource", () => {
  const { span } = createSource("ab\ncde\r\n\nf", "x.yaml");

  it.each([
    [0, 2, 1, 1, 2],
    [0, 9, 1, 1, 2],
    [3, 5, 2, 1, 2],
    [4, 99, 2, 2, 3],
    [8, 8, 3, 1, 1],
    [9, 10, 4, 1, 1],
    [10, 10, 4, 2, 1],
  ])("names characters %i to %i as line %i, column %i, length %i", (start, end, line, column, length) => {
    expect(span({ start, end })).toEqual({ file: "x.yaml", line, column, length: Math.max(1, length) });
  });
});

describe("lastAtMost", () => {
  it("finds the last number that is not above the limit", () => {
    expect([0, 1, 4, 5, 9, 100].map((limit) => lastAtMost([0, 4, 9], limit))).toEqual([0, 0, 1, 1, 2, 2]);
  });
});

describe("nameOf", () => {
  it("calls values by plain words", () => {
    const scalar = (value: null | boolean | number | string) =>
      ({ kind: "scalar", value, written: "", start: 0, end: 0 }) as const;
    expect([null, true, 5, "x"].map((value) => nameOf(scalar(value)))).toEqual([
      "nothing",
      "a boolean",
      "a number",
      "text",
    ]);
    expect(nameOf({ kind: "list", items: [], start: 0, end: 0 })).toBe("a list");
  });
});

describe("keysOf", () => {
  it("lists the keys of a map and none of anything else", () => {
    const at = { start: 0, end: 1 };
    const value = { kind: "broken", ...at } as const;
    expect(keysOf({ kind: "map", entries: [{ key: "a", at, value }], ...at })).toEqual(["a"]);
    expect(keysOf(value)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { readMetric } from "./metric.ts";

describe("readMetric by regex", () => {
  const read = (text: string) => readMetric({ regex: "score: (\\S+)" }, text);

  it("reads the first group of the one number there is", () => {
    expect(
      ["score: 12", "a\nscore: -1.5e3\n", "score: .5", "score: 7.", "score: +3", "score: 4\nscore: 4.0"].map(read),
    ).toEqual([12, -1500, 0.5, 7, 3, 4]);
  });

  it("is null for no match, other numbers, and what is no finite number", () => {
    const texts = [
      "",
      "score: 1\nscore: 2",
      "score: NaN",
      "score: Infinity",
      "score: 1e999",
      "score: true",
      "score: 0x10",
      "score: 1,5",
    ];
    expect(texts.map(read)).toEqual(texts.map(() => null));
    expect(read("score: 1\nscore: x")).toBeNull();
  });

  it("is null for a group that took no part, a pattern without one and a pattern that is none", () => {
    expect(readMetric({ regex: "a|(b)" }, "a")).toBeNull();
    expect(readMetric({ regex: "a" }, "a")).toBeNull();
    expect(readMetric({ regex: "(" }, "(")).toBeNull();
  });

  it("reads lines one by one", () => {
    expect(readMetric({ regex: "^total (\\d+)$" }, "x\ntotal 5\ny")).toBe(5);
  });

  it("ends on patterns that are catastrophic elsewhere, and on texts that are too long", () => {
    const text = `${"a".repeat(100_000)}!`;
    for (const regex of ["^(a+)+$", "(a|aa)+$", "([a-zA-Z]+)*$", "(.*a){20}(x)"]) {
      expect([regex, readMetric({ regex }, text)]).toEqual([regex, null]);
    }
    expect(readMetric({ regex: "(1)" }, "1".repeat(17 * 1024 * 1024))).toBeNull();
    expect(readMetric({ regex: "score (\\d+)" }, `score 1${" ".repeat(2 * 1024 * 1024)}`)).toBeNull();
  });
});

describe("readMetric by JSON path", () => {
  const text = JSON.stringify({ total: { lines: [{ pct: 81.5 }, true, "9", null] }, __proto__x: 1 });
  const read = (json: string) => readMetric({ json }, text);

  it("reads a number where the path leads", () => {
    expect(read("total.lines[0].pct")).toBe(81.5);
  });

  it("is null for anything else", () => {
    const paths = [
      "total",
      "total.lines[1]",
      "total.lines[2]",
      "total.lines[3].x",
      "total.lines[9].pct",
      "constructor.length",
      "a.b",
    ];
    expect(paths.map(read)).toEqual(paths.map(() => null));
    expect(readMetric({ json: "a" }, "{")).toBeNull();
    expect(readMetric({ json: "a" }, '{"a":1e999}')).toBeNull();
  });
});

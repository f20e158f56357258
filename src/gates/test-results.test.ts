import { expect, it } from "vitest";
import { canonical, type JsonValue } from "../base/json.ts";
import { isWhole, readTestRun, testRun, testRunJson, wholeOf } from "./test-results.ts";

const REPORT = {
  kind: "tap",
  results: [
    { id: "a", outcome: "pass" },
    { id: "b", outcome: "fail", detail: "why" },
    { id: "c", outcome: "skip" },
  ],
  contradictions: ["b"],
  problems: ["cut off"],
} as const;

it("joins a report with how the command ended and with other doubts", () => {
  expect(testRun(REPORT, 1, ["the log was cut"])).toEqual({
    results: new Map([
      ["a", "pass"],
      ["b", "fail"],
      ["c", "skip"],
    ]),
    exit: 1,
    kind: "tap",
    contradictions: ["b"],
    problems: ["cut off", "the log was cut"],
  });
});

it("has only the exit code without a report", () => {
  expect(testRun(null, 0)).toEqual({ results: new Map(), exit: 0, kind: "exit", contradictions: [], problems: [] });
});

it("is the same after it was stored", () => {
  for (const run of [testRun(REPORT, 1), testRun(null, null)]) {
    expect(readTestRun(JSON.parse(canonical(testRunJson(run))) as JsonValue)).toEqual(run);
  }
});

it("is null when what was stored is something else", () => {
  const good = testRunJson(testRun(REPORT, 1));
  const bad: JsonValue[] = [
    null,
    [],
    { ...good, kind: "magic" },
    { ...good, exit: "0" },
    { ...good, pass: [1] },
    { ...good, skip: undefined },
    { ...good, problems: null },
    { ...good, contradictions: [1] },
  ];
  expect(bad.map(readTestRun)).toEqual(bad.map(() => null));
});

it("marks the id of a file or suite that failed by itself", () => {
  expect([wholeOf("a"), isWhole(wholeOf("a")), isWhole("a")]).toEqual(["a > (whole)", true, false]);
});

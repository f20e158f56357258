/** What agents must be able to do, row by row: each has a test whose title begins with the name of the row. */
import { expect, test } from "vitest";
import { filesBelow, textOf } from "./tree.ts";

const ROWS: Readonly<Record<string, string>> = {
  P1: "a plan made at run time is validated, and not run when it is invalid",
  P2: "a plan is frozen once it is validated",
  P4: "a plan is executed with a context that carries who and until when",
  P5: "an execution has a log, with real milliseconds",
  P6: "five statuses of an execution",
  P7: "five typed errors, told by their codes",
  P8: "skills are loaded and executed",
  P16: "one closed set of stop reasons, and no failure means success",
  A1: "one entry, one order of operations, cleanup exactly once",
  A2: "a budget that refuses comes before any model call",
  A3: "ports may be left out, and what decides then denies",
  A4: "every bound has its own status and keeps what was said",
  A5: "its own time, a cancel and a kill are three things",
  A6: "steps pair calls with results",
  A7: "errors of tools are contained, circles are stopped",
  A8: "models by tier",
  A9: "failover along a chain",
  A11: "answers with a schema, one repair",
  A12: "sinks for usage and traces",
  A13: "long talks are summed up",
  A14: "phases",
  A15: "maker and checker are apart",
  A16: "backends are pluggable",
  T1: "a registry of tools with schemas",
  T2: "toolsets",
  T3: "one order for every call",
  T4: "the standard actions",
  T5: "the common tools",
  T6: "three stages of permission",
  T8: "skills",
  T10: "delegation, paid for by the parent",
  T11: "one guard of delegation",
};

const titles = ["src", "test"]
  .flatMap(filesBelow)
  .filter((path) => /\.(test|contract)\.ts$/.test(path) && path !== "test/architecture/rows.test.ts")
  .flatMap((path) => [...textOf(path).matchAll(/\(\s*["'`]([A-Z]\d{1,2}): /g)].map((found) => found[1] ?? ""));

test("every row that must be has a test that is named after it", () => {
  const named = new Set(titles);
  expect(Object.entries(ROWS).filter(([row]) => !named.has(row))).toEqual([]);
});

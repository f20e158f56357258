/** What agents, loops, processes and lanes must be able to do, row by row: each has a test whose title begins with the name of the row. */
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
  L1: "a registry of patterns is read, strictly and leniently",
  L2: "a pattern and a level make a plan",
  L3: "a tick, and every way it can end",
  L4: "several ticks of one command",
  L5: "a dry run goes the whole way and writes nothing",
  L6: "nothing to do ends early",
  L7: "a scheduler by cadence",
  L8: "rounds",
  L9: "attempts at one item, across ticks",
  L10: "what is handed to people",
  M1: "heartbeats with the process of the command",
  M2: "a timeout ends the whole family",
  M3: "no progress is a stall",
  M4: "out of memory, with evidence",
  M5: "every kind of end of a process",
  M6: "a bounded log for each command",
  M9: "doctor",
  M10: "status, and heartbeats that nobody keeps",
  M11: "stop, pause, resume and kill",
  C1: "lanes: bounded, fair, with places and times",
  C2: "fan-out with bounds and order",
  C3: "stages side by side",
  C5: "a queue that survives",
  I1: "the command line of loop-runtime",
  I2: "the command line of openloop",
  I3: "the command line of OpenExec",
  I4: "the library of loop-runtime",
};

/** A title names one row or several: `L3, L6: …`. */
const TITLE = /\(\s*["'`]([A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*): /g;

const titles = ["src", "test"]
  .flatMap(filesBelow)
  .filter((path) => /\.(test|contract)\.ts$/.test(path) && path !== "test/architecture/rows.test.ts")
  .flatMap((path) => [...textOf(path).matchAll(TITLE)].flatMap((found) => (found[1] ?? "").split(", ")));

test("every row that must be has a test that is named after it", () => {
  const named = new Set(titles);
  expect(Object.entries(ROWS).filter(([row]) => !named.has(row))).toEqual([]);
});

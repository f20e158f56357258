import { expect, it } from "vitest";
import { judgeQuality } from "./quality.ts";

it("passes what the tool found nothing wrong with", () => {
  for (const mode of ["block", "warn"] as const) {
    expect(judgeQuality(mode, { cause: "ok", exit: 0 })).toEqual({ outcome: "pass", reason: "the tool found nothing" });
  }
});

it("blocks or warns when the tool found something", () => {
  expect(judgeQuality("block", { cause: "exit", exit: 2 })).toEqual({
    outcome: "fail",
    reason: "the tool ended with 2",
  });
  expect(judgeQuality("warn", { cause: "exit", exit: 2 })).toEqual({
    outcome: "pass",
    reason: "the tool ended with 2",
    warning: "the tool ended with 2",
  });
});

it("never passes a tool that did not judge, in either mode", () => {
  const reports = [
    { cause: "spawn_error" },
    { cause: "timeout", exit: 0 },
    { cause: "signal" },
    { cause: "exit" },
    { cause: "exit", exit: null },
    { cause: "exit", exit: 126 },
    { cause: "exit", exit: 127 },
    { cause: "exit", exit: 137 },
  ];
  const reasons = [
    "the tool did not judge: spawn_error",
    "the tool did not judge: timeout",
    "the tool did not judge: signal",
    "the tool did not judge: exit",
    "the tool did not judge: exit",
    "the tool is missing or cannot be started (exit code 126)",
    "the tool is missing or cannot be started (exit code 127)",
    "the tool was ended by signal 9",
  ];
  for (const mode of ["block", "warn"] as const) {
    expect(reports.map((report) => judgeQuality(mode, report))).toEqual(
      reasons.map((reason) => ({ outcome: "fail", reason })),
    );
  }
});

it("takes an exit code above every signal for a finding", () => {
  expect(judgeQuality("warn", { cause: "exit", exit: 255 }).outcome).toBe("pass");
});

import { describe, expect, it } from "vitest";
import { diagnose } from "../../base/diagnostic.ts";
import { JOURNAL_ERRORS } from "./journal-errors.ts";

const DATA = {
  file: "pawl.db",
  dir: "r_1/.pawl",
  kind: "nfs",
  detail: "it is empty",
  version: 2,
  known: 1,
  run: "r_1",
  expected: 9,
  next: 4,
  problem: "there are none",
  writer: null,
};

describe("JOURNAL_ERRORS", () => {
  it.each(Object.keys(JOURNAL_ERRORS) as (keyof typeof JOURNAL_ERRORS)[])(
    "%s names the file or the run, why it matters and what to do",
    (code) => {
      const { what, why, hint } = diagnose(JOURNAL_ERRORS, code, DATA);
      expect(what).toMatch(/pawl\.db|r_1/);
      for (const sentence of [what, why, hint]) expect(sentence).toMatch(/^\S.*\.$/);
    },
  );

  it("names the process that keeps everybody from writing, whether it is stopped, and how to let it go on", () => {
    const told = (isStopped: boolean) => {
      const writer = { pid: 4711, since: "2026-11-18T00:00:00Z", isStopped };
      const { what, hint } = diagnose(JOURNAL_ERRORS, "JOURNAL_BUSY", { file: "pawl.db", writer });
      return [what, hint];
    };
    const end =
      "end it with `kill -KILL 4711`: what it had not stored is undone. `pawl serve` ends a host of runs that stands still by itself.";
    expect(told(true)).toEqual([
      "Process 4711, which runs since 2026-11-18T00:00:00Z and is stopped, has kept pawl.db locked for too long.",
      `Let it go on (\`fg\` in its terminal, or \`kill -CONT 4711\`), or ${end}`,
    ]);
    expect(told(false)).toEqual([
      "Process 4711, which runs since 2026-11-18T00:00:00Z, has kept pawl.db locked for too long.",
      `Try again, or ${end}`,
    ]);
  });
});

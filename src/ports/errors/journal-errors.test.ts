import { describe, expect, it } from "vitest";
import { diagnose } from "../../base/diagnostic.ts";
import { JOURNAL_ERRORS } from "./journal-errors.ts";

const DATA = {
  file: "pawl.db",
  detail: "it is empty",
  version: 2,
  known: 1,
  run: "r_1",
  expected: 9,
  next: 4,
  problem: "there are none",
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
});

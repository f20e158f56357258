import { expect, it } from "vitest";
import { jobRun } from "./job-run.ts";

it("a job has one run, for ever", () => {
  expect(jobRun("fix-tests@2026-06-01T12:00:00Z")).toMatch(/^r_[0-9a-hjkmnp-tv-z]{12}$/);
  expect(jobRun("a")).toBe(jobRun("a"));
  expect(jobRun("a")).not.toBe(jobRun("b"));
});

import { expect, it } from "vitest";
import type { RunId } from "../../base/ids.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import type { Job } from "../../ports/loops/jobs.ts";
import { jobRun } from "./job-run.ts";
import { isResumeJob, resumeJob, resumeJobId } from "./resume-job.ts";

const ROW = { run: "r_1" as RunId, blueprint: "fix", events: 7 };
const WEIGHT = { memoryBytes: 5, cpus: 1 };
const LOOP = { name: "nightly", lane: "slow", priority: 3, weight: WEIGHT, paths: ["src/**"] } as unknown as Loop;
const FIRST: Job = {
  ...{ id: "old@1", run: ROW.run, lane: "agents", caller: "old", loop: "old", priority: 1, weight: WEIGHT },
  ...{ paths: ["docs/**"], queuedAt: 1 },
};

it("every server that sees the same answer submits the same job, and the next answer is another", () => {
  expect(resumeJobId(ROW)).toBe(resumeJobId({ ...ROW }));
  expect(resumeJobId({ ...ROW, events: 8 })).not.toBe(resumeJobId(ROW));
});

it("a run resumes as its loop says now, else as it began, else in the usual lane", () => {
  const id = resumeJobId(ROW);
  expect(resumeJob(ROW, LOOP, FIRST)).toEqual({
    ...{ id, run: ROW.run, lane: "slow", caller: "nightly", loop: "nightly", priority: 3, weight: WEIGHT },
    paths: ["src/**"],
  });
  const { queuedAt: _, ...first } = FIRST;
  expect(resumeJob(ROW, null, FIRST)).toEqual({ ...first, id });
  expect(resumeJob(ROW, null, null)).toEqual({
    ...{ id, run: ROW.run, lane: "default", caller: "fix", loop: "fix", priority: 0, paths: [] },
    weight: { memoryBytes: 0, cpus: 0 },
  });
});

it("it is told from a job that begins a run", () => {
  expect(isResumeJob({ id: resumeJobId(ROW), run: ROW.run })).toBe(true);
  expect(isResumeJob({ id: "fix@1", run: jobRun("fix@1") })).toBe(false);
});

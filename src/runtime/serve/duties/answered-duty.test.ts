import { expect, it } from "vitest";
import type { RunId } from "../../../base/ids.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Submission } from "../../../ports/loops/jobs.ts";
import type { WaitingRun } from "../../../ports/store/waiting-runs.ts";
import { type AnsweredParts, createAnsweredDuty } from "./answered-duty.ts";

const run = (name: string, events = 5): WaitingRun =>
  ({ run: name as RunId, blueprint: "fix", events }) as Partial<WaitingRun> as WaitingRun;

/** Answered runs as a store lists them, and the jobs that are submitted for them. No time passes. */
function answered(...runs: readonly WaitingRun[]) {
  const found = [...runs];
  const jobs = new Map<string, Submission>();
  const told: string[] = [];
  let listener = (): void => undefined;
  let looks = 0;
  const parts = {
    runtime: {
      answered: async () => {
        looks += 1;
        return [...found];
      },
      onWaiting: async (call: () => void) => {
        listener = call;
        return () => undefined;
      },
      loopOf: async () => null,
    },
    jobs: {
      submit: async (job: Submission) => {
        const isNew = !jobs.has(job.id);
        jobs.set(job.id, job);
        return { isNew, position: 0 };
      },
      ofRun: async () => null,
    },
    loops: () => new Map(),
    clock: { now: () => 0, after: () => () => undefined } satisfies Clock,
    tell: ({ type }: { readonly type: string }) => void told.push(type),
    onSubmitted: () => undefined,
  } as unknown as AnsweredParts;
  return { duty: createAnsweredDuty(parts), parts, found, jobs, told, answer: () => listener(), looks: () => looks };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("submits one job for each answer, and a new one for the next answer of the same run", async () => {
  const { duty, found, jobs, told, answer } = answered(run("r_1"), run("r_2"));
  await duty.start();
  answer();
  await settled();
  expect([...jobs.keys()]).toEqual(["r_1@answered:5", "r_2@answered:5"]);
  found[0] = run("r_1", 9);
  answer();
  await settled();
  expect([...jobs.keys()].at(-1)).toBe("r_1@answered:9");
  expect(told).toEqual(["run.answered", "run.answered", "run.answered"]);
  await duty.stop();
});

it("sees an answer at whatever moment of a look it comes, and no time has to pass", async () => {
  for (let turns = 0; turns < 20; turns += 1) {
    const { duty, found, jobs, answer } = answered();
    await duty.start();
    answer();
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    found.push(run("r_1"));
    answer();
    await settled();
    expect([...jobs.keys()], `after ${turns} turns`).toEqual(["r_1@answered:5"]);
    await duty.stop();
  }
});

it("tells what went wrong and looks again at the next answer; after its stop it looks no more", async () => {
  const { duty, parts, found, jobs, told, answer, looks } = answered();
  const look = parts.runtime.answered;
  await duty.start();
  Object.assign(parts.runtime, { answered: () => Promise.reject(new Error("the disk is full")) });
  answer();
  await settled();
  expect(told).toEqual(["serve.problem"]);
  Object.assign(parts.runtime, { answered: look });
  found.push(run("r_1"));
  answer();
  await settled();
  expect(jobs.size).toBe(1);
  await duty.stop();
  const before = looks();
  answer();
  await settled();
  expect(looks()).toBe(before);
});

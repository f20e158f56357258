/** What a lane refuses. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const LANE_ERRORS = {
  LANE_JOB_UNKNOWN: {
    what: (d: { job: string }) => `No job ${d.job} is queued here.`,
    why: "Only a job that was submitted can be cancelled.",
    hint: "See `pawl queue` for the jobs of this project.",
    retry: "never",
    exit: 3,
  },
  LANE_JOB_RUNNING: {
    what: (d: { job: string; run: string }) => `Job ${d.job} runs already, as ${d.run}.`,
    why: "What runs has had effects; only what waits can be taken out of a queue.",
    hint: "Use `pawl cancel` with the id of its run.",
    retry: "never",
    exit: 1,
  },
  LANE_JOB_OVER: {
    what: (d: { job: string }) => `Job ${d.job} is over.`,
    why: "There is nothing left to cancel.",
    hint: "See `pawl status` for what became of its run.",
    retry: "never",
    exit: 1,
  },
  LANE_JOB_INVALID: {
    what: (d: { job: string; problem: string }) => `Job ${d.job} cannot be queued: ${d.problem}.`,
    why: "Turns are counted exactly, so a lane takes whole numbers only.",
    hint: "Give a whole number for the priority, and a share from 1 to 16.",
    retry: "never",
    exit: 3,
  },
  LANE_UNKNOWN: {
    what: (d: { lane: string; known: string }) => `There is no lane ${d.lane}.`,
    why: "A bound of a lane in which nothing ever waits would bind nothing.",
    hint: (d: { lane: string; known: string }) =>
      `The lanes of this project are ${d.known}; others are declared under \`lanes\` in pawl.yaml.`,
    retry: "never",
    exit: 3,
  },
  LANE_SIZE_INVALID: {
    what: (d: { lane: string; max: number }) => `Lane ${d.lane} cannot run ${d.max} jobs at once.`,
    why: "The bound of a lane is a whole number; 0 lets nothing begin.",
    hint: "Give a whole number from 0 to 1000.",
    retry: "never",
    exit: 3,
  },
  LANE_WORK_RUNNING: {
    what: (d: { work: string }) => `Work ${d.work} of this lane has begun.`,
    why: "Only what waits can be taken out of a lane.",
    hint: "Give the work a signal of its own and abort that.",
    retry: "never",
    exit: 1,
  },
  LANE_WORK_OVER: {
    what: (d: { work: string }) => `This lane has no work ${d.work}.`,
    why: "It is over, or was never submitted here.",
    hint: "Keep the id that `submit` returned.",
    retry: "never",
    exit: 1,
  },
  LANE_WORK_CANCELLED: {
    what: (d: { work: string }) => `Work ${d.work} was taken out of its lane.`,
    why: "It was cancelled before it began: nothing of it was done.",
    hint: "Submit it again if it is wanted after all.",
    retry: "safe",
    exit: 1,
  },
  LANE_BOUND_INVALID: {
    what: (d: { name: string; bound: string }) => `${d.name} cannot be ${d.bound}.`,
    why: "A bound that is no whole number would silently be none.",
    hint: "Give a whole number; 0 means the usual bound, Infinity none.",
    retry: "never",
    exit: 3,
  },
} as const satisfies Catalogue;

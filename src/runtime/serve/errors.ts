/** What can go wrong while loops are served. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const SERVE_ERRORS = {
  SERVE_CLAIM_LATE: {
    what: (d: { run: string }) =>
      `Run ${d.run} may belong to another process by now, so nothing more is done for it here.`,
    why: "This process stood still for longer than its claim lasts: another may go on with the run already.",
    hint: "Nothing: whoever has the run goes on. If machines stand still often, give `pawl serve` a longer --lease.",
    retry: "safe",
    exit: 1,
  },
  SERVE_NO_LOOPS: {
    what: (d: { file: string }) => `${d.file} names no loop.`,
    why: "There is nothing to serve.",
    hint: "Write loops with `every`, `cron`, `watch` or `webhook` into pawl.yaml; `pawl init` writes a first one.",
    retry: "after_change",
    exit: 3,
  },
  SERVE_LISTEN_FAILED: {
    what: (d: { place: string; problem: string }) => `Nothing can listen at ${d.place}: ${d.problem}.`,
    why: "Loops with `webhook` are told of what happens there.",
    hint: "Give another --port, or end whoever uses this one.",
    retry: "after_change",
    exit: 1,
  },
  SERVE_HOST_STAYS: {
    what: (d: { pid: number; hostname: string }) =>
      `Process ${d.pid} on ${d.hostname} stands still and cannot be ended from here.`,
    why: "It may go on at any time; what it hosts cannot be taken over before it is gone.",
    hint: "End that process, or let it go on; the run is tried again.",
    retry: "safe",
    exit: 1,
  },
} as const satisfies Catalogue;

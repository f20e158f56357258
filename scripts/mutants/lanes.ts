/** Guards of lanes, of the queue and of the machine. */
import type { Mutant } from "./mutant.ts";

const STORES = ["test/contract/loop-stores.test.ts"];
const SHARE = ["src/limits/lane/fair-share.test.ts"];
const ADMISSION = ["src/limits/admission/admission.test.ts"];
const FAN_OUT = ["src/loops/lane/fan-out.test.ts"];
const LANE = ["src/loops/lane/lane.test.ts"];
const LATENESS = "src/limits/lane/lateness.ts";
const JOBS = "src/adapters/sqlite/loops/jobs.ts";

export const LANE_MUTANTS: readonly Mutant[] = [
  {
    name: "a lock that nobody has in hand any more is let go with the memory",
    file: "src/adapters/sqlite/file/held.ts",
    find: "  HELD.add(db);",
    replace: "  HELD.delete(db);",
    tests: ["src/adapters/sqlite/file/host-lock.test.ts"],
  },
  {
    name: "a caller with much to do is served before the others",
    file: "src/limits/lane/fair-share.ts",
    find: "  return a.tag - b.tag || a.since - b.since;",
    replace: "  return a.since - b.since;",
    tests: SHARE,
  },
  {
    name: "who stays away saves up turns",
    file: "src/limits/lane/fair-share.ts",
    find: "  return Math.max(before, laneTag);",
    replace: "  return Math.min(before, laneTag);",
    tests: SHARE,
  },
  {
    name: "a lane runs more at once than its bound",
    file: JOBS,
    find: "lanes.room(lane) > 0 ?",
    replace: "lanes.room(lane) > -9 ?",
    tests: STORES,
  },
  {
    name: "a job is taken from a worker that lives and renews",
    file: LATENESS,
    find: 'if (lease > now) return "kept";',
    replace: 'if (lease > now + 60_000) return "kept";',
    tests: [...STORES, "src/limits/lane/lateness.test.ts"],
  },
  {
    name: "a job of a worker that is gone is left until its lease ends",
    file: JOBS,
    find: "worker !== null && lives(worker)",
    replace: "worker !== null",
    tests: STORES,
  },
  {
    name: "a worker that lives has no time to renew after nobody could write for a while",
    file: LATENESS,
    find: 'if (late === null) return "suspect";',
    replace: 'if (late === null) return "free";',
    tests: [...STORES, "src/limits/lane/lateness.test.ts"],
  },
  {
    name: "a worker that was late once and has renewed is late at once the next time",
    file: "src/adapters/sqlite/loops/job-rows.ts",
    find: "SET lease = ?4, late = NULL WHERE",
    replace: "SET lease = ?4 WHERE",
    tests: STORES,
  },
  {
    name: "a worker never gets again what it has and is not at",
    file: JOBS,
    find: 'ask.worksOn?.includes(job) === false ? "free" : "kept"',
    replace: 'ask.worksOn === null ? "free" : "kept"',
    tests: STORES,
  },
  {
    name: "a process that serves does not say what it is at",
    file: "src/runtime/serve/jobs/worker.ts",
    find: "leaseMs, worksOn }).catch(",
    replace: "leaseMs }).catch(",
    tests: ["src/runtime/serve/jobs/worker.test.ts"],
  },
  {
    name: "a claim that could not be renewed is late before it is tried again",
    file: "src/runtime/serve/jobs/worker.ts",
    find: "isInTime ? leaseMs / RENEWALS : leaseMs / HURRIED_RENEWALS",
    replace: "isInTime ? leaseMs / RENEWALS : leaseMs / RENEWALS",
    tests: ["src/runtime/serve/jobs/worker.test.ts"],
  },
  {
    name: "room on the machine stays taken when its end could not be stored",
    file: "src/runtime/machine/machine.ts",
    find: "if (over.size > 0) clock.after(",
    replace: "if (over.size < 0) clock.after(",
    tests: ["src/runtime/machine/machine.test.ts"],
  },
  {
    name: "room that is given back late is taken from whoever has it next",
    file: "src/runtime/machine/machine.ts",
    find: "    await giveBack();\n    const most",
    replace: "    const most",
    tests: ["src/runtime/machine/machine.test.ts"],
  },
  {
    name: "a job whose run somebody else hosts stays with whoever is not at it",
    file: "src/runtime/serve/jobs/worker.ts",
    find: '    await jobs.giveBack(job.id, token, PUT_OFF_MS);\n    return;\n  }\n  tell({ type: "run.ended"',
    replace: '    return;\n  }\n  tell({ type: "run.ended"',
    tests: ["src/runtime/serve/jobs/worker.test.ts"],
  },
  {
    name: "the store of loops gives up when another process has it",
    file: "src/adapters/sqlite/loops/loop-store.ts",
    find: "patienceMs: PATIENCE_MS,",
    replace: "patienceMs: 0,",
    tests: STORES,
  },
  {
    name: "whoever has an old token finishes a job",
    file: JOBS,
    find: " || row.token !== token || row.worker !== hosts.self()) return false;",
    replace: ") return false;",
    tests: STORES,
  },
  {
    name: "whoever has an old token keeps a job",
    file: "src/adapters/sqlite/loops/job-rows.ts",
    find: "AND token = ?2 AND worker = ?3",
    replace: "AND ?2 > 0 AND ?3 <> ''",
    tests: STORES,
  },
  {
    name: "a late process is not named to be ended",
    file: JOBS,
    find: "(worker) => worker !== hosts.self() && hosts.isAlive(worker)",
    replace: "(worker) => worker === hosts.self() && hosts.isAlive(worker)",
    tests: STORES,
  },
  {
    name: "what runs is taken out of the queue",
    file: JOBS,
    find: 'if (row.state === "running") throw',
    replace: 'if (row.state === "done") throw',
    tests: STORES,
  },
  {
    name: "more begins than fits on the machine",
    file: "src/limits/admission/admission.ts",
    find: "sum.memoryBytes <= total.memoryBytes;",
    replace: "sum.memoryBytes <= total.memoryBytes * 2;",
    tests: ADMISSION,
  },
  {
    name: "a heavy job waits for ever while light ones pass",
    file: "src/limits/admission/admission.ts",
    find: "waiting.passed >= MOST_PASSED",
    replace: "waiting.passed >= MOST_PASSED * 1000",
    tests: ADMISSION,
  },
  {
    name: "a process that is gone still holds its weight",
    file: "src/adapters/sqlite/loops/admissions.ts",
    find: "!gone.has(worker) && (held === 1 || isInLine(seen, now))",
    replace: "(held === 1 || isInLine(seen, now))",
    tests: STORES,
  },
  {
    name: "fan-out keeps no bound of a key",
    file: "src/loops/lane/fan-out.ts",
    find: "lane.running < mostOfKey",
    replace: "lane.running <= mostOfKey",
    tests: FAN_OUT,
  },
  {
    name: "fan-out begins more after a cancel",
    file: "src/loops/lane/fan-out.ts",
    find: "running < most && !signal.aborted",
    replace: "running < most",
    tests: FAN_OUT,
  },
  {
    name: "work that has begun is taken out of its lane",
    file: "src/loops/lane/lane.ts",
    find: 'if (running.has(id)) throw pawlError(LANE_ERRORS, "LANE_WORK_RUNNING", { work: id });',
    replace: 'if (id === "") throw pawlError(LANE_ERRORS, "LANE_WORK_RUNNING", { work: id });',
    tests: LANE,
  },
];

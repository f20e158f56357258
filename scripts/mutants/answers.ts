/** Guards of answered runs: a server resumes each once, and takes none from its host. */
import type { Mutant } from "./mutant.ts";

const JOBS = ["src/runtime/serve/jobs/resume-answered.test.ts"];
const TAKEOVER = ["test/integration/one-takeover.test.ts"];
const DAMAGED = ["test/integration/damaged-run.test.ts"];
const WORKER = "src/runtime/serve/jobs/worker.ts";
const ANSWER = "src/runtime/resume/answer-and-resume.ts";

export const ANSWER_MUTANTS: readonly Mutant[] = [
  {
    name: "an answered run is taken from whoever has resumed it",
    file: WORKER,
    find: 'return row?.status === "running" && (row.holder !== null || !isAgain);',
    replace: 'return row?.status === "queued" && (row.holder !== null || !isAgain);',
    tests: JOBS,
  },
  {
    name: "a server resumes a run that a person has paused",
    file: "src/runtime/serve/jobs/host-job.ts",
    find: '|| row.status === "paused")',
    replace: ")",
    tests: JOBS,
  },
  {
    name: "why an answered run cannot resume is kept by nobody",
    file: WORKER,
    find: "  if (row !== undefined) await noteRefusal(",
    replace: "  if (row === undefined) await noteRefusal(",
    tests: JOBS,
  },
  {
    name: "two servers that see one answer submit two jobs",
    file: "src/loops/lane/resume-job.ts",
    find: "`${run}@answered:${events}`",
    replace: "`${run}@answered:${events}:${Math.random()}`",
    tests: ["src/loops/lane/resume-job.test.ts"],
  },
  {
    name: "a refusal holds after the run has a newer event",
    file: "src/loops/lane/resume-refusal.ts",
    find: "found?.events === events ? found : null",
    replace: "found?.events !== -1 ? found : null",
    tests: ["src/loops/lane/resume-refusal.test.ts"],
  },
  {
    name: "an answer takes the run over twice",
    file: ANSWER,
    find: "run === asking && refusal === undefined && (await admission.tryEnter())",
    replace: "run !== asking && refusal === undefined && (await admission.tryEnter())",
    tests: TAKEOVER,
  },
  {
    name: "a held run that rests is given up at once",
    file: "src/runtime/resume/when-free.ts",
    find: "const TRIES = 40;",
    replace: "const TRIES = 0;",
    tests: ["src/runtime/resume/when-free.test.ts"],
  },
  {
    name: "a run whose journal was changed is taken over",
    file: "src/engines/embedded/restore.ts",
    find: "if (report.intact) return;",
    replace: "if (report.intact || report.seq > 0) return;",
    tests: DAMAGED,
  },
  {
    name: "one run that cannot be read keeps the questions of all others open",
    file: "src/runtime/trust/approvals.ts",
    find: 'if (code?.startsWith("JOURNAL_")) throw error;',
    replace: 'if (code?.startsWith("JOURNAL_") || code === "RUN_DAMAGED") throw error;',
    tests: DAMAGED,
  },
  {
    name: "an answer that comes while a look ends waits for the next one",
    file: "src/runtime/serve/duties/answered-duty.ts",
    find: "if (again) void work();",
    replace: "if (again && stopped) void work();",
    tests: ["src/runtime/serve/duties/answered-duty.test.ts"],
  },
  {
    name: "a parked run waits for the next regular look of a server",
    file: "src/runtime/serve/duties/keeper.ts",
    find: "if (leftMs < EVERY_MS && !isOver)",
    replace: "if (leftMs < -EVERY_MS && !isOver)",
    tests: ["src/runtime/serve/duties/keeper.test.ts"],
  },
];

/** Guards of the coordinator: locks, back-pressure, the queue in front of a branch, notices. */
import type { Mutant } from "./mutant.ts";

const LOCKS = ["src/loops/coordinate/locks.test.ts"];
const WORK = ["src/loops/coordinate/merges/work.test.ts"];
const COORDINATOR = ["src/loops/coordinate/coordinator.test.ts"];
const NOTICES = ["src/loops/coordinate/notices.test.ts"];

export const COORDINATE_MUTANTS: readonly Mutant[] = [
  {
    name: "a path lock keeps nobody out",
    file: "src/loops/coordinate/locks.ts",
    find: "at < lock.until && lock.owner !== waiter.owner ?",
    replace: "at < 0 && lock.owner !== waiter.owner ?",
    tests: LOCKS,
  },
  {
    name: "an old token renews a lock",
    file: "src/loops/coordinate/locks.ts",
    find: "lock.owner === owner && lock.token === token);",
    replace: "lock.owner === owner || lock.token === token);",
    tests: LOCKS,
  },
  {
    name: "who waits is overtaken for ever",
    file: "src/loops/coordinate/locks.ts",
    find: "priority + Math.floor((at - since) / AGING_MS)",
    replace: "priority",
    tests: LOCKS,
  },
  {
    name: "who is gone keeps its place in the line for paths",
    file: "src/loops/coordinate/locks.ts",
    find: "(host === undefined || !gone.has(host))",
    replace: "(host === undefined || gone.size >= 0)",
    tests: LOCKS,
  },
  {
    name: "paths of a run are taken over from a process that lives",
    file: "src/loops/coordinate/locks.ts",
    find: "if (own.host !== undefined && !gone.has(own.host))",
    replace: "if (own.host === '')",
    tests: LOCKS,
  },
  {
    name: "a lease that is over counts for whoever asks again",
    file: "src/loops/coordinate/locks.ts",
    find: "owner === ask.owner && ask.at < until",
    replace: "owner === ask.owner && until >= 0",
    tests: LOCKS,
  },
  {
    name: "a run that goes on asks for no paths",
    file: "src/runtime/coordinate/hold-again.ts",
    find: "if (letIn === null) return null;",
    replace: "if (letIn !== undefined) return null;",
    tests: ["src/runtime/coordinate/hold-again.test.ts"],
  },
  {
    name: "what has rested goes on although another has its paths",
    file: "src/runtime/serve/duties/keeper.ts",
    find: "const held = await hold(run, blueprint);",
    replace: "const held = run === null ? await hold(run, blueprint) : { leave: async () => undefined };",
    tests: ["src/runtime/serve/duties/keeper.test.ts"],
  },
  {
    name: "open proposals hold nobody back",
    file: "src/loops/coordinate/hold.ts",
    find: "|| open < maxOpen)",
    replace: "|| open >= 0)",
    tests: COORDINATOR,
  },
  {
    name: "reports are held back",
    file: "src/loops/coordinate/hold.ts",
    find: 'return level >= "L2";',
    replace: 'return level >= "L1";',
    tests: COORDINATOR,
  },
  {
    name: "a combination is merged without being judged",
    file: "src/loops/coordinate/merges/work.ts",
    find: "if (isJudged) return",
    replace: "if (isJudged || !isJudged) return",
    tests: WORK,
  },
  {
    name: "a change is blamed for a branch that is red by itself",
    file: "src/loops/coordinate/merges/work.ts",
    find: 'if (verdict.is === "green") return over(group, "returned", why);',
    replace: 'if (verdict.is !== "unknown") return over(group, "returned", why);',
    tests: WORK,
  },
  {
    name: "a red group is sent back as a whole",
    file: "src/loops/coordinate/merges/work.ts",
    find: "if (group.length > 1) return",
    replace: "if (group.length > 99) return",
    tests: WORK,
  },
  {
    name: "a worker that lost the queue reports",
    file: "src/loops/coordinate/merges/changes.ts",
    find: "if (queue.token !== token || queue.worker === null) return { keep: pages, result: false };",
    replace: "if (queue.worker === null) return { keep: pages, result: false };",
    tests: WORK,
  },
  {
    name: "the same trouble is told again and again",
    file: "src/loops/coordinate/notices.ts",
    find: "const isSame = before !== null &&",
    replace: "const isSame = before !== null && at < 0 &&",
    tests: NOTICES,
  },
  {
    name: "notices beyond the first page are told to nobody",
    file: "src/loops/coordinate/notices.ts",
    find: "if (last === undefined) break;",
    replace: "break;",
    tests: ["src/loops/coordinate/notices.test.ts"],
  },
  {
    name: "what keeps coming with a larger priority keeps others from their turn for ever",
    file: "src/loops/coordinate/merges/queue.ts",
    find: "at - priority * AGING_MS",
    replace: "at - priority * Number.MAX_SAFE_INTEGER",
    tests: ["src/loops/coordinate/merges/queue.test.ts"],
  },
  {
    name: "the priority of a loop does not reach its changes",
    file: "src/loops/coordinate/merges/queue.ts",
    find: "at - priority * AGING_MS",
    replace: "at",
    tests: ["src/loops/coordinate/merges/queue.test.ts"],
  },
  {
    name: "a worker that is gone has the queue for ever",
    file: "src/loops/coordinate/merges/queue.ts",
    find: "return at < until ? { ...worker, until } : null;",
    replace: "return { ...worker, until };",
    tests: ["src/loops/coordinate/merges"],
  },
];

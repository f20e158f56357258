/** Guards of a branch that is moved together with its checkout: what a kill leaves, and what is the user's. */
import type { Mutant } from "./mutant.ts";

const LANDING = ["test/integration/landing.test.ts"];
const CHANGES = ["src/loops/coordinate/merges/changes.test.ts"];

export const LANDING_MUTANTS: readonly Mutant[] = [
  {
    name: "what a merge that was cut off left is not put right",
    file: "src/loops/coordinate/merges/work.ts",
    find: "await parts.mainline.mend(into);",
    replace: "",
    tests: ["src/loops/coordinate/merges/work.test.ts"],
  },
  {
    name: "files that were half written are left so",
    file: "src/adapters/git-actions/repository/landing.ts",
    find: "if (kept.hasBegun) await putRight(",
    replace: "if (kept.from === kept.to) await putRight(",
    tests: LANDING,
  },
  {
    name: "what the user wrote after a crash is taken for ours",
    file: "src/adapters/git-actions/repository/restore-tree.ts",
    find: "return !isThere && isOurs(checkout, entry);",
    replace: "return !isThere;",
    tests: LANDING,
  },
  {
    name: "the lock of a branch that a killed git left stays",
    file: "src/adapters/git-actions/repository/landing.ts",
    find: "await dropRefLocks(project, into, kept);",
    replace: "if (kept.from === kept.to) await dropRefLocks(project, into, kept);",
    tests: LANDING,
  },
  {
    name: "the lock that a killed git left in the vault stays",
    file: "src/adapters/git-actions/repository/vault-locks.ts",
    find: "if (left === 0 || !lock.startsWith(vault + sep)) return result;",
    replace: "if (left === 0 || lock !== null) return result;",
    tests: ["test/integration/vault-locks.test.ts"],
  },
  {
    name: "a git that outlives its host is not waited for",
    file: "src/adapters/git-actions/repository/landing-record.ts",
    find: "if (countOpen(path) <= 1) return handle;",
    replace: "if (countOpen(path) >= 0) return handle;",
    tests: LANDING,
  },
  {
    name: "files that git ignores are overwritten by a merge",
    file: "src/adapters/git-actions/repository/checkout.ts",
    find: 'if (await holds(from)) return (await isInTheWay(checkout, from, to)) ? null : "from";',
    replace: 'if (await holds(from)) return "from";',
    tests: LANDING,
  },
  {
    name: "a folder that git ignores is removed for a file of the same name",
    file: "src/adapters/git-actions/repository/checkout.ts",
    find: 'if (spot.is !== "folder" || (await hasStrangers(folder, path, known))) return true;',
    replace: 'if (spot.is !== "folder") return true;',
    tests: LANDING,
  },
  {
    name: "a branch that is being rebased is moved",
    file: "src/adapters/git-actions/repository/landing.ts",
    find: "if (await isRebased(project, branchRef(into)))",
    replace: "if (into === branchRef(into))",
    tests: LANDING,
  },
  {
    name: "the queue of a process that is gone waits for its lease",
    file: "src/loops/coordinate/merges/queue.ts",
    find: "if (worker === null || (worker.host !== undefined && gone.has(worker.host))) return null;",
    replace: "if (worker === null) return null;",
    tests: CHANGES,
  },
  {
    name: "what was put off keeps a person waiting who asks again",
    file: "src/loops/coordinate/merges/queue.ts",
    find: "notBefore <= at || notBefore < dueBefore",
    replace: "notBefore <= at",
    tests: CHANGES,
  },
];

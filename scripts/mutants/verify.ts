/** Guards of what `pawl verify` detects. */
import type { Mutant } from "./mutant.ts";

export const VERIFY_MUTANTS: readonly Mutant[] = [
  {
    name: "a pin that is ahead of the journal is accepted",
    file: "src/adapters/sqlite/events/check-runs.ts",
    find: "if (now.entries < entries || now.lastEvent < events)",
    replace: "if (now.entries < 0)",
    tests: ["test/e2e/damage.test.ts"],
  },
  {
    name: "a missing pin is accepted",
    file: "src/adapters/sqlite/events/check-runs.ts",
    find: 'if (pin.state === "missing")\n    return now.runs',
    replace: 'if (pin.state === "missing")\n    return 0 * now.runs',
    tests: ["test/e2e/damage.test.ts"],
  },
  {
    name: "a gap in the chain of runs is accepted",
    file: "src/adapters/sqlite/events/check-runs.ts",
    find: "  if (gap > 0) {",
    replace: "  if (gap > 1e9) {",
    tests: ["test/e2e/damage.test.ts"],
  },
  {
    name: "missing events are not counted",
    file: "src/adapters/sqlite/events/check-runs.ts",
    find: "  if (events < lastEvent)",
    replace: "  if (events < 0)",
    tests: ["test/e2e/damage.test.ts"],
  },
  {
    name: "a writer replaces a pin that its database does not match",
    file: "src/adapters/sqlite/loss/pins.ts",
    find: "  return then.entry === entry && then.event === event;",
    replace: "  return then !== null;",
    tests: ["test/e2e/damage.test.ts"],
  },
  {
    name: "artifacts are not read",
    file: "src/runtime/trust/verify-stored.ts",
    find: "    await look.parts.artifacts.check(ref);\n",
    replace: "",
    tests: ["test/e2e/damage.test.ts"],
  },
  {
    name: "an artifact of another size is accepted",
    file: "src/adapters/files/artifacts.ts",
    find: "if (bytes !== ref.bytes) throw damaged(ref.sha256);",
    replace: "",
    tests: ["test/contract/effects.test.ts"],
  },
  {
    name: "the names of objects are not computed anew",
    file: "src/adapters/git/saved/examine.ts",
    find: 'if (open.hash.digest("hex") !== open.id)',
    replace: "if (open.id === null)",
    tests: ["test/e2e/damage.test.ts"],
  },
  {
    name: "a tree without a reference is accepted",
    file: "src/adapters/git/vault/check-trees.ts",
    find: 'return code === 0 ? "unnamed" : "missing";',
    replace: 'return code === 0 ? "held" : "missing";',
    tests: ["test/e2e/damage.test.ts"],
  },
  {
    name: "gc does not record what it drops",
    file: "src/adapters/git/saved/dropped.ts",
    find: "  if (byFile.size === 0) return;",
    replace: "  if (byFile.size >= 0) return;",
    tests: ["test/e2e/damage.test.ts"],
  },
];

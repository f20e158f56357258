/** Guards of approvals: an answer is good for exactly what was shown, once and in time. */
import type { Mutant } from "./mutant.ts";

export const APPROVAL_MUTANTS: readonly Mutant[] = [
  {
    name: "an approval is good under other rules",
    file: "src/run/approval/question.ts",
    find: "canonical({ plan: contentOf(plan), policy: plan.policy, ...place, request })",
    replace: "canonical({ ...place, request })",
    tests: ["src/run/approval"],
  },
  {
    name: "an approval is good for another request",
    file: "src/run/approval/question.ts",
    find: "policy: plan.policy, ...place, request })",
    replace: "policy: plan.policy, ...place })",
    tests: ["src/run/approval", "src/kernel/authorize.test.ts"],
  },
  {
    name: "an answer is good for another attempt",
    file: "src/run/approval/question.ts",
    find: "const place = { run: origin, commit, stage, visit, attempt };",
    replace: "const place = { run: origin, commit, stage, visit };",
    tests: ["src/run/approval", "src/kernel/authorize.test.ts"],
  },
  {
    name: "what was allowed for the run is allowed for any request",
    file: "src/run/approval/question.ts",
    find: "run: facts.origin, rule, request }",
    replace: "run: facts.origin, rule }",
    tests: ["src/run/approval", "src/kernel/authorize.test.ts"],
  },
  {
    name: "an answer that comes too late counts",
    file: "src/run/approval/answer.ts",
    find: "if (expiresAt !== null && now >= expiresAt)",
    replace: "if (expiresAt !== null && now < 0)",
    tests: ["src/run/approval"],
  },
  {
    name: "an answer counts for what was not shown",
    file: "src/run/approval/answer.ts",
    find: "digest === (answer.digest ?? digest) && digest === digestNow(plan, state, lane)",
    replace: "digest === digestNow(plan, state, lane)",
    tests: ["src/run/approval"],
  },
  {
    name: "an approval gate passes whatever was approved",
    file: "src/run/approval/judgement.ts",
    find: "if (granted === approvalDigest(plan, facts, subject))",
    replace: "if (granted !== null)",
    tests: ["src/run/approval", "test/simulation/crash.test.ts"],
  },
  {
    name: "a question about an older tree stays open",
    file: "src/run/decide.ts",
    find: "if (stale !== undefined)",
    replace: "if (stale === null)",
    tests: ["src/run/approval", "src/run/decide.test.ts"],
  },
  {
    name: "a refused approval gate passes",
    file: "src/run/approval/judgement.ts",
    find: 'if (refusal !== null) return { ...verdict, outcome: "fail", ...refusal };',
    replace: 'if (refusal !== null) return { ...verdict, outcome: "pass", cause: "ok" };',
    tests: ["src/run/approval"],
  },
  {
    name: "a denied approval lifts taint while the run goes on",
    file: "src/run/effect/taint.ts",
    find: 'group === null && result.outcome === "pass") tainted.clear()',
    replace: "group === null) tainted.clear()",
    tests: ["src/run/effect/taint.test.ts", "test/simulation/crash.test.ts"],
  },
  {
    name: "third-party text is forgotten when its stage has ended",
    file: "src/run/effect/taint.ts",
    find: "  tainted.add(group?.stage ?? path);\n",
    replace: "",
    tests: ["src/run/effect/taint.test.ts"],
  },
];

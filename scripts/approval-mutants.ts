/** Guards of approvals: what an answer is bound to, that it counts once, that it ends. */
import type { Mutant } from "./mutant.ts";

const ANSWERS = ["src/run/approval"];
const MUTATIONS = ["test/integration/approval-mutations.test.ts"];

export const APPROVAL_MUTANTS: readonly Mutant[] = [
  {
    name: "an approval is good for another tree",
    file: "src/run/approval/question.ts",
    find: "const place = { run: origin, commit, stage, visit, attempt };",
    replace: "const place = { run: origin, stage, visit, attempt };",
    tests: MUTATIONS,
  },
  {
    name: "an approval is good for another visit",
    file: "src/run/approval/question.ts",
    find: "const place = { run: origin, commit, stage, visit, attempt };",
    replace: "const place = { run: origin, commit, stage, attempt };",
    tests: ANSWERS,
  },
  {
    name: "an approval is good for another attempt",
    file: "src/run/approval/question.ts",
    find: "const place = { run: origin, commit, stage, visit, attempt };",
    replace: "const place = { run: origin, commit, stage, visit };",
    tests: MUTATIONS,
  },
  {
    name: "an approval is good for another plan and policy",
    file: "src/run/approval/question.ts",
    find: "canonical({ plan: contentOf(plan), policy: plan.policy, ...place, request })",
    replace: "canonical({ ...place, request })",
    tests: MUTATIONS,
  },
  {
    name: "what a plan says of itself is believed",
    file: "src/run/plan-index.ts",
    find: "index.content ??= fingerprint(plan);",
    replace: "index.content ??= plan.fingerprint;",
    tests: MUTATIONS,
  },
  {
    name: "an answer is not compared with what is there when it is taken",
    file: "src/run/approval/answer.ts",
    find: " && digest === digestNow(plan, state, lane)",
    replace: "",
    tests: MUTATIONS,
  },
  {
    name: "an answer is not compared with what the person was shown",
    file: "src/run/approval/answer.ts",
    find: "digest === (answer.digest ?? digest) && ",
    replace: "",
    tests: MUTATIONS,
  },
  {
    name: "a gate passes with any answer",
    file: "src/run/approval/judgement.ts",
    find: "if (granted === approvalDigest(plan, facts, subject))",
    replace: "if (granted !== null)",
    tests: MUTATIONS,
  },
  {
    name: "a question that was answered stays open",
    file: "src/run/approval/answered.ts",
    find: "  const scope = lane.question?.scope ?? null;\n  lane.question = null;\n",
    replace: "  const scope = lane.question?.scope ?? null;\n",
    tests: [...ANSWERS, ...MUTATIONS],
  },
  {
    name: "an answer that comes too late counts",
    file: "src/run/approval/answer.ts",
    find: "if (expiresAt !== null && now >= expiresAt)",
    replace: "if (expiresAt !== null && now < 0)",
    tests: MUTATIONS,
  },
  {
    name: "a question never expires",
    file: "src/run/approval/due.ts",
    find: "if (expiresAt !== null && now >= expiresAt) return",
    replace: "if (expiresAt !== null && now < 0) return",
    tests: ANSWERS,
  },
  {
    name: "an answer counts for another question",
    file: "src/run/approval/answer.ts",
    find: "asked.find(({ question }) => question.id === answer.id)",
    replace: "asked[0]",
    tests: MUTATIONS,
  },
  {
    name: "what cannot be shown can be approved",
    file: "src/runtime/trust/approvals.ts",
    find: "change?.complete === false",
    replace: "change === undefined",
    tests: ["test/integration/approval-content.test.ts"],
  },
  {
    name: "what is undecodable counts as shown",
    file: "src/gates/shown/shown-change.ts",
    find: "if (texts.hunks === null && bytes === null)",
    replace: "if (texts.hunks === null && bytes !== null)",
    tests: ["src/gates/shown"],
  },
  {
    name: "what was allowed for one run is allowed for another",
    file: "src/run/approval/question.ts",
    find: "policy: plan.policy, run: facts.origin, rule, request",
    replace: "policy: plan.policy, rule: facts.origin.slice(0, 2), request",
    tests: MUTATIONS,
  },
];

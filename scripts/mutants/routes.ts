/** Guards of model routes: who is asked, who is not asked again, and who is told. */
import type { Mutant } from "./mutant.ts";

export const ROUTE_MUTANTS: readonly Mutant[] = [
  {
    name: "a request that nobody can answer is passed around",
    file: "src/gateway/routes/ask-in-turn.ts",
    find: 'return kind === "permanent" ? asked(',
    replace: 'return kind === ("" as string) ? asked(',
    tests: ["src/gateway/routes"],
  },
  {
    name: "who did not answer is not told",
    file: "src/gateway/routes/ask-in-turn.ts",
    find: "state.passedOver.push({ model: showCandidate(candidate), why });",
    replace: "",
    tests: ["src/gateway/routes"],
  },
  {
    name: "a provider that asks for time is not left alone",
    file: "src/gateway/routes/ask-in-turn.ts",
    find: "  await breakers.park(targetOf(candidate), until, judgeFailure(failure).why, clock.now());\n",
    replace: "",
    tests: ["src/gateway/routes"],
  },
  {
    name: "a try that may have been billed is repeated",
    file: "src/gateway/routes/router.ts",
    find: "if (thrown.maySpend) return",
    replace: 'if (thrown.message === "") return',
    tests: ["test/integration/gateway-routes.test.ts"],
  },
  {
    name: "a stream that has told its usage is given up for another",
    file: "src/gateway/routes/head.ts",
    find: "if (error === null || tokens !== null)",
    replace: "if (error === null)",
    tests: ["src/gateway/routes"],
  },
  {
    name: "a model is asked again before it wants to be",
    file: "src/limits/routes/retry.ts",
    find: "return asked + Math.floor(chance * ceiling);",
    replace: "return Math.floor(chance * ceiling);",
    tests: ["src/limits/routes"],
  },
  {
    name: "a model is asked again without end",
    file: "src/limits/routes/retry.ts",
    find: "if (failures >= rules.tries || asked > rules.maxMs) return null;",
    replace: "if (asked > rules.maxMs) return null;",
    tests: ["src/limits/routes"],
  },
  {
    name: "a model of another wire is asked",
    file: "src/limits/routes/candidate.ts",
    find: ".includes(wire);",
    replace: ".length > 0;",
    tests: ["src/limits/routes"],
  },
  {
    name: "a bad request is taken for a busy model",
    file: "src/limits/routes/failure.ts",
    find: "return status >= 500 || SOON.has(status);",
    replace: "return status >= 400;",
    tests: ["src/limits/routes"],
  },
  {
    name: "a project raises the rate of its user",
    file: "src/limits/routes/settings.ts",
    find: "Math.min(...said)",
    replace: "Math.max(...said)",
    tests: ["src/limits/routes"],
  },
  {
    name: "a rate that is used up lets requests through",
    file: "src/gateway/routes/rate-limits.ts",
    find: "longest.waitMs > longestMs",
    replace: "longest.waitMs > Number.MAX_VALUE",
    tests: ["src/gateway/routes"],
  },
  {
    name: "a tier may lead to itself",
    file: "src/blueprint/models/read-models.ts",
    find: "if (inner !== undefined) problems.report(",
    replace: 'if (inner === "") problems.report(',
    tests: ["src/blueprint/models"],
  },
];

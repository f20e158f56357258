/** Policy: decisions a second on one core for a policy of a hundred rules, and what an explanation costs beside a decision. */
import { compilePolicy } from "../../src/policy/compile.ts";
import { decide, explain } from "../../src/policy/decide.ts";
import type { PolicyRequest } from "../../src/policy/request.ts";
import type { Rule } from "../../src/policy/rule.ts";
import { EVERYDAY } from "../../src/policy/shipped/everyday.ts";
import { GUARD } from "../../src/policy/shipped/guard.ts";
import type { Figure } from "../figure.ts";
import { median } from "../statistics.ts";

const RULES = 100;

/** The guard, the everyday set, and rules of a house up to a hundred. */
function hundredRules(): readonly Rule[] {
  const shipped = [...GUARD, ...EVERYDAY];
  const own = Array.from({ length: RULES - shipped.length }, (_, index): Rule => {
    const effect = (["allow", "ask", "deny"] as const)[index % 3] ?? "deny";
    const patterns: readonly Rule["pattern"][] = [
      { run: [`tool${index}`, "**"] },
      { edit: `packages/p${index}/**/*.ts` },
      { run: ["git", `verb${index}`, "*"] },
      { fetch: `*.host${index}.example.org` },
    ];
    return { id: `user.${effect}[${index}]`, effect, pattern: patterns[index % patterns.length] as Rule["pattern"] };
  });
  return [...shipped, ...own];
}

const REQUESTS: readonly PolicyRequest[] = [
  { kind: "run", argv: ["npm", "test"] },
  { kind: "run", argv: ["git", "status", "--short"] },
  { kind: "run", argv: ["ls", "-la", "src"] },
  { kind: "run", argv: ["cat", "src/policy/rule.ts"] },
  { kind: "run", argv: ["tool3", "a", "b"] },
  { kind: "run", argv: ["unknown", "x"] },
  { kind: "run", argv: ["git", "push", "--force", "origin", "main"] },
  { kind: "read", path: "src/policy/rule.ts" },
  { kind: "edit", path: "packages/p1/src/a.ts" },
  { kind: "edit", path: ".env" },
  { kind: "fetch", host: "api.host3.example.org", port: 443 },
  { kind: "action", action: "git.commit" },
];

export const policy: Figure = {
  name: "policy",
  async measure({ quick, log }) {
    const compiled = compilePolicy(hundredRules());
    const rounds = quick ? 5 : 11;
    const calls = quick ? 100_000 : 300_000;
    const perSecond = (ask: (request: PolicyRequest) => unknown): number => {
      // Time of the processor: what else runs on the machine is no part of the promise.
      const from = process.cpuUsage();
      for (let call = 0; call < calls; call += 1) ask(REQUESTS[call % REQUESTS.length] as PolicyRequest);
      const { user, system } = process.cpuUsage(from);
      return (calls * 1e6) / (user + system);
    };
    const samples: { decide: number[]; explain: number[] } = { decide: [], explain: [] };
    for (let round = 1; round <= rounds; round += 1) {
      log(`policy: round ${round}/${rounds}`);
      samples.decide.push(perSecond((request) => decide(compiled, request)));
      samples.explain.push(perSecond((request) => explain(compiled, request)));
    }
    const [decided, explained] = [median(samples.decide), median(samples.explain)];
    return {
      tables: [
        {
          title: `Policy of ${RULES} rules, ${REQUESTS.length} kinds of requests, one core (medians)`,
          columns: ["call", "a second", "µs each"],
          rows: [
            ["decide", decided, 1e6 / decided],
            ["explain", explained, 1e6 / explained],
          ],
        },
      ],
      bars: [
        {
          name: "decisions for a policy of 100 rules",
          measured: decided,
          rule: "at_least",
          limit: 200_000,
          unit: "/s",
        },
        { name: "an explanation over a decision", measured: decided / explained, rule: "at_most", limit: 2, unit: "x" },
      ],
      samples,
    };
  },
};

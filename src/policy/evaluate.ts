/** The decision for one request. Default deny; of the rules that match, the strictest wins: deny, then ask, then allow. */
import { describeRequest } from "./describe.ts";
import { matches } from "./match.ts";
import type { PolicyRequest } from "./request.ts";
import type { Decision, Effect, Rule } from "./rule.ts";

const STRICTEST_FIRST: readonly Effect[] = ["deny", "ask", "allow"];

const VERBS: Readonly<Record<Effect, string>> = { deny: "denies", ask: "asks a person about", allow: "allows" };

/** Names the first rule of the winning effect, or `default`, which denies what no rule mentions. */
export function evaluate(rules: readonly Rule[], request: PolicyRequest): Decision {
  if (request.kind === "run" && (request.argv[0] ?? "") === "") {
    return { effect: "deny", rule: "default", why: "an argument list without a program starts nothing" };
  }
  const matching = rules.filter((rule) => matches(rule.pattern, request));
  for (const effect of STRICTEST_FIRST) {
    const rule = matching.find((candidate) => candidate.effect === effect);
    if (rule !== undefined) return { effect, rule: rule.id, why: rule.because ?? reason(rule, request) };
  }
  return { effect: "deny", rule: "default", why: `no rule allows: ${describeRequest(request)}` };
}

function reason(rule: Rule, request: PolicyRequest): string {
  return `rule ${rule.id} ${VERBS[rule.effect]}: ${describeRequest(request)}`;
}

/** The decision for one request. Default deny; of the rules that match, the strictest wins: deny, then ask, then allow. */
import { describeRequest } from "./describe.ts";
import { matches } from "./match.ts";
import type { PolicyRequest } from "./request.ts";
import type { Decision, Effect, Rule } from "./rule.ts";

const STRICTEST_FIRST: readonly Effect[] = ["deny", "ask", "allow"];

/** Names the first rule of the winning effect, or `default`, which denies what no rule mentions. */
export function evaluate(rules: readonly Rule[], request: PolicyRequest): Decision {
  if (request.kind === "run" && (request.argv[0] ?? "") === "") {
    return { effect: "deny", rule: "default", why: "an argument list without a program starts nothing" };
  }
  const matching = rules.filter((rule) => matches(rule.pattern, request));
  for (const effect of STRICTEST_FIRST) {
    const rule = matching.find((candidate) => candidate.effect === effect);
    if (rule === undefined) continue;
    // Nobody is asked about what is allowed: only a question or a refusal says what it is about.
    const why = effect === "allow" ? `rule ${rule.id} allows it` : reason(rule, request);
    return { effect, rule: rule.id, why: rule.because ?? why };
  }
  return { effect: "deny", rule: "default", why: `no rule allows: ${describeRequest(request)}` };
}

function reason(rule: Rule, request: PolicyRequest): string {
  const verb = rule.effect === "deny" ? "denies" : "asks a person about";
  return `rule ${rule.id} ${verb}: ${describeRequest(request)}`;
}

/** The policy engine behind its port. Whatever goes wrong inside it is a deny. */
import { evaluate } from "../../policy/evaluate.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { Decision, Rule } from "../../policy/rule.ts";
import type { PolicyGate } from "../../ports/policy-gate.ts";

export function createPolicyGate(): PolicyGate {
  return { decide };
}

function decide(rules: readonly Rule[], request: PolicyRequest): Decision {
  try {
    return evaluate(rules, request);
  } catch (error) {
    return { effect: "deny", rule: "default", why: `the rules could not be evaluated: ${String(error)}` };
  }
}

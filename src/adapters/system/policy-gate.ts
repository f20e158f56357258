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
    return isText(request) ? evaluate(rules, request) : denied("the request is not made of text");
  } catch {
    return denied("the rules could not be evaluated");
  }
}

/** Rules compare text; a pattern that covers everything would let pass what is none. */
function isText(request: PolicyRequest): boolean {
  switch (request.kind) {
    case "run":
      // `every` skips holes.
      return Array.isArray(request.argv) && Array.from(request.argv).every((argument) => typeof argument === "string");
    case "shell":
      return typeof request.script === "string";
    case "action":
      return typeof request.action === "string";
  }
}

function denied(why: string): Decision {
  return { effect: "deny", rule: "default", why };
}

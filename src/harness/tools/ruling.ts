/** Rulings about calls of tools, made by rules alone: what they ask about waits for a person. */
import { decideCall } from "../../policy/decide-call.ts";
import type { Rule } from "../../policy/rule.ts";
import type { AgentHost } from "../../ports/agents/agent-backend.ts";
import type { PolicyGate } from "../../ports/policy-gate.ts";

export function rulingBy(gate: PolicyGate, rules: readonly Rule[]): AgentHost["decide"] {
  return async (call) => {
    const { effect, why } = decideCall((request) => gate.decide(rules, request), call);
    if (effect === "allow") return { answer: "allow" };
    return { answer: effect === "ask" ? "defer" : "deny", why };
  };
}

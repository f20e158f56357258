/** Rulings: each call of an agent is asked of the same policy as a stage, and held to its toolset. */
import type { AgentPower, Toolset } from "../../plan/agents/agent-signature.ts";
import type { Plan } from "../../plan/plan.ts";
import { decideCall } from "../../policy/decide-call.ts";
import { requestJson } from "../../policy/describe.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { Decision } from "../../policy/rule.ts";
import type { Ruling, ToolCall } from "../../ports/agents/agent-backend.ts";
import type { PolicyGate } from "../../ports/policy-gate.ts";
import { callDigest } from "../../run/approval/deferred-call.ts";
import type { DeferredCall } from "../../run/events.ts";
import type { Deferral } from "../../run/state.ts";

export interface Court {
  /** Never throws. */
  rule(call: ToolCall): Ruling & { readonly rule: string };
  /** The call that a person must decide; null: there is none. */
  deferred(): Pick<Deferral, "call" | "digest" | "why" | "rule"> | null;
  /** Why the path must not be changed; null: it may. */
  edit(path: string): Decision | null;
}

export interface CourtParts {
  readonly plan: Plan;
  readonly policy: PolicyGate;
  readonly toolset: Toolset | null;
  /** A call that a person has allowed; null: none. */
  readonly allowed: Pick<Deferral, "call" | "digest"> | null;
  /** A call that a person has denied, and why; null: none. */
  readonly denied: { readonly digest: string; readonly why: string } | null;
  /** The run is ending: nothing more may begin. */
  readonly isOver: () => boolean;
}

export function createCourt({ plan, policy, toolset, allowed, denied, isOver }: CourtParts): Court {
  let left = allowed?.digest ?? null;
  let deferred: ReturnType<Court["deferred"]> = null;
  const edits = new Set(allowed?.call.requests.flatMap(({ kind, path }) => (kind === "edit" ? [String(path)] : [])));
  const decide = (request: PolicyRequest): Decision => {
    const power = powerOf(request);
    if (toolset !== null && !toolset.powers.includes(power))
      return { effect: "deny", rule: "toolset", why: `toolset ${toolset.name} has no ${power}` };
    const decision = policy.decide(plan.rules, request);
    if (decision.effect !== "allow" || toolset?.asks?.includes(power) !== true) return decision;
    return { effect: "ask", rule: "toolset", why: `toolset ${toolset.name} asks a person about ${power}` };
  };
  /** What a person has said of the call; else a person is asked. */
  const ask = (call: DeferredCall, why: string, rule: string): ReturnType<Court["rule"]> => {
    const digest = callDigest(call);
    if (denied?.digest === digest) return { answer: "deny", why: denied.why, rule };
    if (left === digest) {
      // An approval counts once.
      left = null;
      return { answer: "allow", rule };
    }
    deferred = { call, digest, why, rule };
    return { answer: "defer", why, rule };
  };
  return {
    rule(call) {
      if (isOver()) return { answer: "deny", why: "the run is ending", rule: "run" };
      if (deferred !== null) return { answer: "deny", why: "a person is asked about another call first", rule: "run" };
      const { effect, why, rule } = decideCall(decide, call);
      if (effect === "allow") return { answer: "allow", rule };
      if (effect === "deny" || call.isPart === true) return { answer: "deny", why, rule };
      return ask(callOf(call), why, rule);
    },
    deferred: () => deferred,
    edit(path) {
      const decision = decide({ kind: "edit", path });
      const isAllowed = decision.effect === "allow" || (decision.effect === "ask" && edits.has(path));
      return isAllowed ? null : decision;
    },
  };
}

function requestsOf({ tool, input, requests }: ToolCall): readonly PolicyRequest[] {
  return requests.length === 0 ? [{ kind: "tool", tool, args: input }] : requests;
}

function callOf(call: ToolCall): DeferredCall {
  return { tool: call.tool, input: call.input, requests: requestsOf(call).map(requestJson) };
}

function powerOf({ kind }: PolicyRequest): AgentPower {
  switch (kind) {
    case "read":
    case "edit":
    case "fetch":
    case "mcp":
      return kind;
    case "run":
    case "shell":
    case "git":
      return "run";
    default:
      return "tool";
  }
}

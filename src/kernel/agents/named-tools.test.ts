import { describe, expect, test } from "vitest";
import { createPolicyGate } from "../../adapters/system/policy-gate.ts";
import type { Plan } from "../../plan/plan.ts";
import { APPROVAL_TIER } from "../../policy/decide-call.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { Effect, Pattern } from "../../policy/rule.ts";
import type { ToolCall } from "../../ports/agents/agent-backend.ts";
import { createCourt } from "./ruling.ts";

const EDIT: PolicyRequest = { kind: "edit", path: "src/a.ts" };

function courtOf(...rules: readonly [Effect, Pattern][]) {
  const plan = { rules: rules.map(([effect, pattern], at) => ({ id: `plan.${effect}[${at}]`, effect, pattern })) };
  const parts = { policy: createPolicyGate(), toolset: null, allowed: null, denied: null, isOver: () => false };
  return createCourt({ ...parts, plan: plan as unknown as Plan });
}

function callOf(more: Partial<ToolCall> = {}): ToolCall {
  return { id: "1", tool: "edit_file", input: {}, requests: [EDIT], ...more };
}

describe("a ruling", () => {
  test("hears whoever denies a tool by its name, or asks about it, whatever the tool would do", () => {
    const allow: [Effect, Pattern] = ["allow", { edit: "**" }];
    expect(courtOf(allow).rule(callOf())).toEqual({ answer: "allow", rule: "plan.allow[0]" });
    expect(courtOf(allow, ["deny", { tool: "edit_file" }]).rule(callOf())).toMatchObject({
      answer: "deny",
      rule: "plan.deny[1]",
    });
    expect(courtOf(allow, ["ask", { tool: "edit_*" }]).rule(callOf())).toMatchObject({ answer: "defer" });
    const silent = courtOf(["ask", { tool: "deploy" }]);
    expect(silent.rule(callOf({ tool: "deploy", requests: [] }))).toMatchObject({ answer: "defer" });
    expect(silent.deferred()?.call.requests).toMatchObject([{ kind: "tool", tool: "deploy" }]);
  });

  test("about a part of a call asks nobody: what is not allowed is denied, and other calls go on", () => {
    const court = courtOf(["ask", { read: "secret/**" }], ["allow", { read: "**" }]);
    const part = callOf({ tool: "grep", requests: [{ kind: "read", path: "secret/a" }], isPart: true });
    expect(court.rule(part)).toMatchObject({ answer: "deny", rule: "plan.ask[0]" });
    expect(court.deferred()).toBeNull();
    expect(court.rule(callOf({ requests: [{ kind: "read", path: "a" }] }))).toMatchObject({ answer: "allow" });
  });

  test("leaves to a person what the toolset of the tool wants one for", () => {
    const approval: PolicyRequest = { kind: "tool", tool: "edit_file", args: {}, tier: APPROVAL_TIER };
    const court = courtOf(["allow", { edit: "**" }]);
    expect(court.rule(callOf({ requests: [EDIT, approval] }))).toMatchObject({ answer: "defer", rule: "toolset" });
  });
});

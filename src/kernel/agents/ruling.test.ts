import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { callFor, editCall } from "../../../test/support/test-agents.ts";
import { createPolicyGate } from "../../adapters/system/policy-gate.ts";
import { toolsetOf } from "../../plan/agents/toolsets.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import { type Court, type CourtParts, createCourt } from "./ruling.ts";

const PLAN = planFrom(`version: 1
name: test
policy:
  allow: [{ edit: "src/**" }, { read: "**" }, { run: ["ok", "**"] }, { fetch: docs.org }, { mcp: "docs/*" }, { tool: "think" }, { git: "log" }, { spend: { tokens: 5 } }]
  ask: [{ edit: "CHANGES.md" }]
stages: [{ id: a, command: [ok] }]
`);
const court = (parts: Partial<CourtParts> = {}): Court =>
  createCourt({
    plan: PLAN,
    policy: createPolicyGate(),
    toolset: null,
    allowed: null,
    denied: null,
    isOver: () => false,
    ...parts,
  });
const toolset = (name: string): CourtParts["toolset"] => toolsetOf(name) ?? null;

describe("a ruling", () => {
  it("allows a call only when every request of it is allowed", () => {
    const edits: readonly PolicyRequest[] = [
      { kind: "edit", path: "src/a" },
      { kind: "edit", path: "etc/b" },
    ];
    expect(court().rule(callFor("patch", {}, ...edits))).toMatchObject({ answer: "deny", rule: "default" });
    expect(court().rule(editCall("src/a"))).toEqual({ answer: "allow", rule: "blueprint.allow[0]" });
  });

  it("asks policy for a call that says nothing of what it does, by the name of its tool", () => {
    expect(court().rule(callFor("think", {}))).toMatchObject({ answer: "allow" });
    expect(court().rule(callFor("deploy", {}))).toMatchObject({ answer: "deny" });
  });

  it("defers what a person must allow, and everything after it", () => {
    const asking = court();
    expect(asking.deferred()).toBeNull();
    expect(asking.rule(editCall("CHANGES.md"))).toMatchObject({ answer: "defer", rule: "blueprint.ask[0]" });
    expect(asking.rule(editCall("src/a"))).toMatchObject({
      answer: "deny",
      why: "a person is asked about another call first",
    });
    expect(asking.deferred()).toMatchObject({
      call: { tool: "edit", requests: [{ kind: "edit", path: "CHANGES.md" }] },
    });
  });

  it("allows what a person has allowed once, and nothing like it", () => {
    const first = court();
    first.rule(editCall("CHANGES.md"));
    const allowed = first.deferred();
    const other = { ...editCall("CHANGES.md"), input: { path: "CHANGES.md", text: "other" } };
    expect(court({ allowed }).rule(other)).toMatchObject({ answer: "defer" });
    const then = court({ allowed });
    expect(then.rule({ ...editCall("CHANGES.md"), id: "another" })).toMatchObject({ answer: "allow" });
    expect(then.rule(editCall("CHANGES.md"))).toMatchObject({ answer: "defer" });
    expect(then.edit("CHANGES.md")).toBeNull();
    expect(court().edit("CHANGES.md")).toMatchObject({ effect: "ask" });
    const both = callFor("sh", {}, { kind: "run", argv: ["ok"] }, { kind: "edit", path: "CHANGES.md" });
    const second = court();
    second.rule(both);
    expect(court({ allowed: second.deferred() }).edit("ok")).toMatchObject({ effect: "deny" });
  });

  it("T2: keeps every kind of request to the toolset", () => {
    const kinds: readonly PolicyRequest[] = [
      { kind: "read", path: "a" },
      { kind: "edit", path: "src/a" },
      { kind: "run", argv: ["ok"] },
      { kind: "git", operation: "log", refs: [], force: false },
      { kind: "fetch", host: "docs.org", port: 443 },
      { kind: "mcp", server: "docs", tool: "find" },
      { kind: "spend", tokens: 1, microUsd: 0 },
    ];
    const answers = (name: string): readonly string[] =>
      kinds.map((request) => court({ toolset: toolset(name) }).rule(callFor("t", {}, request)).answer);
    expect(answers("repo_readonly")).toEqual(["allow", "deny", "deny", "deny", "deny", "deny", "allow"]);
    expect(answers("docs_research")).toEqual(["allow", "deny", "deny", "deny", "allow", "deny", "allow"]);
    expect(answers("coding_frontend")).toEqual(["allow", "allow", "allow", "allow", "allow", "allow", "allow"]);
    expect(answers("release_ops")).toEqual(["allow", "defer", "defer", "defer", "deny", "deny", "allow"]);
  });

  it("does not let a toolset allow what policy does not", () => {
    expect(court({ toolset: toolset("coding_frontend") }).rule(editCall("etc/a"))).toMatchObject({ answer: "deny" });
  });

  it("is a no when the run is ending", () => {
    expect(court({ isOver: () => true }).rule(editCall("src/a"))).toMatchObject({ answer: "deny", rule: "run" });
  });
});

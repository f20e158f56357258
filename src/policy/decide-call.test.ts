import { describe, expect, test } from "vitest";
import { compilePolicy } from "./compile.ts";
import { decide } from "./decide.ts";
import { APPROVAL_TIER, decideCall } from "./decide-call.ts";
import type { PolicyRequest } from "./request.ts";
import type { Effect, Pattern, Rule } from "./rule.ts";

const EDIT: PolicyRequest = { kind: "edit", path: "src/a.ts" };
const READ: PolicyRequest = { kind: "read", path: "src/a.ts" };

function effectOf(requests: readonly PolicyRequest[], ...rules: readonly [Effect, Pattern, Partial<Rule>?][]): string {
  const policy = compilePolicy(
    rules.map(([effect, pattern, more], index): Rule => ({ id: `it.${effect}[${index}]`, effect, pattern, ...more })),
  );
  const { effect, rule } = decideCall((request) => decide(policy, request), { tool: "edit_file", input: {}, requests });
  return `${effect} by ${rule}`;
}

describe("a call of a tool", () => {
  test("that would do nothing policy has a word for is asked about by its name", () => {
    expect(effectOf([])).toBe("deny by default");
    expect(effectOf([], ["allow", { tool: "edit_*" }])).toBe("allow by it.allow[0]");
  });

  test("is allowed when all it would do is allowed", () => {
    expect(effectOf([READ, EDIT], ["allow", { read: "**" }], ["allow", { edit: "**" }])).toBe("allow by it.allow[0]");
    expect(effectOf([READ, EDIT], ["allow", { read: "**" }])).toBe("deny by default");
    expect(effectOf([READ, EDIT], ["allow", { read: "**" }], ["ask", { edit: "**" }])).toBe("ask by it.ask[1]");
  });

  test("is not allowed by its name alone, but denied and asked about by it", () => {
    expect(effectOf([EDIT], ["allow", { tool: "edit_file" }])).toBe("deny by default");
    expect(effectOf([EDIT], ["allow", { edit: "**" }], ["deny", { tool: "edit_file" }])).toBe("deny by it.deny[1]");
    expect(effectOf([EDIT], ["allow", { edit: "**" }], ["ask", { tool: "*" }])).toBe("ask by it.ask[1]");
    expect(effectOf([EDIT], ["allow", { edit: "**" }], ["allow", { tool: "*" }])).toBe("allow by it.allow[0]");
  });

  test("that needs a person is asked about, unless a rule mentions the tool", () => {
    const approval: PolicyRequest = { kind: "tool", tool: "edit_file", args: {}, tier: APPROVAL_TIER };
    const edits: [Effect, Pattern] = ["allow", { edit: "**" }];
    expect(effectOf([EDIT, approval], edits)).toBe("ask by toolset");
    expect(effectOf([EDIT, approval])).toBe("deny by default");
    expect(effectOf([EDIT, approval], edits, ["allow", { tool: "edit_file" }])).toBe("allow by it.allow[0]");
    expect(effectOf([EDIT, approval], edits, ["deny", { tool: "edit_file" }])).toBe("deny by it.deny[1]");
  });

  test("is asked about with the tier and for whom", () => {
    const asked: PolicyRequest = { ...EDIT, tier: "high", who: { user: "eve" } };
    const high: Partial<Rule> = { when: [{ field: "tier", op: "eq", values: ["high"] }] };
    const eve: Partial<Rule> = { when: [{ field: "user", op: "eq", values: ["eve"] }] };
    const edits: [Effect, Pattern] = ["allow", { edit: "**" }];
    expect(effectOf([asked], edits, ["deny", { tool: "*" }, high])).toBe("deny by it.deny[1]");
    expect(effectOf([asked], edits, ["deny", { tool: "*" }, eve])).toBe("deny by it.deny[1]");
    expect(effectOf([EDIT], edits, ["deny", { tool: "*" }, high])).toBe("allow by it.allow[0]");
    // Under every tier that it has, whichever comes first.
    for (const both of [
      [EDIT, asked],
      [asked, EDIT],
    ])
      expect(effectOf(both, edits, ["deny", { tool: "*" }, high])).toBe("deny by it.deny[1]");
  });
});

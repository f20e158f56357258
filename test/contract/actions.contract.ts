/** The contract of the Actions port, and of every action in it. */
import { describe, expect, it } from "vitest";
import type { Action, ActionContext, Actions } from "../../src/ports/actions.ts";
import { RUN } from "../support/process-fixture.ts";

export function contextOf(change: Partial<ActionContext> = {}): ActionContext {
  const context = {
    run: RUN,
    stage: "act",
    attempt: 1,
    key: `${RUN}:act:1`,
    signal: new AbortController().signal,
    inputs: {},
    level: "L1" as const,
    tree: null,
    verified: true,
  };
  return { ...context, ...change };
}

export function actionsContract(name: string, create: () => Actions): void {
  describe(`Actions contract: ${name}`, () => {
    it("finds each action by the name in its signature, and no other", () => {
      const actions = create();
      for (const signature of actions.signatures()) {
        const action = actions.get(signature.name);
        expect(action).toMatchObject(signature);
        expect([signature.usesTree, signature.level]).toEqual([action?.usesTree, action?.level]);
      }
      expect(["no.such", "", "__proto__", "constructor"].map((each) => actions.get(each))).toEqual([
        undefined,
        undefined,
        undefined,
        undefined,
      ]);
    });

    it("gives signatures that are plain data with a bound on cost", () => {
      for (const signature of create().signatures()) {
        expect(JSON.parse(JSON.stringify(signature))).toEqual(signature);
        const optional = (["level", "retells", "untrusted", "usesTree", "writes"] as const).filter(
          (member) => signature[member] !== undefined,
        );
        const always = ["cost", "effect", "input", "name", "summary"];
        expect(Object.keys(signature).sort()).toEqual([...always, ...optional].sort());
      }
    });

    it("has actions that start nothing once they were asked to end", async () => {
      const actions = create();
      for (const { name: each, input } of actions.signatures()) {
        const values = Object.fromEntries(Object.keys(input).map((member) => [member, "value"]));
        const report = await (actions.get(each) as Action).perform(values, contextOf({ signal: AbortSignal.abort() }));
        expect(report.ok === false || each === "values.set").toBe(true);
      }
    });
  });
}

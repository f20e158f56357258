import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import type { RunId } from "../../base/ids.ts";
import { beginState } from "../evolve.ts";
import { childOf } from "../plan-index.ts";
import { lookUp } from "./scope.ts";

const created = {
  type: "run.created",
  at: 1,
  run: "r_1" as RunId,
  blueprint: "test",
  plan: "p",
  params: { list: [1] },
} as const;
const { facts } = beginState(created);

describe("lookUp", () => {
  it("tells the latest failure in a line, and nothing where none has failed", () => {
    const last = (lastFailure: typeof facts.lastFailure) =>
      lookUp({ ...facts, lastFailure }, null, ["run", "last_error"]);
    expect(last(null)).toBe("");
    expect(last({ stage: "a", cause: "exit", error: "sh exited with code 1" })).toBe("a: sh exited with code 1");
    expect(last({ stage: "a", cause: "timeout" })).toBe("a: timeout");
  });

  it("has no value for what is not there", () => {
    for (const path of [
      [],
      ["nothing"],
      ["item"],
      ["index"],
      ["stages"],
      ["stages", "a"],
      ["params", "x"],
      ["params", "list", "length"],
      ["params", "__proto__"],
    ]) {
      expect(lookUp(facts, null, path), path.join(".")).toBeUndefined();
    }
  });

  it("finds what is there", () => {
    expect(lookUp(facts, { item: { a: 1 }, index: 2 }, ["item", "a"])).toBe(1);
    expect(lookUp(facts, { item: null, index: 2 }, ["index"])).toBe(2);
    expect(lookUp(facts, null, ["params", "list", "0"])).toBe(1);
    facts.results.set("a", { outcome: "success", cause: "ok" });
    expect(lookUp(facts, null, ["stages", "a", "outcome"])).toBe("success");
    expect(lookUp(facts, null, ["stages", "a", "exit"])).toBeUndefined();
  });
});

describe("a plan", () => {
  it("has no child but its own", () => {
    expect(() => childOf(planFrom("stages:\n  - { id: a, command: [ok] }\n"), "other")).toThrow("has no child other");
  });
});

import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../../test/support/run-plan.ts";
import { restore } from "../../kernel/replay.ts";
import type { RunFacts } from "../state.ts";
import { approvalDigest, approvalScope, type Subject } from "./question.ts";

const PLAN = planFrom("stages:\n  - { id: a, command: [ok] }\n");
const SUBJECT: Subject = {
  place: { path: "a", visit: 1, attempt: 1, tree: "t" },
  request: { kind: "run", argv: ["ok"] },
};

async function factsOf(): Promise<RunFacts> {
  const host = createTestHost(PLAN);
  await host.start();
  return restore(host.run, PLAN, await host.events()).state.facts;
}

describe("what a person allows", () => {
  it.each([
    ["another stage", { place: { ...SUBJECT.place, path: "b" } }],
    ["another visit", { place: { ...SUBJECT.place, visit: 2 } }],
    ["another attempt", { place: { ...SUBJECT.place, attempt: 2 } }],
    ["another tree", { place: { ...SUBJECT.place, tree: "u" } }],
    ["no tree", { place: { ...SUBJECT.place, tree: null } }],
    ["another request", { request: { kind: "run", argv: ["ok", "more"] } }],
    ["no request", { request: null }],
  ] as const)("is not %s", async (_, other) => {
    const facts = await factsOf();
    const digest = approvalDigest(PLAN, facts, SUBJECT);
    expect(approvalDigest(PLAN, facts, { ...SUBJECT })).toBe(digest);
    expect(approvalDigest(PLAN, facts, { ...SUBJECT, ...other })).not.toBe(digest);
  });

  it("is not for another plan, under other rules, or in another run", async () => {
    const facts = await factsOf();
    const digest = approvalDigest(PLAN, facts, SUBJECT);
    const others = [
      approvalDigest(planFrom("stages:\n  - { id: a, command: [ok], timeout: 1s }\n"), facts, SUBJECT),
      approvalDigest({ ...PLAN, policy: "0" }, facts, SUBJECT),
      approvalDigest(PLAN, { ...facts, origin: "r_another" }, SUBJECT),
    ];
    expect(others.filter((other) => other === digest)).toEqual([]);
  });

  it("holds for the whole run only for the same request under the same rule", async () => {
    const facts = await factsOf();
    const scope = approvalScope(PLAN, facts, "r", { a: 1 });
    expect(approvalScope(PLAN, facts, "r", { a: 1 })).toBe(scope);
    const others = [
      approvalScope(PLAN, facts, "q", { a: 1 }),
      approvalScope(PLAN, facts, "r", { a: 2 }),
      approvalScope({ ...PLAN, policy: "0" }, facts, "r", { a: 1 }),
      approvalScope(PLAN, { ...facts, origin: "r_another" }, "r", { a: 1 }),
    ];
    expect(others.filter((other) => other === scope)).toEqual([]);
  });
});

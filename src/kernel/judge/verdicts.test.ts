import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script, type TestHost } from "../../../test/support/run-plan.ts";
import type { Plan } from "../../plan/plan.ts";
import { isVerified } from "../../run/decide.ts";
import type { EventOf } from "../../run/events.ts";

const WORK: NonNullable<Script["work"]> = ({ stage }, files) =>
  stage === "fix" ? files.set("src/a.js", "new") : undefined;

/** Something is made, a process passes it, and a look at the change does not. */
const OVERRULED = `
stages:
  - { id: fix, command: [ok] }
  - { id: check, gate: { command: [ok] } }
  - { id: look, gate: { change: { deny: ["src/**"] } }, on: { fail: ask } }
  - { id: ask, gate: { approval: {} } }
`;

const ESCALATED = `
stages:
  - { id: fix, command: [ok] }
  - { id: check, gate: { command: [ok], escalate: [2] }, on: { escalate: ask } }
  - { id: ask, gate: { approval: {} } }
`;

async function approved(of: string | Plan, script: Script = {}): Promise<TestHost> {
  const plan = typeof of === "string" ? planFrom(of, { level: "L2" }) : of;
  const host = createTestHost(plan, { work: WORK, ...script });
  await host.start();
  const asked = (await host.events()).findLast((event) => event.type === "approval.requested");
  const { stage, id, digest } = asked as EventOf<"approval.requested">;
  await host.resume([
    { type: "approval.answered", stage, id, digest, answer: "approve", by: "ann" },
    { type: "run.resumed", after: "wait" },
  ]);
  return host;
}

describe("several gates of one run", () => {
  it("verify nothing while the latest word of one of them is no pass", async () => {
    const host = createTestHost(planFrom(OVERRULED, { level: "L2" }), { work: WORK });
    const end = await host.start();
    if (end.lost) throw new Error("lost to nobody");
    const { facts } = end.state;
    expect(facts.verified).toEqual({ tree: facts.tree });
    expect(isVerified(facts)).toBe(false);
  });

  it("are not overruled by a person where they said no", async () => {
    const host = await approved(OVERRULED);
    expect((await host.events()).at(-1)).toMatchObject({ type: "run.finished", reason: "unverified" });
  });

  it("are settled by a person whom one of them has asked for", async () => {
    const host = await approved(ESCALATED, { stages: { check: [{ cause: "exit", exit: 2 }] } });
    expect((await host.events()).at(-1)).toMatchObject({ type: "run.finished", reason: "goal_achieved" });
  });

  it("leave what was approved unproved where none of them has asked", async () => {
    const yaml = `stages:\n  - { id: fix, command: [ok] }\n  - { id: ask, gate: { approval: {} } }\n`;
    expect((await (await approved(yaml)).events()).at(-1)).toMatchObject({ reason: "unverified" });
  });
});

describe("a merge gate that does not let it be merged", () => {
  const stages = (on: string, rules: string): string => `version: 1
name: test
policy: { allow: [{ run: ["ok", "**"] }, { action: "git.*" }] }
limits: { rounds: 2 }
stages:
  - { id: fix, command: [ok] }
  - { id: check, gate: { command: [ok] } }
  - { id: mergeable, gate: { merge: { ${rules} } }, on: ${on} }
  - { id: merge, action: git.merge, on_success: done }
${on.includes("ask") ? "  - { id: ask, gate: { approval: {} }, on: { pass: merge } }\n" : ""}`;
  const planOf = (on: string, rules = 'allow: ["docs/**"]'): Plan => planFrom(stages(on, rules), { level: "L3" });
  const endOf = async (host: TestHost) => (await host.events()).at(-1);

  it("leaves a proposal that counts as verified", async () => {
    const host = createTestHost(planOf("{ pass: merge, fail: done, escalate: done }"), { work: WORK });
    const end = await host.start();
    if (end.lost) throw new Error("lost to nobody");
    expect(await endOf(host)).toMatchObject({ status: "succeeded", reason: "proposed" });
    expect(isVerified(end.state.facts)).toBe(true);
  });

  it("makes no success of what was merged all the same", async () => {
    const host = createTestHost(planOf("{ pass: merge, fail: merge, escalate: merge }"), { work: WORK });
    await host.start();
    expect(await endOf(host)).toMatchObject({ status: "failed", reason: "unverified" });
  });

  it("is settled by a person whom it has asked for, and by nobody where it said no", async () => {
    const asks = planOf("{ pass: merge, fail: ask, escalate: ask }");
    expect(await endOf(await approved(asks))).toMatchObject({ reason: "goal_achieved" });
    const said = planOf("{ pass: merge, fail: ask, escalate: ask }", 'deny: ["src/**"]');
    expect(await endOf(await approved(said))).toMatchObject({ reason: "unverified" });
  });

  it("lets it be merged when it passes at last", async () => {
    const plan = planOf("{ pass: merge, fail: fix, escalate: fix }");
    let made = 0;
    const work: Script["work"] = ({ stage }, files) => {
      if (stage !== "fix") return;
      made += 1;
      if (made === 1) files.set("src/a.js", "new");
      else {
        files.delete("src/a.js");
        files.set("docs/a.md", "new");
      }
    };
    const host = createTestHost(plan, { work });
    await host.start();
    expect(await endOf(host)).toMatchObject({ reason: "goal_achieved" });
  });
});

describe("what an attempt that was cut off has left", () => {
  it.each([
    ["command: [ok], sandbox: read_only", false],
    ["command: [ok]", true],
    ["gate: { command: [ok] }", false],
  ])("is saved only where it could write: %s", async (stage, isSaved) => {
    const plan = planFrom(`stages:\n  - { id: fix, command: [ok] }\n  - { id: b, ${stage} }\n`);
    const ended = createTestHost(plan, { work: WORK });
    await ended.start();
    const events = await ended.store.journal.read(ended.run, 0, 100);
    const begun = events.findIndex(({ event }) => event.type === "stage.started" && event.stage === "b");
    const next = createTestHost(plan);
    await next.store.journal.create(
      next.run,
      plan,
      events.slice(0, begun + 1).map(({ event }) => event),
    );
    const place = { run: next.run, member: null, spec: plan.workspace ?? { kind: "clone", from: "head", share: [] } };
    const label = { stage: "fix", attempt: 1, at: 1 };
    const tree = await next.workspaces.base(place.spec, 1);
    await next.workspaces.enter(place, tree, label);
    await next.resume();
    const lost = (await next.events()).find((event) => event.type === "stage.interrupted");
    expect(lost !== undefined && "tree" in lost).toBe(isSaved);
  });
});

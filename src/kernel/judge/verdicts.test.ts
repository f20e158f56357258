import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script, type TestHost } from "../../../test/support/run-plan.ts";
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

async function approved(yaml: string, script: Script = {}): Promise<TestHost> {
  const host = createTestHost(planFrom(yaml, { level: "L2" }), { work: WORK, ...script });
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

import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../test/support/run-plan.ts";
import type { EventOf, Fact } from "../run/events.ts";

function answer(asked: EventOf<"approval.requested">, digest: string, word: string): readonly Fact[] {
  return [
    { type: "approval.answered", stage: asked.stage, id: asked.id, digest, answer: word, by: "ann" },
    { type: "run.resumed", after: "wait" },
  ];
}

async function asking(yaml: string) {
  const host = createTestHost(planFrom(yaml));
  await host.start();
  const asked = (await host.events()).findLast(
    (event): event is EventOf<"approval.requested"> => event.type === "approval.requested",
  );
  if (asked === undefined) throw new Error("nothing was asked");
  return { host, asked };
}

const ASK = "stages:\n  - { id: a, command: [ask, me] }\n";

describe("authorize", () => {
  it("denies what no rule allows, and the run is rejected before anything happens", async () => {
    const host = createTestHost(planFrom("stages:\n  - { id: a, command: [no, rule, for, this] }\n"));
    expect(await host.start()).toMatchObject({ state: { status: "rejected", reason: "policy_denied" } });
    expect(host.executed).toEqual([]);
    expect((await host.events()).find((event) => event.type === "policy.denied")).toMatchObject({
      stage: "a",
      rule: "default",
      request: { kind: "run", argv: ["no", "rule", "for", "this"] },
    });
  });

  it("records the shadow rules that would have decided otherwise", async () => {
    const shadow =
      "version: 1\nname: test\npolicy: { allow: [{ run: [ok] }, { run: [no], shadow: true }], deny: [{ run: [ok], shadow: true }] }\n";
    const allowed = createTestHost(planFrom(`${shadow}stages:\n  - { id: a, command: [ok] }\n`));
    await allowed.start();
    expect((await allowed.events()).find((event) => event.type === "stage.started")).toMatchObject({
      rule: "blueprint.allow[0]",
      shadow: ["blueprint.deny[0]"],
    });
    const denied = createTestHost(planFrom(`${shadow}stages:\n  - { id: a, command: [no] }\n`));
    await denied.start();
    expect((await denied.events()).find((event) => event.type === "policy.denied")).toMatchObject({
      rule: "default",
      shadow: ["blueprint.allow[1]"],
    });
  });

  it("waits for a person, goes on with exactly what was allowed, and names the rule", async () => {
    const { host, asked } = await asking(ASK);
    expect(asked).toMatchObject({ kind: "policy", answers: ["approve", "approve_run", "deny"], stage: "a" });
    expect(await host.resume(answer(asked, asked.digest, "approve"))).toMatchObject({ state: { status: "succeeded" } });
    expect((await host.events()).find((event) => event.type === "stage.started")).toMatchObject({
      rule: "blueprint.ask[0]",
    });
  });

  it("asks again when the answer was for other content", async () => {
    const { host, asked } = await asking(ASK);
    expect(await host.resume(answer(asked, "of-something-else", "approve"))).toMatchObject({
      state: { status: "waiting" },
    });
    expect(host.executed).toEqual([]);
  });

  it("shows everything that would happen, and binds the answer to it", async () => {
    const { asked } = await asking('stages:\n  - { id: a, command: [ask, me], env: { WORD: "x" }, cwd: sub }\n');
    expect(asked.request).toEqual({
      kind: "run",
      argv: ["ask", "me"],
      env: { WORD: "x" },
      cwd: "sub",
      inputs: {},
      wall: expect.objectContaining({ sandbox: "workspace_write", network: [] }),
    });
    const action = await asking(
      "version: 1\nname: test\npolicy: { ask: [ { action: test.work } ] }\nstages:\n  - { id: a, action: test.work, with: { text: hi } }\n",
    );
    expect(action.asked.request).toEqual({ kind: "action", action: "test.work", with: { text: "hi" }, inputs: {} });
    const other = await asking('stages:\n  - { id: a, command: [ask, me], env: { WORD: "y" }, cwd: sub }\n');
    expect(other.asked.digest).not.toBe(asked.digest);
  });

  it("needs a new answer for a new attempt", async () => {
    const yaml = "stages:\n  - { id: a, command: [ask, me], max_attempts: 3 }\n";
    const { host, asked } = await asking(yaml);
    const failing = createTestHost(planFrom(yaml), { store: host.store, stages: { a: [{ cause: "exit", exit: 1 }] } });
    expect(await failing.resume(answer(asked, asked.digest, "approve"))).toMatchObject({
      state: { status: "waiting" },
    });
    expect(failing.executed).toHaveLength(1);
  });

  it("rejects the run when a person denies", async () => {
    const { host, asked } = await asking(ASK);
    expect(await host.resume(answer(asked, asked.digest, "deny"))).toMatchObject({
      state: { status: "rejected", reason: "approval_denied" },
    });
    expect(host.executed).toEqual([]);
  });

  it("needs a new answer for a new visit", async () => {
    const { host, asked } = await asking(
      "limits: { rounds: 2 }\nstages:\n  - { id: a, command: [ask, me], on_failure: a }\n",
    );
    const again = createTestHost(
      planFrom("limits: { rounds: 2 }\nstages:\n  - { id: a, command: [ask, me], on_failure: a }\n"),
      {
        store: host.store,
        stages: { a: [{ cause: "exit", exit: 1 }] },
      },
    );
    expect(await again.resume(answer(asked, asked.digest, "approve"))).toMatchObject({ state: { status: "waiting" } });
    const questions = (await again.events()).filter((event) => event.type === "approval.requested");
    expect(new Set(questions.map((event) => event.digest)).size).toBe(2);
  });

  it("refuses a stage whose reference has no value, without asking policy", async () => {
    const host = createTestHost(
      planFrom(
        'stages:\n  - { id: a, command: [ok], capture: text, on_failure: b }\n  - { id: b, command: [ok, "${stages.a.output}"] }\n',
      ),
      {
        stages: { a: [{ cause: "exit", exit: 1 }] },
      },
    );
    expect(await host.start()).toMatchObject({ state: { status: "failed" } });
    expect((await host.events()).find((event) => event.type === "stage.refused")).toMatchObject({
      stage: "b",
      error: "${stages.a.output} has no value",
    });
  });

  it("binds an answer to the tree that it was given for", async () => {
    const yaml = "stages:\n  - { id: w, command: [ok] }\n  - { id: a, command: [ask, me] }\n";
    const asked = async (text: string) => {
      const host = createTestHost(planFrom(yaml), {
        work: ({ stage }, files) => {
          if (stage === "w") files.set("file", text);
        },
      });
      await host.start();
      const found = (await host.events()).find((event) => event.type === "approval.requested");
      return found?.type === "approval.requested" ? found.digest : "";
    };
    expect(await asked("one")).toBe(await asked("one"));
    expect(await asked("one")).not.toBe(await asked("two"));
  });
});

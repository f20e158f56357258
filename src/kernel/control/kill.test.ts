import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type TestHost } from "../../../test/support/run-plan.ts";
import { NO_USAGE } from "../../base/usage.ts";
import type { ChildReport } from "../../ports/child-runs.ts";
import type { KillScope } from "../../ports/stop/kill-switch.ts";
import { replay } from "../replay.ts";

const TWO = planFrom(`
stages:
  - { id: a, command: [ok], effect: idempotent }
  - { id: b, command: [ok], effect: idempotent }
`);
const KILLED = { lost: false, state: { status: "killed", reason: "kill_switch", detail: "pulled by ann: enough" } };

/** As another process would; the watch of its host then wakes it. */
async function pull(host: TestHost, scope: KillScope = "all", why = "enough"): Promise<void> {
  await host.killSwitch.pull({ scope, by: "ann", why, at: 1 });
  host.inbox.wake();
}

describe("the kill switch", () => {
  it("ends what is under way with a signal that says so, and starts nothing more", async () => {
    const reasons: unknown[] = [];
    const host = createTestHost(TWO, {
      stages: { a: ["hang"] },
      ports: (own) => ({
        executor: {
          ...own.executor,
          async execute(request, signal, onOutput) {
            const report = await own.executor.execute(request, signal, onOutput);
            reasons.push(signal.reason);
            return report;
          },
        },
      }),
    });
    const ended = host.start();
    await host.busy();
    await pull(host, host.run);
    expect(await ended).toMatchObject(KILLED);
    expect([reasons, host.executed.map(({ stage }) => stage)]).toEqual([["kill"], ["a"]]);
    expect(await host.types()).toEqual([
      ...["run.created", "run.started", "stage.started"],
      ...["run.stopping", "stage.finished", "run.finished"],
    ]);
    expect(replay(TWO, await host.events(), host.ports)).toBeNull();
  });

  it("is looked at before the first stage, and says nothing of a reason that nobody gave", async () => {
    const host = createTestHost(TWO);
    await pull(host, "all", "");
    expect(await host.start()).toMatchObject({ state: { status: "killed", detail: "pulled by ann" } });
    expect(host.executed).toEqual([]);
  });

  it("is looked at again when the INTENT is durable, right before the effect", async () => {
    const host = createTestHost(TWO, {
      ports: (own) => ({
        journal: {
          ...own.journal,
          async create(...call) {
            const created = await own.journal.create(...call);
            await pull(host);
            return created;
          },
        },
      }),
    });
    expect(await host.start()).toMatchObject(KILLED);
    expect(host.executed).toEqual([]);
    expect((await host.events()).find(({ type }) => type === "stage.finished")).toMatchObject({
      cause: "killed",
      error: "it was not started: the run is ending",
    });
  });

  it("is looked at once more when the workspace is ready: a signal that has ended starts nothing", async () => {
    const seen: boolean[] = [];
    const host = createTestHost(TWO, {
      ports: (own) => ({
        workspaces: {
          ...own.workspaces,
          async enter(...call) {
            await host.killSwitch.pull({ scope: "all", by: "ann", why: "enough", at: 1 });
            return own.workspaces.enter(...call);
          },
        },
        executor: {
          ...own.executor,
          async execute(_request, signal) {
            seen.push(signal.aborted);
            return { cause: "killed", log: { sha256: "0".repeat(64), bytes: 0, dropped: 0 }, artifacts: {} };
          },
        },
      }),
    });
    expect(await host.start()).toMatchObject(KILLED);
    expect(seen).toEqual([true]);
  });

  it("overtakes a cancel, and is recorded once", async () => {
    const host = createTestHost(TWO, { stages: { a: ["hang"] } });
    const ended = host.start();
    await host.busy();
    host.inbox.ask({ kind: "cancel", by: "bob" });
    host.inbox.ask({ kind: "kill", by: "ann", why: "enough" });
    await pull(host);
    expect(await ended).toMatchObject(KILLED);
    const reasons = (await host.events()).flatMap((event) => (event.type === "run.stopping" ? [event.reason] : []));
    expect(reasons).toEqual(["cancelled", "kill_switch"]);
  });

  it.each(["waiting", "paused"])("ends a run that is %s", async (status) => {
    const text = status === "waiting" ? "command: [ask]" : "command: [ok], on_success: paused";
    const plan = planFrom(`stages:\n  - { id: a, ${text} }\n`);
    const host = createTestHost(plan);
    expect(await host.start()).toMatchObject({ state: { status } });
    await pull(host);
    expect(await host.resume()).toMatchObject(KILLED);
    expect(replay(plan, await host.events(), host.ports)).toBeNull();
  });

  it("waits for an action until it is really over", async () => {
    const host = createTestHost(planFrom("stages:\n  - { id: a, action: test.work, timeout: 5s }\n"), {
      action: async (_input, signal) => {
        await pull(host);
        await new Promise<void>((resolve) => {
          const end = (): unknown => setImmediate(() => setImmediate(resolve));
          signal.addEventListener("abort", end, { once: true });
          if (signal.aborted) end();
        });
        return { ok: true };
      },
    });
    expect(await host.start()).toMatchObject(KILLED);
    expect((await host.events()).find(({ type }) => type === "stage.finished")).toMatchObject({ cause: "ok" });
  });
});

describe("a breaker", () => {
  const REMOTE = planFrom(
    "limits: { consecutive_failures: 99 }\nstages:\n  - { id: a, action: test.remote, max_attempts: 7 }\n",
  );

  async function starts(
    reports: readonly ("fails" | "fails at home" | "works")[],
  ): Promise<{ calls: number; end: unknown; errors: readonly unknown[] }> {
    let calls = 0;
    const host = createTestHost(REMOTE, {
      action: async () => {
        const how = reports[Math.min(calls, reports.length - 1)];
        calls += 1;
        if (how === "works") return { ok: true };
        return { ok: false, error: "no", ...(how === "fails" ? {} : { reached: false }) };
      },
    });
    const end = await host.start();
    const errors = (await host.events()).flatMap((event) => (event.type === "stage.finished" ? [event.error] : []));
    return { calls, end, errors };
  }

  it("keeps an action from another machine that fails again and again, and says until when", async () => {
    const { calls, end, errors } = await starts(["fails"]);
    // The sixth attempt is refused, and is the last.
    expect([calls, errors.length]).toEqual([5, 6]);
    expect(errors.at(-1)).toMatch(
      /^the breaker of action:test\.remote is open: it failed 5 times in a row; it is tried again at \d{4}-\d\d-\d\dT[\d:]{8}Z$/,
    );
    expect(end).toMatchObject({
      state: { status: "blocked", reason: "circuit_open", detail: expect.stringContaining("tried again at") },
    });
  });

  it("does not count what never left this machine, nor what works", async () => {
    expect(await starts(["fails at home"])).toMatchObject({ calls: 7, end: { state: { reason: "stage_failed" } } });
    expect(await starts(["works"])).toMatchObject({ calls: 1, end: { state: { status: "succeeded" } } });
  });

  it("takes the route of a failure where there is one", async () => {
    const plan = planFrom("stages:\n  - { id: a, action: test.remote, on_failure: b }\n  - { id: b, command: [ok] }\n");
    const host = createTestHost(plan);
    await host.store.breakers.park("action:test.remote", 9e12, "used up", 0);
    expect(await host.start()).toMatchObject({ state: { status: "succeeded" } });
    expect(host.executed.map(({ stage }) => stage)).toEqual(["b"]);
  });

  it("says nothing of the target when a kill came first, for an action and for a child", async () => {
    const parent = planFrom("stages:\n  - { id: a, run: { blueprint: ./c.yaml } }\n", {
      children: { "c.yaml": "stages:\n  - { id: x, command: [ok] }\n" },
    });
    for (const plan of [REMOTE, parent]) {
      const ends: string[] = [];
      const host = createTestHost(plan, {
        ports: (own) => ({
          breakers: {
            async admit(...call) {
              await host.killSwitch.pull({ scope: "all", by: "ann", why: "enough", at: 1 });
              return own.breakers.admit(...call);
            },
            async report(_ticket, end) {
              ends.push(end);
            },
          },
        }),
      });
      expect(await host.start()).toMatchObject(KILLED);
      expect(ends).toEqual(["ignored"]);
    }
  });

  const ended = (status: "succeeded" | "failed" | "cancelled" | "blocked" | "timed_out", reason: string): ChildReport =>
    ({ ended: true, status, reason, usage: NO_USAGE, tree: null }) as ChildReport;

  it.each([
    ["success", ended("succeeded", "reported")],
    ["success", ended("failed", "stage_failed")],
    ["failure", ended("failed", "oom")],
    ["failure", ended("timed_out", "max_runtime")],
    ["ignored", ended("cancelled", "cancelled")],
    ["ignored", ended("blocked", "circuit_open")],
    ["ignored", { ended: false, status: "paused", reason: null } as ChildReport],
  ])("counts as a %s: %j of a child", async (end, report) => {
    const plan = planFrom("stages:\n  - { id: a, run: { blueprint: ./c.yaml } }\n", {
      children: { "c.yaml": "stages:\n  - { id: x, command: [ok] }\n" },
    });
    const ends: string[] = [];
    const host = createTestHost(plan, {
      ports: (own) => ({
        children: { run: async () => report },
        breakers: {
          ...own.breakers,
          async report(_ticket, told) {
            ends.push(told);
          },
        },
      }),
    });
    await host.start();
    expect(ends).toEqual([end]);
  });

  it("keeps a child that is open from its start, and one with no known instant too", async () => {
    const plan = planFrom("stages:\n  - { id: a, run: { blueprint: ./c.yaml } }\n", {
      children: { "c.yaml": "stages:\n  - { id: x, command: [ok] }\n" },
    });
    const host = createTestHost(plan, {
      ports: (own) => ({ breakers: { ...own.breakers, admit: async () => ({ go: false, until: null, why: "gone" }) } }),
    });
    expect(await host.start()).toMatchObject({
      state: { reason: "circuit_open", detail: "a: the breaker of loop:test is open: gone" },
    });
  });
});

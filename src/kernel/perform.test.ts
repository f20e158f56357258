import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script } from "../../test/support/run-plan.ts";
import type { ChildReport, ChildRequest } from "../ports/child-runs.ts";
import type { EventOf } from "../run/events.ts";
import { createHalt, type Halt } from "./halt.ts";
import { perform } from "./perform.ts";

const ACTION = planFrom("stages:\n  - { id: a, action: test.work, with: { text: hi }, timeout: 5s }\n");

/** A run that is stopping already. */
function stopped(): Halt {
  const halt = createHalt();
  halt.end("stop");
  halt.end("drain");
  return halt;
}

async function finishedBy(script: Script, plan = ACTION): Promise<EventOf<"stage.finished"> | undefined> {
  const host = createTestHost(plan, script);
  await host.start();
  return (await host.events()).find((event): event is EventOf<"stage.finished"> => event.type === "stage.finished");
}

describe("perform an action", () => {
  it("gives it its input and stores what it reports", async () => {
    const done = await finishedBy({
      action: async (input) => ({
        ok: true,
        output: { said: input["text"] ?? null },
        usage: { tokens: 3, microUsd: 5 },
      }),
    });
    expect(done).toMatchObject({
      outcome: "success",
      cause: "ok",
      output: { said: "hi" },
      usage: { tokens: 3, microUsd: 5 },
    });
  });

  it("makes a failure of what it reports as failed", async () => {
    expect(await finishedBy({ action: async () => ({ ok: false, error: "no luck" }) })).toMatchObject({
      outcome: "failure",
      cause: "exit",
      error: "no luck",
    });
  });

  it("makes a failure of a throw, whatever is thrown", async () => {
    expect(await finishedBy({ action: () => Promise.reject(new Error("boom")) })).toMatchObject({
      cause: "defect",
      error: "action test.work threw: boom",
    });
    expect(await finishedBy({ action: () => Promise.reject("boom") })).toMatchObject({
      error: "action test.work threw: boom",
    });
  });

  it("gives up an action that ignores its time", async () => {
    expect(await finishedBy({ action: () => new Promise(() => {}) })).toMatchObject({
      outcome: "failure",
      cause: "timeout",
      error: "action test.work took longer than 5000 ms",
    });
  });

  it("gives up an action that ignores a cancel", async () => {
    const host = createTestHost(ACTION, {
      action: () => {
        host.inbox.ask({ kind: "cancel", by: "ann" });
        return new Promise(() => {});
      },
    });
    expect(await host.start()).toMatchObject({ state: { status: "cancelled" } });
    expect((await host.events()).find((event) => event.type === "stage.finished")).toMatchObject({ cause: "killed" });
  });

  it("gives up at once when the run is already stopping", async () => {
    const host = createTestHost(ACTION, { action: () => new Promise(() => {}) });
    const stage = ACTION.stages[0];
    if (stage?.kind !== "action") throw new Error("not an action stage");
    const effect = {
      kind: "action",
      stage,
      request: { kind: "action", action: "test.work" },
      input: {},
      inputs: {},
    } as const;
    const flight = { run: host.run, stage: "a", visit: 1, attempt: 1, failures: 0, effect };
    expect(await perform(ACTION, flight, host.ports, stopped())).toMatchObject({ cause: "killed" });
  });

  it("fails a stage whose action this process does not have", async () => {
    expect(await finishedBy({ ports: { actions: { get: () => undefined, signatures: () => [] } } })).toMatchObject({
      outcome: "failure",
      error: "action test.work is not registered in this process",
    });
  });
});

describe("perform a process", () => {
  it("passes on exactly what was resolved, and the output to those who watch", async () => {
    const plan = planFrom(`
params: { word: { default: hello } }
stages:
  - { id: a, command: [ok, "\${params.word}"], env: { WORD: "\${params.word}" }, stall: 3s, timeout: 9s, cwd: sub, effect: once }
`);
    const seen: string[] = [];
    const host = createTestHost(plan, { ports: { onOutput: (_run, stage, text) => seen.push(`${stage}: ${text}`) } });
    await host.start();
    expect(host.executed).toEqual([
      {
        run: host.run,
        stage: "a",
        attempt: 1,
        key: `${host.run}:a:1`,
        argv: ["ok", "hello"],
        env: { WORD: "hello" },
        cwd: "sub",
        timeoutMs: 9000,
        stallMs: 3000,
        capture: "none",
        inputs: {},
        outputs: [],
      },
    ]);
    expect(seen).toEqual(["a: output"]);
  });

  it("lets a gate escalate by the exits it lists and by no other", async () => {
    const plan = planFrom("stages:\n  - { id: g, gate: { command: [ok], escalate: [2] } }\n");
    expect(await finishedBy({ stages: { g: [{ cause: "exit", exit: 2 }] } }, plan)).toMatchObject({
      outcome: "escalate",
    });
    expect(await finishedBy({ stages: { g: [{ cause: "exit", exit: 1 }] } }, plan)).toMatchObject({ outcome: "fail" });
    expect(await finishedBy({ stages: { g: [{ cause: "exit" }] } }, plan)).toMatchObject({ outcome: "fail" });
    expect(await finishedBy({ stages: { g: [{ cause: "signal" }] } }, plan)).toMatchObject({ outcome: "fail" });
  });

  it("stores artifacts by name", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok], outputs: { note: note.txt } }\n");
    const note = { sha256: "ab", bytes: 2 };
    expect(await finishedBy({ stages: { a: [{ artifacts: { note } }] } }, plan)).toMatchObject({ artifacts: { note } });
  });
});

describe("perform a child run", () => {
  const CHILD =
    "version: 1\nname: child\nparams: { word: { default: none } }\npolicy: { allow: [ { run: [ok] } ] }\nstages: [ { id: c, command: [ok] } ]\n";
  const plan = planFrom(
    "stages:\n  - { id: r, run: { blueprint: ./child.yaml, params: { word: hi } }, timeout: 10s, max_attempts: 2, backoff: 1s }\n",
    {
      children: { "child.yaml": CHILD },
    },
  );
  const ended = (report: Partial<ChildReport>): ChildReport =>
    ({
      ended: true,
      status: "succeeded",
      reason: "reported",
      usage: { tokens: 3, microUsd: 0 },
      ...report,
    }) as ChildReport;

  it("hosts the child with its parameters under an id that follows from the parent", async () => {
    const asked: ChildRequest[] = [];
    const script: Script = {
      ports: {
        children: {
          run: async (request) => {
            asked.push(request);
            return ended({ status: "failed", reason: "stage_failed" });
          },
        },
      },
    };
    const host = createTestHost(plan, script);
    expect(await host.start()).toMatchObject({ state: { status: "failed" } });
    expect(asked.map((request) => request.params)).toEqual([{ word: "hi" }, { word: "hi" }]);
    expect(new Set(asked.map((request) => request.run)).size).toBe(2);
    const again = createTestHost(plan, script);
    await again.start();
    expect(asked[2]?.run).toBe(asked[0]?.run);
  });

  it("succeeds with its child and names it", async () => {
    expect(await finishedBy({ ports: { children: { run: async () => ended({}) } } }, plan)).toMatchObject({
      outcome: "success",
      child: expect.stringMatching(/^r_/),
    });
  });

  it("rests while its child rests", async () => {
    const host = createTestHost(plan, {
      ports: { children: { run: async () => ({ ended: false, status: "waiting", reason: "awaiting_approval" }) } },
    });
    expect(await host.start()).toMatchObject({ state: { status: "waiting" } });
    expect((await host.types()).slice(-2)).toEqual(["stage.rested", "run.waiting"]);
  });

  it("goes on with the same child when a person has acted, and after its host was lost", async () => {
    const yaml =
      "stages:\n  - id: p\n    group: { parallel: [ { id: r, run: { blueprint: ./child.yaml } }, { id: x, command: [ask] } ] }\n";
    const grouped = planFrom(yaml, { children: { "child.yaml": CHILD } });
    const asked: string[] = [];
    const children = (report: ChildReport | Promise<never>) => ({
      run: async (request: ChildRequest) => {
        asked.push(request.run);
        return report;
      },
    });
    const resting: ChildReport = { ended: false, status: "waiting", reason: "awaiting_approval" };
    const host = createTestHost(grouped, { ports: { children: children(resting) } });
    await host.start();
    const question = (await host.events()).find((event) => event.type === "approval.requested");
    const approve = {
      type: "approval.answered",
      stage: "p.x",
      digest: question?.type === "approval.requested" ? question.digest : "",
      answer: "approve",
      by: "ann",
    } as const;
    const lost = createTestHost(grouped, {
      store: host.store,
      ports: { children: children(new Promise<never>(() => {})) },
    });
    const abandoned = lost.resume([approve, { type: "run.resumed", after: "wait" }]);
    abandoned.catch(() => {});
    while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const next = createTestHost(grouped, { store: host.store, ports: { children: children(ended({})) } });
    expect(await next.resume()).toMatchObject({ state: { status: "succeeded" } });
    expect(next.reaped).toEqual([]);
    expect(new Set(asked).size).toBe(1);
    expect(asked).toHaveLength(3);
  });

  it("ends a child that takes longer than the stage may", async () => {
    const children = {
      run: (_request: ChildRequest, signal: AbortSignal) =>
        new Promise<ChildReport>((resolve) => {
          signal.addEventListener("abort", () => resolve(ended({ status: "cancelled", reason: "cancelled" })));
        }),
    };
    expect(await finishedBy({ ports: { children } }, plan)).toMatchObject({ cause: "timeout" });
  });

  it("is not started when the run is already stopping", async () => {
    const host = createTestHost(plan);
    const stage = plan.stages[0];
    if (stage?.kind !== "run") throw new Error("not a run stage");
    const flight = {
      run: host.run,
      stage: "r",
      visit: 1,
      attempt: 1,
      failures: 0,
      effect: { kind: "run", stage, params: {} },
    } as const;
    expect(await perform(plan, flight, host.ports, stopped())).toMatchObject({ outcome: "failure", cause: "killed" });
  });
});

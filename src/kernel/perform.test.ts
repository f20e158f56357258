import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script } from "../../test/support/run-plan.ts";
import { pawlError } from "../base/errors.ts";
import { NO_USAGE } from "../base/usage.ts";
import type { ChildReport, ChildRequest } from "../ports/child-runs.ts";
import { JOURNAL_ERRORS } from "../ports/errors/journal-errors.ts";
import { WORKSPACE_ERRORS } from "../ports/errors/workspace-errors.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { EventOf } from "../run/events.ts";
import { createHalt, type Halt } from "./control/halt.ts";
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
    const atOnce = (): never => {
      throw new Error("boom");
    };
    expect(await finishedBy({ action: atOnce })).toMatchObject({ error: "action test.work threw: boom" });
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
    const flight = {
      run: host.run,
      stage: "a",
      visit: 1,
      attempt: 1,
      failures: 0,
      member: null,
      tree: null,
      verified: false,
      base: null,
      before: null,
      startedAt: 0,
      level: "L1" as const,
      degraded: false,
      payment: null,
      deferral: null,
      around: null,
      effect,
    };
    expect((await perform(ACTION, flight, host.ports, stopped())).fact).toMatchObject({
      ...{ cause: "killed", usage: NO_USAGE },
    });
  });

  it("takes numbers that nobody can count for none: less than nothing would be room for more", async () => {
    const most = { tokens: 10, microUsd: 100 };
    for (const usage of [
      { tokens: -7, microUsd: 0 },
      { tokens: 1, microUsd: 0.5 },
      { tokens: Number.NaN, microUsd: 0 },
    ]) {
      const end = await createTestHost(ACTION, { action: async () => ({ ok: true, usage }) }).start();
      expect(end).toMatchObject({ state: { facts: { usage: most } } });
    }
  });

  it("fails a stage whose action this process does not have", async () => {
    expect(await finishedBy({ ports: { actions: { get: () => undefined, signatures: () => [] } } })).toMatchObject({
      outcome: "failure",
      error: "action test.work is not registered in this process",
      usage: NO_USAGE,
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
        folder: `memory:${host.run}/`,
        project: "",
        mounts: [],
        wall: expect.objectContaining({ sandbox: "workspace_write" }),
        cwd: "sub",
        timeoutMs: 9000,
        stallMs: 3000,
        capture: "none",
        inputs: {},
        strip: [],
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
      turns: 0,
      spawned: 0,
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
      ports: {
        children: {
          run: async () => ({
            ended: false,
            status: "waiting",
            reason: "awaiting_approval",
            until: null,
            target: null,
          }),
        },
      },
    });
    expect(await host.start()).toMatchObject({ state: { status: "waiting" } });
    expect((await host.types()).slice(-2)).toEqual(["stage.rested", "run.waiting"]);
  });

  it.each([null, "quota:claude"])("rests until its child goes on by itself (target: %s)", async (target) => {
    const until = 1_700_000_060_000;
    const resting: ChildReport = { ended: false, status: "waiting", reason: "awaiting_quota", until, target };
    const host = createTestHost(plan, { ports: { children: { run: async () => resting } } });
    expect(await host.start()).toMatchObject({ state: { status: "waiting", reason: "awaiting_quota", until, target } });
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
    const resting: ChildReport = {
      ended: false,
      status: "waiting",
      reason: "awaiting_approval",
      until: null,
      target: null,
    };
    const host = createTestHost(grouped, { ports: { children: children(resting) } });
    await host.start();
    const question = (await host.events()).find((event) => event.type === "approval.requested");
    const approve = {
      type: "approval.answered",
      stage: "p.x",
      id: question?.type === "approval.requested" ? question.id : "",
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
      member: null,
      tree: null,
      verified: false,
      base: null,
      before: null,
      startedAt: 0,
      level: "L1" as const,
      degraded: false,
      payment: null,
      deferral: null,
      around: null,
      effect: { kind: "run", stage, params: {} },
    } as const;
    expect((await perform(plan, flight, host.ports, stopped())).fact).toMatchObject({
      outcome: "failure",
      cause: "killed",
    });
  });
});

describe("perform in a workspace", () => {
  const WRITES = "stages:\n  - { id: a, command: [ok], max_attempts: 2, backoff: 1s }\n";
  const left = (host: ReturnType<typeof createTestHost>, tree: unknown) =>
    Object.fromEntries(host.workspaces.tree(String(tree)) ?? []);

  it("gives each attempt the tree that the stage began with, and saves what each left", async () => {
    const seen: string[][] = [];
    const host = createTestHost(planFrom(WRITES), {
      stages: { a: [{ cause: "exit", exit: 1 }, {}] },
      work: ({ attempt }, files) => {
        seen.push([...files.keys()]);
        files.set(`try-${attempt}`, "x");
      },
    });
    await host.start();
    expect(seen).toEqual([["README.md"], ["README.md"]]);
    const trees = (await host.events()).flatMap((event) => (event.type === "stage.finished" ? [event.tree] : []));
    expect(trees.map((tree) => left(host, tree))).toEqual([
      { "README.md": "hello", "try-1": "x" },
      { "README.md": "hello", "try-2": "x" },
    ]);
  });

  it("saves nothing of a stage that may not write", async () => {
    const host = createTestHost(planFrom("stages:\n  - { id: a, command: [ok], sandbox: read_only }\n"));
    await host.start();
    expect((await host.events()).find((event) => event.type === "stage.finished")).not.toHaveProperty("tree");
  });

  it("starts nothing where a run that needs a tree has none", async () => {
    const plan = planFrom(WRITES);
    const stage = plan.stages[0];
    if (stage?.kind !== "command") throw new Error("not a command");
    const host = createTestHost(plan);
    const request = { kind: "run", argv: ["ok"] } as const;
    const effect = { kind: "process", stage, request, argv: ["ok"], env: {}, inputs: {}, strip: [] } as const;
    const flight = {
      run: host.run,
      stage: "a",
      visit: 1,
      attempt: 1,
      failures: 0,
      member: null,
      tree: null,
      verified: false,
      base: null,
      before: null,
      startedAt: 0,
      level: "L1" as const,
      degraded: false,
      payment: null,
      deferral: null,
      around: null,
      effect,
    };
    expect((await perform(plan, flight, host.ports, createHalt())).fact).toMatchObject({ cause: "spawn_error" });
    expect(host.executed).toEqual([]);
  });

  it("fails the stage when the workspace refuses, and stops the host when it breaks", async () => {
    const missing = pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_MISSING", { tree: "t" });
    const refuses = (method: "enter" | "save", error: Error): Partial<KernelPorts> => {
      const { workspaces } = createTestHost(planFrom(WRITES));
      const reject = () => Promise.reject(error);
      return {
        workspaces: {
          ...workspaces,
          enter:
            method === "enter"
              ? reject
              : async () => ({
                  folder: "",
                  project: "",
                  mounts: [],
                  save: reject,
                  content: () => "",
                  remove: async () => {},
                }),
        },
      };
    };
    const plan = planFrom("stages:\n  - { id: a, command: [ok] }\n");
    expect(await finishedBy({ ports: refuses("enter", missing) }, plan)).toMatchObject({
      outcome: "failure",
      cause: "spawn_error",
    });
    expect(await finishedBy({ ports: refuses("save", missing) }, plan)).toMatchObject({
      outcome: "failure",
      cause: "invalid_output",
    });
    const full = [
      pawlError(JOURNAL_ERRORS, "JOURNAL_DISK_FULL", { file: "pawl.db" }),
      pawlError(WORKSPACE_ERRORS, "WORKSPACE_DISK_FULL", { path: "vault.git" }),
    ];
    for (const method of ["enter", "save"] as const)
      for (const error of full) {
        const broken = createTestHost(planFrom(WRITES), { ports: refuses(method, error) });
        await expect(broken.start()).rejects.toBe(error);
      }
  });

  it("removes the workspace of a member once it is saved", async () => {
    const plan = planFrom("stages:\n  - id: g\n    group: { parallel: [ { id: m, command: [ok] } ] }\n");
    const host = createTestHost(plan);
    await host.start();
    expect(host.executed[0]?.folder).toBe(`memory:${host.run}/g.m`);
    expect(host.workspaces.files(`memory:${host.run}/g.m`)).toBeUndefined();
  });

  it("hands the tree of a run to its child, and takes over what the child left", async () => {
    const plan = planFrom("stages:\n  - { id: r, run: { blueprint: ./kid.yaml } }\n", {
      children: { "kid.yaml": "stages: [ { id: k, command: [ok] } ]\n" },
    });
    const given: unknown[] = [];
    const children: KernelPorts["children"] = {
      run: async (request) => {
        given.push(request.tree);
        return {
          ended: true,
          status: "succeeded",
          reason: "reported",
          usage: NO_USAGE,
          turns: 0,
          spawned: 0,
          tree: "of-the-child",
        };
      },
    };
    const host = createTestHost(plan, { ports: { children } });
    expect(await host.start()).toMatchObject({ state: { facts: { tree: "of-the-child" } } });
    expect(given).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/)]);
  });

  it("keeps to the tree that a gate has judged, whatever the gate leaves behind", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { command: [ok] } }\n");
    const host = createTestHost(plan, { work: ({ stage }, files) => files.set(stage, "x") });
    const end = await host.start();
    expect(left(host, end.lost ? "" : end.state.facts.tree)).toEqual({ "README.md": "hello", a: "x" });
  });

  it("tells an action whether a gate has passed exactly the tree it gets", async () => {
    const told = async (yaml: string, stages: Script["stages"] = {}) => {
      const seen: boolean[] = [];
      const { actions } = createTestHost(ACTION).ports;
      const action = actions.get("test.work");
      if (action === undefined) throw new Error("no action");
      const perform: typeof action.perform = async (_, { verified }) => {
        seen.push(verified);
        return { ok: true };
      };
      const ports = { actions: { get: () => ({ ...action, perform }), signatures: actions.signatures } };
      await createTestHost(planFrom(yaml), {
        stages,
        ports,
        work: ({ stage }, files) => files.set(stage, "x"),
      }).start();
      return seen;
    };
    const last = "  - { id: z, action: test.work }\n";
    expect(
      await told(`stages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { command: [ok] } }\n${last}`),
    ).toEqual([true]);
    expect(
      await told(`stages:\n  - { id: g, gate: { command: [ok] } }\n  - { id: a, command: [ok] }\n${last}`),
    ).toEqual([false]);
    expect(await told(`stages:\n  - { id: a, command: [ok] }\n${last}`)).toEqual([false]);
    const failing = `stages:\n  - { id: g, gate: { command: [ok] }, on: { fail: z } }\n${last}`;
    expect(await told(failing, { g: [{ cause: "exit", exit: 1 }] })).toEqual([false]);
  });

  it("takes what a person calls done with what the attempt that ran out of time had left", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok], effect: once, max_attempts: 2 }\n");
    const host = createTestHost(plan, {
      stages: { a: [{ cause: "timeout" }] },
      work: (_, files) => files.set("half", "done"),
    });
    await host.start();
    const asked = (await host.events()).find((event) => event.type === "approval.requested");
    if (asked?.type !== "approval.requested") throw new Error("nothing was asked");
    const end = await host.resume([
      { type: "approval.answered", stage: "a", id: asked.id, digest: asked.digest, answer: "done", by: "ann" },
      { type: "run.resumed", after: "wait" },
    ]);
    expect(left(host, end.lost ? "" : end.state.facts.tree)).toHaveProperty("half");
  });
});

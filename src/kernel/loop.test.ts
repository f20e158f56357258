import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../test/support/run-plan.ts";
import { sha256 } from "../base/digest.ts";
import type { Journal } from "../ports/store/journal.ts";
import type { RunEvent } from "../run/events.ts";

const TWO = planFrom(`
stages:
  - { id: a, command: [ok], effect: idempotent }
  - { id: b, command: [ok], effect: idempotent }
`);

describe("runLoop", () => {
  it("stores each INTENT before its effect and each DONE with the INTENT that follows", async () => {
    const appends: string[][] = [];
    const { store } = createTestHost(TWO);
    const { journal } = store;
    const seen = (events: readonly RunEvent[]): void => {
      appends.push(events.map((event) => event.type));
    };
    const watching: Journal = {
      ...journal,
      create(run, plan, events) {
        seen(events);
        return journal.create(run, plan, events);
      },
      append(run, seq, events) {
        seen(events);
        return journal.append(run, seq, events);
      },
    };
    await createTestHost(TWO, { store, ports: { journal: watching } }).start();
    expect(appends).toEqual([
      ["run.created", "run.started", "stage.started"],
      ["stage.finished", "stage.started"],
      ["stage.finished", "run.finished"],
    ]);
  });

  it("writes byte-equal journals for the same plan, inputs and clock", async () => {
    const digests = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const host = createTestHost(TWO, { stages: { b: [{ cause: "exit", exit: 3, error: "exited" }] } });
      await host.start();
      digests.push(sha256(JSON.stringify(await host.store.journal.read(host.run, 0, 100))));
    }
    expect(digests[0]).toBe(digests[1]);
  });

  it("records time that never runs backwards when the clock jumps", async () => {
    let now = 5_000;
    const host = createTestHost(TWO, { ports: { clock: { now: () => (now -= 100), after: () => () => {} } } });
    await host.start();
    const times = (await host.events()).map((event) => event.at);
    expect([...times].sort((a, b) => a - b)).toEqual(times);
  });

  it("masks secrets before an event is used or stored", async () => {
    const host = createTestHost(TWO, {
      stages: { a: [{ cause: "exit", exit: 1, error: "hunter2hunter2" }] },
      ports: { redact: (event) => JSON.parse(JSON.stringify(event).replaceAll("hunter2hunter2", "[redacted]")) },
    });
    const end = await host.start();
    expect(JSON.stringify(await host.events())).not.toContain("hunter2");
    expect(JSON.stringify(end)).not.toContain("hunter2");
  });

  it("stops without storing anything when another host has written to the run", async () => {
    const host = createTestHost(TWO);
    const { journal } = host.store;
    const rival = createTestHost(TWO, {
      store: host.store,
      ports: {
        journal: {
          ...journal,
          append: async (run, seq, events) => {
            await journal.append(run, seq, [{ type: "run.pausing", by: "rival", at: 1 }]);
            return journal.append(run, seq, events);
          },
        },
      },
    });
    expect(await rival.start()).toEqual({ lost: true });
    const stored = await journal.read(rival.run, 0, 100);
    expect(stored.map((entry) => entry.event.type)).toEqual([
      "run.created",
      "run.started",
      "stage.started",
      "run.pausing",
    ]);
  });

  it("does not call a run ended that another host has taken over at the last moment", async () => {
    const { store } = createTestHost(TWO);
    const { journal } = store;
    const late: Journal = {
      ...journal,
      async append(run, seq, events) {
        const isLast = events.some((event) => event.type === "run.finished");
        if (isLast) await journal.append(run, seq, [{ type: "run.pausing", by: "rival", at: 1 }]);
        return journal.append(run, seq, events);
      },
    };
    expect(await createTestHost(TWO, { store, ports: { journal: late } }).start()).toEqual({ lost: true });
  });

  it("does not host a run that exists already", async () => {
    const host = createTestHost(TWO);
    await host.start();
    expect(await host.start()).toEqual({ lost: true });
  });

  it("ends what is under way on a cancel, and records who asked", async () => {
    const host = createTestHost(TWO, { stages: { a: ["hang"] } });
    const ended = host.start();
    await host.busy();
    host.inbox.ask({ kind: "cancel", by: "ann" });
    expect(await ended).toMatchObject({
      lost: false,
      state: { status: "cancelled", reason: "cancelled", detail: "asked by ann" },
    });
    const finished = (await host.events()).find((event) => event.type === "stage.finished");
    expect(finished).toMatchObject({ stage: "a", cause: "killed" });
  });

  it("pauses at the stage boundary and goes on from there", async () => {
    const host = createTestHost(TWO, { stages: { a: [{ cause: "ok" }] } });
    host.inbox.ask({ kind: "pause", by: "ann" });
    host.inbox.ask({ kind: "pause", by: "bob" });
    expect(await host.start()).toMatchObject({ state: { status: "paused", by: "ann" } });
    expect(host.executed).toEqual([]);
    expect(await host.resume([{ type: "run.resumed", after: "pause" }])).toMatchObject({
      state: { status: "succeeded" },
    });
    expect(host.executed.map((request) => request.stage)).toEqual(["a", "b"]);
  });

  it("cancels a run that rests, and ignores requests that come too late", async () => {
    const host = createTestHost(TWO);
    host.inbox.ask({ kind: "pause", by: "ann" });
    await host.start();
    host.inbox.ask({ kind: "pause", by: "ann" });
    host.inbox.ask({ kind: "cancel", by: "ann" });
    host.inbox.ask({ kind: "cancel", by: "bob" });
    expect(await host.resume()).toMatchObject({ state: { status: "cancelled" } });
    expect((await host.types()).filter((type) => type === "run.finished")).toHaveLength(1);
  });

  it("cancels a run that waits for a person", async () => {
    const host = createTestHost(planFrom("stages:\n  - { id: a, command: [ask] }\n"));
    await host.start();
    host.inbox.ask({ kind: "cancel", by: "ann" });
    expect(await host.resume()).toMatchObject({ state: { status: "cancelled" } });
  });

  it("waits for the backoff between attempts and gives up after max_attempts", async () => {
    const plan = planFrom(`
stages:
  - { id: a, command: [ok], effect: idempotent, max_attempts: 3, backoff: { first: 1s, factor: 2, max: 10s } }
`);
    const host = createTestHost(plan, { stages: { a: [{ cause: "exit", exit: 1 }] } });
    expect(await host.start()).toMatchObject({ state: { status: "failed", reason: "stage_failed" } });
    const starts = (await host.events()).filter((event) => event.type === "stage.started");
    expect(starts.map((event) => event.at - (starts[0]?.at ?? 0))).toEqual([0, 1000, 3000]);
  });

  it("ends the run when its clock is over, whatever is under way", async () => {
    const plan = planFrom("limits: { wall: 2s }\nstages:\n  - { id: a, command: [ok], timeout: 1h }\n");
    const host = createTestHost(plan, { stages: { a: ["hang"] } });
    expect(await host.start()).toMatchObject({ state: { status: "timed_out", reason: "max_runtime" } });
  });

  it("rejects when the journal does, after ending what is under way", async () => {
    const host = createTestHost(TWO, { stages: { a: ["hang"] } });
    const { journal } = host.store;
    const broken = createTestHost(TWO, {
      ports: { journal: { ...journal, append: () => Promise.reject(new Error("disk full")) } },
    });
    await expect(broken.start()).rejects.toThrow("disk full");
  });

  it("rejects when an effect cannot even fail, and leaves the run resumable", async () => {
    const host = createTestHost(TWO, {
      ports: {
        executor: {
          ...createTestHost(TWO).ports.executor,
          execute: () => Promise.reject(new Error("defect")),
        },
      },
    });
    await expect(host.start()).rejects.toThrow("defect");
    expect((await host.types()).at(-1)).toBe("stage.started");
  });

  it("leaves without a record when its host drains", async () => {
    const host = createTestHost(TWO, { stages: { a: ["hang"] } });
    const ended = host.start();
    await host.busy();
    host.inbox.fail("drain");
    await expect(ended).rejects.toBe("drain");
    expect((await host.types()).at(-1)).toBe("stage.started");
  });
});

describe("what an attempt keeps for a next host", () => {
  const GROUP = planFrom("stages:\n  - { id: g, group: { parallel: [ { id: m, command: [ok] } ] } }\n");

  it("is cleared away when the end of the attempt is durable, and not before", async () => {
    const host = createTestHost(GROUP);
    const folder = `memory:${host.run}/g.m`;
    const seen: unknown[] = [];
    const { append } = host.store.journal;
    host.store.journal.append = async (run, first, events) => {
      const isEnd = events.some(({ type }) => type === "stage.finished");
      if (isEnd) seen.push([host.forgotten.length, host.workspaces.files(folder) !== undefined]);
      return append(run, first, events);
    };
    expect(await host.start()).toMatchObject({ lost: false });
    expect(seen).toEqual([[0, true]]);
    expect(host.forgotten).toEqual([{ run: host.run, stage: "g.m", attempt: 1 }]);
    expect(host.workspaces.files(folder)).toBeUndefined();
  });

  it("stays when another host was first, and when this one leaves before it is recorded", async () => {
    const host = createTestHost(GROUP);
    const { append } = host.store.journal;
    host.store.journal.append = async (run, first, events) =>
      events.some(({ type }) => type === "stage.finished")
        ? { appended: false, winner: [] }
        : append(run, first, events);
    expect(await host.start()).toEqual({ lost: true });
    const drained = createTestHost(GROUP, { stages: { "g.m": ["hang"] } });
    const ended = drained.start();
    await drained.busy();
    drained.inbox.fail("drain");
    await expect(ended).rejects.toBe("drain");
    for (const { run, forgotten, workspaces } of [host, drained]) {
      expect(forgotten).toEqual([]);
      expect(workspaces.files(`memory:${run}/g.m`)).toBeDefined();
    }
  });

  it("is left for a sweep when it cannot be cleared away", async () => {
    const { executor } = createTestHost(GROUP).ports;
    const forget = () => Promise.reject(new Error("busy"));
    const host = createTestHost(GROUP, { ports: { executor: { ...executor, forget } } });
    expect(await host.start()).toMatchObject({ state: { status: "succeeded" } });
  });
});

describe("recover", () => {
  it("ends what a dead host left running and records it as lost, before anything is decided", async () => {
    const host = createTestHost(TWO, { stages: { a: ["hang", { cause: "ok" }] } });
    const first = host.start();
    await host.busy();
    host.inbox.fail("killed");
    await expect(first).rejects.toBe("killed");
    const next = createTestHost(TWO, { store: host.store });
    expect(await next.resume()).toMatchObject({ state: { status: "succeeded" } });
    expect(next.reaped).toEqual([`${host.run}:a:1`]);
    expect(next.forgotten.map(({ stage, attempt }) => `${stage} ${attempt}`)).toEqual(["a 1", "a 2", "b 1"]);
    expect(await next.types()).toEqual([
      ...["run.created", "run.started", "stage.started"],
      ...["run.resumed", "stage.interrupted", "stage.started"],
      ...["stage.finished", "stage.started", "stage.finished", "run.finished"],
    ]);
  });

  it("keeps what the lost attempt had written", async () => {
    const host = createTestHost(TWO, { stages: { a: ["hang"] } });
    const first = host.start();
    await host.busy();
    host.inbox.fail("killed");
    await expect(first).rejects.toBe("killed");
    const log = { sha256: "a".repeat(64), bytes: 5, dropped: 0 };
    const { executor } = host.ports;
    const salvaged: unknown[] = [];
    const next = createTestHost(TWO, {
      store: host.store,
      ports: {
        executor: {
          ...executor,
          execute: async () => ({ cause: "ok", exit: 0, log, artifacts: {} }),
          salvage: async (attempt) => {
            salvaged.push(attempt);
            return log;
          },
        },
      },
    });
    await next.resume();
    expect(salvaged).toEqual([{ run: host.run, stage: "a", attempt: 1 }]);
    const lost = (await next.events()).find((event) => event.type === "stage.interrupted");
    expect(lost).toMatchObject({ stage: "a", log });
  });

  it("touches only what was under way", async () => {
    const yaml =
      "stages:\n  - { id: p, group: { parallel: [ { id: x, command: [ok], effect: idempotent }, { id: y, command: [ok], effect: idempotent } ] } }\n";
    const host = createTestHost(planFrom(yaml), { stages: { "p.y": ["hang"] } });
    const first = host.start();
    while (!(await host.types()).includes("stage.finished")) await new Promise((resolve) => setImmediate(resolve));
    host.inbox.fail("killed");
    await expect(first).rejects.toBe("killed");
    const next = createTestHost(planFrom(yaml), { store: host.store });
    expect(await next.resume()).toMatchObject({ state: { status: "succeeded" } });
    expect(next.reaped).toEqual([`${host.run}:p.y:1`]);
    expect(next.executed.map((request) => request.stage)).toEqual(["p.y"]);
  });

  it("asks a person about a lost attempt of a once stage", async () => {
    const plan = planFrom("stages:\n  - { id: a, command: [ok], effect: once }\n");
    const host = createTestHost(plan, { stages: { a: ["hang"] } });
    const first = host.start();
    await host.busy();
    host.inbox.fail("killed");
    await expect(first).rejects.toBe("killed");
    const next = createTestHost(plan, { store: host.store });
    expect(await next.resume()).toMatchObject({ state: { status: "waiting", reason: "awaiting_approval" } });
    expect(next.executed).toEqual([]);
    expect((await next.events()).find((event) => event.type === "approval.requested")).toMatchObject({
      kind: "interrupted",
      answers: ["again", "done", "failed"],
    });
  });
});

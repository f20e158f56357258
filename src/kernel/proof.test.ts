import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script } from "../../test/support/run-plan.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import { createMemoryStore } from "../adapters/memory/store.ts";
import type { ActionContext } from "../ports/actions.ts";
import type { Journal } from "../ports/store/journal.ts";
import type { Certified, Certifier } from "../ports/trust/certifier.ts";
import type { EventOf, RunEvent } from "../run/events.ts";
import type { Moment } from "../run/record/certified.ts";
import { replay } from "./replay.ts";

const PLAN = planFrom(
  `
stages:
  - { id: fix, command: [ok] }
  - { id: check, gate: { command: [ok] } }
  - { id: send, action: test.work }
`,
  { level: "L2" },
);

const REF = { sha256: "c".repeat(64), bytes: 9, key: "k", signature: "s" };
const CERTIFIED: Certified = { ref: REF, trailer: "Pawl-Certificate: sha256:c", summary: "verified" };

interface Asked {
  readonly moment: Moment;
  /** How much was durable when it was asked for. */
  readonly events: number;
}

function certifying(plan = PLAN, script: Script = {}, certified: Certified | null = CERTIFIED) {
  const asked: Asked[] = [];
  const certifier: Certifier = {
    async certify(run, moment) {
      asked.push({ moment, events: (await host.store.journal.read(run, 0, 100)).length });
      return certified;
    },
  };
  const host = createTestHost(plan, { ...script, ports: { ...script.ports, certifier } });
  return { host, asked };
}

/** A world whose action asks for the certificate. */
const asking = (seen: unknown[]): Script => ({
  ports: {
    actions: {
      signatures: () => [],
      get: (name) => ({
        ...{ name, summary: "", effect: "idempotent", cost: { tokens: 0, microUsd: 0 }, input: {} },
        async perform(_, { certificate }: ActionContext) {
          seen.push(await certificate?.());
          return { ok: true };
        },
      }),
    },
  },
});

describe("the end of a run", () => {
  it("carries the certificate over everything that is durable before it", async () => {
    const { host, asked } = certifying();
    await host.start();
    const events = await host.events();
    expect(events.at(-1)).toMatchObject({ type: "run.finished", status: "succeeded", certificate: REF });
    expect(asked).toEqual([{ moment: "end", events: events.length - 1 }]);
    expect(replay(PLAN, events, host.ports)).toBeNull();
  });

  it("carries none where nothing was verified, or the certifier finds nothing to say", async () => {
    const failed = certifying(PLAN, { stages: { check: [{ cause: "exit", exit: 1 }] } });
    const report = certifying(planFrom("stages:\n  - { id: look, command: [ok] }\n"));
    const silent = certifying(PLAN, {}, null);
    for (const { host } of [failed, report, silent]) {
      await host.start();
      const end = (await host.events()).at(-1) as EventOf<"run.finished">;
      expect([end.type, end.certificate]).toEqual(["run.finished", undefined]);
    }
    expect([failed.asked, report.asked, silent.asked.length]).toEqual([[], [], 1]);
  });

  it("does not come while the certificate cannot be made; the next host makes it", async () => {
    const broken: Certifier = { certify: () => Promise.reject(new Error("the disk is full")) };
    const first = createTestHost(PLAN, { ports: { certifier: broken } });
    await expect(first.start()).rejects.toThrow("the disk is full");
    expect((await first.types()).at(-1)).toBe("stage.finished");
    const { host } = certifying(PLAN, { store: first.store });
    await host.resume();
    expect((await host.events()).at(-1)).toMatchObject({ type: "run.finished", certificate: REF });
  });

  it("is not proved by a host that another one has overtaken", async () => {
    const store = createMemoryStore({ clock: createVirtualClock() });
    const isLast = (event: RunEvent): boolean => event.type === "stage.finished" && event.stage === "send";
    const append: Journal["append"] = async (run, seq, events) =>
      events.some(isLast) ? { appended: false, winner: [] } : store.journal.append(run, seq, events);
    const { host, asked } = certifying(PLAN, { store, ports: { journal: { ...store.journal, append } } });
    expect(await host.start()).toEqual({ lost: true });
    expect(asked).toEqual([]);
  });
});

describe("an action", () => {
  it("gets the certificate of the moment its visit began, and its end names it", async () => {
    const seen: unknown[] = [];
    const { host, asked } = certifying(PLAN, asking(seen));
    await host.start();
    expect(seen).toEqual([CERTIFIED]);
    expect(asked[0]?.moment).toEqual({ stage: "send", visit: 1 });
    const end = (await host.events()).findLast((event) => event.type === "stage.finished");
    expect(end).toMatchObject({ stage: "send", certificate: REF });
  });

  it("gets none for a tree that nothing has verified, nor where nobody certifies", async () => {
    const seen: unknown[] = [];
    const unverified = certifying(planFrom("stages:\n  - { id: send, action: test.work }\n"), asking(seen));
    await unverified.host.start();
    await createTestHost(PLAN, asking(seen)).start();
    expect([seen, unverified.asked]).toEqual([[null, null], []]);
  });
});

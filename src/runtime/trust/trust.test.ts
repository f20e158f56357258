import { describe, expect, it, test } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createVirtualClock } from "../../../test/support/virtual-clock.ts";
import { createMemoryStore } from "../../adapters/memory/store.ts";
import { formatRunId, type RunId } from "../../base/ids.ts";
import { gatesDigest } from "../../gates/certificate/digests.ts";
import type { Plan } from "../../plan/plan.ts";
import type { DrillRecord, IncidentRecord } from "../../ports/store/evidence.ts";
import type { Store } from "../../ports/store/store.ts";
import type { EventOf, RunEvent } from "../../run/events.ts";
import type { StopReason, TerminalStatus } from "../../run/reasons.ts";
import { admitHere, type LaunchParts } from "../launch.ts";
import { admitLevel } from "./trust.ts";

const TEXT = `
stages:
  - { id: check, gate: { command: [ok] } }
`;
const plan = (level: Plan["level"], text = TEXT): Plan => planFrom(text, { level });
const NOW = 1_800_000_000_000;
const REF = { sha256: "c".repeat(64), bytes: 1, key: "k", signature: "s" };

let runs = 0;

interface Ended {
  readonly of?: Plan;
  readonly status?: TerminalStatus | "running";
  readonly reason?: StopReason;
  readonly certified?: boolean;
  readonly forked?: boolean;
}

/** A run that ended in this way. */
async function ran({ journal }: Store, ended: Ended = {}): Promise<RunId> {
  const { of = plan("L2"), status = "succeeded", reason = "proposed", certified = true, forked = false } = ended;
  runs += 1;
  const run = formatRunId(Uint8Array.from({ length: 12 }, (_, index) => (runs >> index) & 1));
  const created: EventOf<"run.created"> = {
    ...{ type: "run.created", at: NOW - 1000 + runs, run, blueprint: of.name, plan: of.fingerprint, params: {} },
    ...(forked ? { forked: { run: "r_0", stage: "check", origin: "r_0" } } : {}),
  };
  const proof = certified ? { certificate: REF } : {};
  const end: readonly RunEvent[] =
    status === "running" ? [] : [{ type: "run.finished", at: NOW, status, reason, ...proof }];
  await journal.create(run, of, [created, { type: "run.started", at: NOW }, ...end]);
  return run;
}

async function drilled({ evidence }: Store, of = plan("L3"), fields: Partial<DrillRecord> = {}): Promise<void> {
  const counts = { planted: 8, caught: 8, harmless: 4, passed: 4 };
  const about = { at: NOW, blueprint: of.name, plan: of.fingerprint, gates: gatesDigest(of), by: "ann" };
  await evidence.add({
    kind: "drill",
    id: `e_d${runs}`,
    ...about,
    ...counts,
    ...fields,
  });
}

async function harmed({ evidence }: Store, id: string, fields: Partial<IncidentRecord> = {}): Promise<void> {
  const about = { at: NOW, blueprint: "test", run: "r_1" as RunId, level: "L3", by: "bob" } as const;
  await evidence.add({ kind: "incident", id, ...about, what: "revert", why: "it broke", ...fields });
}

const open = (): Store => createMemoryStore({ clock: createVirtualClock() });
const admit = (store: Store, of = plan("L3"), unearned?: { by: string; why: string }) =>
  admitLevel({ store, root: "/nowhere" }, of, NOW, unearned === undefined ? {} : { unearned });
const unearned = expect.objectContaining({ code: "RUN_LEVEL_UNEARNED" });

async function trusted(count = 5): Promise<Store> {
  const store = open();
  for (let i = 0; i < count; i += 1) await ran(store);
  await drilled(store);
  return store;
}

describe("a run above its earned level", () => {
  it("is refused with exactly the missing evidence", async () => {
    const store = await trusted(3);
    await expect(admit(store)).rejects.toMatchObject({
      code: "RUN_LEVEL_UNEARNED",
      message: expect.stringContaining("with these gates: 3, needs 5"),
    });
    await expect(admit(open())).rejects.toEqual(unearned);
  });

  it("begins when a person says why, and its first event tells what was missing", async () => {
    const missing = [expect.stringContaining("with these gates: 3, needs 5")];
    expect(await admit(await trusted(3), plan("L3"), { by: "ann", why: "a try" })).toEqual({
      unearned: { by: "ann", why: "a try", missing },
    });
  });

  it("begins without a word when it is earned, or needs no evidence", async () => {
    expect(await admit(await trusted())).toEqual({});
    expect(await admit(await trusted(), plan("L3"), { by: "ann", why: "not needed" })).toEqual({});
    for (const level of ["L1", "L2"] as const) expect(await admit(open(), plan(level))).toEqual({});
  });

  it("is refused at L0, which plans only, whoever asks", async () => {
    const plans = expect.objectContaining({ code: "RUN_LEVEL_PLANS" });
    await expect(admit(await trusted(), plan("L0"))).rejects.toEqual(plans);
    await expect(admit(open(), plan("L0"), { by: "ann", why: "a try" })).rejects.toEqual(plans);
  });

  it("is judged by runs of exactly the same gates", async () => {
    const other = plan("L3", TEXT.replace("[ok]", "[ok, other]"));
    await expect(admit(await trusted(), other)).rejects.toEqual(unearned);
  });

  it.each<[string, Ended]>([
    ["failed", { status: "failed", reason: "stage_failed" }],
    ["succeeded without a certificate", { certified: false }],
    ["was ended by a critic", { status: "killed", reason: "critic_killed" }],
    ["had other gates", { of: plan("L2", TEXT.replace("[ok]", "[ok, other]")) }],
  ])("is refused when the last run %s", async (_, last) => {
    const store = await trusted();
    await ran(store, last);
    await expect(admit(store)).rejects.toEqual(unearned);
  });

  it.each<[string, Ended]>([
    ["has not ended", { status: "running" }],
    ["was cancelled", { status: "cancelled", reason: "cancelled" }],
    ["was ended by the kill switch", { status: "killed", reason: "kill_switch" }],
    ["found nothing to do", { reason: "noop", certified: false }],
    ["only reported", { reason: "reported", certified: false }],
    ["is a fork", { forked: true }],
  ])("is not refused because the last run %s, and that one does not count", async (_, last) => {
    const store = await trusted(4);
    await ran(store, last);
    await expect(admit(store)).rejects.toEqual(unearned);
    await ran(store);
    expect(await admit(store)).toEqual({});
  });

  test("L13: is not refused because many runs since found nothing to do", async () => {
    const store = await trusted();
    for (let i = 0; i < 600; i += 1) await ran(store, { reason: "noop", certified: false });
    expect(await admit(store)).toEqual({});
  });

  test("L13: is admitted by runs below it that met all gates but those that only it has", async () => {
    const text = `${TEXT}  - { id: merge, level: L3, gate: { merge: { allow: ["docs/**"] } } }\n`;
    const store = open();
    for (let i = 0; i < 5; i += 1) await ran(store, { of: plan("L2", text) });
    await drilled(store, plan("L3", text), { gatesAtL2: gatesDigest(plan("L2", text)) });
    expect(await admit(store, plan("L3", text))).toEqual({});
    await harmed(store, "e_c", { at: NOW - 1, level: "L2" });
    await expect(admit(store, plan("L2", text))).rejects.toEqual(unearned);
  });

  it("is refused after an incident, also at L2 when the run had no more than that", async () => {
    const store = await trusted();
    await harmed(store, "e_a");
    await expect(admit(store)).rejects.toEqual(unearned);
    expect(await admit(store, plan("L2"))).toEqual({});
    await harmed(store, "e_b", { level: "L2" });
    await expect(admit(store, plan("L2"))).rejects.toEqual(unearned);
  });

  it("is refused for an old incident, however many newer ones there are", async () => {
    const store = open();
    await harmed(store, "e_old", { level: "L2" });
    for (let i = 0; i < 1100; i += 1) await harmed(store, `e_${i}`);
    await expect(admit(store, plan("L2"))).rejects.toEqual(unearned);
  });
});

describe("L13: a run that goes on", () => {
  const PASSED = new Error("asked for its walls");
  /** Everything a run needs to go on but walls, which are asked for last. */
  const parts = {
    ...{ root: "/nowhere", clock: { now: () => NOW }, requireBudget: async () => undefined },
    sandbox: {
      check: async () => {
        throw PASSED;
      },
    },
  } as unknown as LaunchParts;
  const goOn = (store: Store, run: RunId) => admitHere(parts, async () => ({ store, engine: undefined as never }), run);
  const lost = expect.objectContaining({ code: "RUN_LEVEL_LOST" });

  it("is refused when an incident since it began took its level away, also where only the clock says before", async () => {
    for (const level of ["L2", "L3"] as const) {
      const store = open();
      const run = await ran(store, { of: plan(level), status: "running" });
      await expect(goOn(store, run)).rejects.toBe(PASSED);
      await harmed(store, "e_old", { at: NOW - 5000, level });
      await expect(goOn(store, run)).rejects.toBe(PASSED);
      await harmed(store, "e_1", level === "L2" ? { level } : { at: NOW - 5000, run, level });
      await expect(goOn(store, run)).rejects.toEqual(lost);
    }
  });

  it("is not refused when the incident was above it, or its level is earned again", async () => {
    const store = await trusted();
    const [low, high] = [
      await ran(store, { of: plan("L2"), status: "running" }),
      await ran(store, { of: plan("L3"), status: "running" }),
    ];
    await harmed(store, "e_1", { at: NOW - 1000 + runs });
    await expect(goOn(store, low)).rejects.toBe(PASSED);
    await expect(goOn(store, high)).rejects.toEqual(lost);
    for (let i = 0; i < 5; i += 1) await ran(store);
    await drilled(store, plan("L3"), { id: "e_again" });
    await expect(goOn(store, high)).rejects.toBe(PASSED);
  });
});

/**
 * A world for one run that outlives its hosts: it remembers every effect that happened, kills the host at any port
 * call, and lets processes of a dead host go on until they are reaped.
 */

import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createMemoryKillSwitch } from "../../src/adapters/memory/limits/kill-switch.ts";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import { createMemoryWorkspaces, type MemoryWorkspaces } from "../../src/adapters/memory/workspaces.ts";
import { createPolicyGate } from "../../src/adapters/system/policy-gate.ts";
import type { Action, ActionReport } from "../../src/ports/actions.ts";
import type { ChildReport, ChildRequest } from "../../src/ports/child-runs.ts";
import type { Executor, ProcessReport, ProcessRequest } from "../../src/ports/executor.ts";
import type { KernelPorts } from "../../src/ports/kernel-ports.ts";
import type { Journal } from "../../src/ports/store/journal.ts";
import type { RunEvent } from "../../src/run/events.ts";
import type { VirtualClock } from "../support/virtual-clock.ts";
import { type AgentWorld, createAgentWorld, simAgents } from "./agents.ts";
import { type HostMoney, type MoneyWorld, moneyOf } from "./money.ts";
import type { Chance } from "./random.ts";
import { randomRefusal } from "./random-quota.ts";
import { type Ended, randomEnd } from "./shown.ts";
import { createSimGateway } from "./sim-gateway.ts";
import { contentOf, PROJECT, tamper } from "./tampering.ts";

/** One time that an effect happened in the world. */
export interface Happening {
  readonly key: string;
  readonly stage: string;
  readonly attempt: number;
  /** Events that were durable when the effect began. */
  readonly durable: number;
  readonly program: string;
  /** What its folder held when it began; null: it had none. */
  readonly saw: string | null;
}

export interface World {
  readonly happenings: Happening[];
  /** How often each key changed the world; a keyed effect changes it once. */
  readonly applied: Map<string, number>;
  /** Each file that a process leaves there is named after the key of its stage; its text is the attempt. */
  readonly workspaces: MemoryWorkspaces;
  /** Every checkout that was ever made. */
  readonly checkouts: readonly string[];
  readonly agents: AgentWorld;
  readonly money: MoneyWorld;
  readonly crashes: () => number;
  /** Highest number of effects under way at once. */
  readonly peak: () => number;
  /** The ports of a new host; `died` resolves when that host was killed. */
  incarnate(): Incarnation;
}

export interface Incarnation {
  readonly ports: KernelPorts;
  readonly money: HostMoney;
  readonly died: Promise<"died">;
}

export interface WorldOptions {
  readonly dice: Chance;
  /** What a vendor says to those who ask it. */
  readonly vendor?: Chance;
  readonly clock: VirtualClock;
  readonly journal: Journal;
  readonly money: MoneyWorld;
  readonly crashRate: number;
  readonly onOutput?: () => void;
}

/** A promise of its own for each that waits: one for all would keep every dead host in memory. */
const never = (): Promise<never> => new Promise(() => {});

export function createWorld(options: WorldOptions): World {
  const { dice, clock, journal, money } = options;
  const happenings: Happening[] = [];
  const applied = new Map<string, number>();
  const orphans = new Map<string, () => void>();
  const workspaces = createMemoryWorkspaces(PROJECT);
  const checkouts: string[] = [];
  const children = new Map<string, ChildReport>();
  // It remembers nothing but the rules it has read.
  const policy = createPolicyGate();
  const artifacts = createMemoryArtifacts({ maxBytes: 1 << 20 });
  const { breakers } = createMemoryStore({ clock });
  const killSwitch = createMemoryKillSwitch();
  const agents = createAgentWorld();
  let crashes = 0;
  let durable = 0;
  let underWay = 0;
  let peak = 0;

  function incarnate(): Incarnation {
    let alive = true;
    let kill = (_: "died"): void => {};
    const died = new Promise<"died">((resolve) => {
      kill = resolve;
    });
    /** The host may die here; a dead host never goes on. */
    const mortalBy = async (fate: Chance, rate: number): Promise<void> => {
      if (!alive) await never();
      if (!fate.hit(rate)) return;
      alive = false;
      crashes += 1;
      underWay = 0;
      clock.forget();
      kill("died");
      await never();
    };
    const mortal = (): Promise<void> => mortalBy(dice, options.crashRate);
    // A call to a model is many steps: with the full rate none would come to its end.
    const mortalWithMoney = (): Promise<void> => mortalBy(money.dice, options.crashRate / 4);
    const own = moneyOf(money, clock, mortalWithMoney);
    const gateway = createSimGateway({
      dice: money.dice,
      clock,
      artifacts,
      ...own,
      mortal: mortalWithMoney,
    });

    const store = async <T>(write: () => Promise<T>, count: number, stored: (result: T) => boolean): Promise<T> => {
      await mortal();
      const result = await write();
      if (stored(result)) durable += count;
      await mortal();
      return result;
    };

    async function happen(
      request: Pick<ProcessRequest, "key" | "stage" | "attempt"> & Partial<Pick<ProcessRequest, "folder" | "wall">>,
      program: string,
      ms: number,
      signal: AbortSignal,
    ): Promise<boolean> {
      const { key, stage, attempt } = request;
      const held = workspaces.files(request.folder ?? "");
      const happening: Happening = { key, stage, attempt, durable, program, saw: contentOf(held) };
      const files = request.wall?.sandbox === "read_only" ? undefined : held;
      const tampers = files !== undefined && dice.hit(0.5);
      let happened = false;
      const apply = (): void => {
        if (happened) return;
        happened = true;
        happenings.push(happening);
        files?.set(`${key}#${attempt}`, program);
        if (tampers) tamper(dice, files, `${key}#${attempt}`);
        applied.set(request.key, (applied.get(request.key) ?? 0) + 1);
      };
      underWay += 1;
      peak = Math.max(peak, underWay);
      orphans.set(request.key, apply);
      await mortal();
      await clock.sleep(dice.int(ms), signal);
      await mortal();
      if (!signal.aborted) apply();
      await mortal();
      await clock.sleep(dice.int(ms), signal);
      await mortal();
      orphans.delete(request.key);
      underWay -= 1;
      return !signal.aborted;
    }

    const executor: Executor = {
      async execute(request, signal) {
        const [program = ""] = request.argv;
        const slow = dice.hit(0.05);
        const timer = new AbortController();
        const stop = (): void => timer.abort();
        signal.addEventListener("abort", stop, { once: true });
        if (signal.aborted) stop();
        const late = clock.sleep(request.timeoutMs, timer.signal).then(() => {
          if (!timer.signal.aborted) timer.abort("late");
        });
        const ended = await happen(request, program, slow ? request.timeoutMs * 2 : 200, timer.signal);
        const reason = timer.signal.reason as unknown;
        timer.abort();
        await late;
        signal.removeEventListener("abort", stop);
        const said = options.vendor === undefined ? "" : randomRefusal(options.vendor);
        const log = { ...(await artifacts.put(new TextEncoder().encode(said))), dropped: 0 };
        if (!ended) return { cause: reason === "late" ? "timeout" : "killed", error: "ended", log, artifacts: {} };
        return reportOf(randomEnd(dice), request, log);
      },
      salvage: async () => null,
      forget: async () => undefined,
      leave: async () => undefined,
      kept: async () => [],
      async reap(key) {
        // What a dead host left behind may still have had its effect before it was found.
        await mortal();
        const apply = orphans.get(key);
        if (apply !== undefined && dice.hit(0.5)) apply();
        orphans.delete(key);
        await mortal();
      },
    };

    async function reportOf(
      { shown, ...ended }: Ended,
      { evidence }: ProcessRequest,
      log: ProcessReport["log"],
    ): Promise<ProcessReport> {
      const report = { ...ended, log, artifacts: {} };
      if (evidence === undefined) return report;
      if (shown === "") return { ...report, evidence: { problem: "there is no report" } };
      return { ...report, evidence: { ref: await artifacts.put(new TextEncoder().encode(shown)) } };
    }

    /** It goes on with the same child when one of this id exists. */
    async function hostChild({ run, plan, parent }: ChildRequest, signal: AbortSignal): Promise<ChildReport> {
      const known = children.get(run);
      if (known !== undefined) return known;
      if (!applied.has(run)) await happen({ key: run, stage: parent.stage, attempt: 1 }, plan.name, 200, signal);
      const end: Pick<Extract<ChildReport, { ended: true }>, "status" | "reason"> = signal.aborted
        ? { status: "cancelled", reason: "cancelled" }
        : dice.hit(0.7)
          ? { status: "succeeded", reason: "reported" }
          : { status: "failed", reason: "stage_failed" };
      const spawned = dice.int(plan.bound.spawns + 1);
      const report: ChildReport = {
        ended: true,
        ...end,
        usage: { tokens: 0, microUsd: 0 },
        turns: 0,
        spawned,
        tree: null,
      };
      children.set(run, report);
      await mortal();
      return report;
    }

    const action = (name: string, effect: Action["effect"]): Action => ({
      name,
      summary: "simulated",
      effect,
      cost: { tokens: 10, microUsd: 0 },
      input: {},
      async perform(_input, context): Promise<ActionReport> {
        if (dice.hit(0.03)) throw new Error("defect");
        const before = applied.get(context.key) ?? 0;
        if (effect === "keyed" && before > 0) return { ok: true, usage: { tokens: 1, microUsd: 0 } };
        const ended = await happen(context, name, 200, context.signal);
        const usage = { tokens: dice.int(11), microUsd: 0 };
        return ended && dice.hit(0.7) ? { ok: true, usage } : { ok: false, error: "failed", usage };
      },
    });
    const actions = new Map(
      [action("sim.keyed", "keyed"), action("sim.once", "once")].map((entry) => [entry.name, entry]),
    );

    const ports: KernelPorts = {
      journal: {
        ...journal,
        create: (run, plan, events) =>
          store(
            () => journal.create(run, plan, events),
            events.length,
            (result) => result.created,
          ),
        append: (run, seq, events) =>
          store(
            () => journal.append(run, seq, events),
            events.length,
            (result) => result.appended,
          ),
      },
      clock,
      policy,
      executor,
      workspaces: mortalWorkspaces(workspaces, checkouts, mortal),
      trees: {
        ...workspaces,
        async changes(from, to) {
          await mortal();
          return workspaces.changes(from, to);
        },
      },
      artifacts,
      actions: { get: (name) => actions.get(name), signatures: () => [...actions.values()] },
      children: { run: (request, signal) => hostChild(request, signal) },
      agents: simAgents({
        ...{ dice, world: agents, mortal, durable: () => durable },
        happen: ({ process }, signal) => happen(process, "agent", 200, signal),
        edit({ process: { folder, key, attempt } }, path) {
          workspaces.files(folder ?? "")?.set(path, `${key}@${attempt}`);
        },
        call: gateway.call,
      }),
      models: gateway.access,
      redact: (event: RunEvent) => event,
      onOutput: () => {},
      breakers,
      killSwitch,
    };
    return { ports, money: own, died };
  }

  return {
    happenings,
    applied,
    workspaces,
    checkouts,
    agents,
    money,
    crashes: () => crashes,
    peak: () => peak,
    incarnate,
  };
}

/** Between any two steps of a workspace its host may die. */
function mortalWorkspaces(
  workspaces: MemoryWorkspaces,
  checkouts: string[],
  mortal: () => Promise<void>,
): KernelPorts["workspaces"] {
  const risky =
    <A extends readonly unknown[], T>(work: (...call: A) => Promise<T>) =>
    async (...call: A): Promise<T> => {
      await mortal();
      const result = await work(...call);
      await mortal();
      return result;
    };
  return {
    base: risky(workspaces.base),
    uncommitted: risky(workspaces.uncommitted),
    keep: risky(workspaces.keep),
    async enter(...call) {
      const workspace = await risky(workspaces.enter)(...call);
      return { ...workspace, save: risky(workspace.save), remove: risky(workspace.remove) };
    },
    salvage: risky(workspaces.salvage),
    compose: risky(workspaces.compose),
    plant: risky(workspaces.plant),
    drop: risky(workspaces.drop),
    async checkout(...call) {
      const make = async (): ReturnType<typeof workspaces.checkout> => {
        const made = await workspaces.checkout(...call);
        checkouts.push(made.folder);
        return made;
      };
      const checkout = await risky(make)();
      return { ...checkout, remove: risky(checkout.remove) };
    },
    leave: risky(workspaces.leave),
    unsaved: workspaces.unsaved,
    archives: workspaces.archives,
  };
}

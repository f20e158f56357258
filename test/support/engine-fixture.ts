/** Engines over a scripted world: processes and actions end as the script says, and a host can be lost as by a kill. */
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createMemoryFlags, createMemoryKillSwitch } from "../../src/adapters/memory/limits/kill-switch.ts";
import { createMemoryWorkspaces, type MemoryWorkspaces } from "../../src/adapters/memory/workspaces.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { createPolicyGate } from "../../src/adapters/system/policy-gate.ts";
import { effectKey, type RunId } from "../../src/base/ids.ts";
import { createRedactor } from "../../src/base/redact.ts";
import type { EngineParts } from "../../src/engines/embedded/engine.ts";
import type { ActionContext, ActionReport, Actions } from "../../src/ports/actions.ts";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Engine } from "../../src/ports/engine.ts";
import type { Executor, ProcessReport } from "../../src/ports/executor.ts";
import type { KillScope, KillSwitch } from "../../src/ports/stop/kill-switch.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { RunEvent } from "../../src/run/events.ts";
import type { OpenStore } from "../contract/store-fixture.ts";
import { TEST_ACTIONS } from "./plan-from-yaml.ts";
import { PATIENCE_MS } from "./slowness.ts";

/** How one attempt ends; "hang" ends only when it is ended. */
export type Ending = Partial<ProcessReport> | "hang";

export interface EngineScript {
  /** Stage path → endings of its starts in order, whichever host they are on; the last one repeats. A stage not named succeeds. */
  readonly stages?: Readonly<Record<string, readonly Ending[]>>;
  readonly action?: (context: ActionContext) => Promise<ActionReport>;
}

export type EnginePorts = EngineParts["ports"];
export type CreateEngine = (store: Store, ports: EnginePorts) => Engine;

export interface EngineHost {
  readonly engine: Engine;
  readonly store: Store;
  /** As a kill would: nothing that it does from now on has an effect, and its runs are free. */
  lose(): Promise<void>;
}

export interface EngineFixture {
  /** A further host on the same runs, as another process would be. `through` is what its engine gets instead of the store. */
  host(through?: (store: Store) => Store): Promise<EngineHost>;
  /** Every attempt that was started, as `stage attempt`. */
  readonly started: readonly string[];
  /** Keys of the processes under way. */
  readonly alive: ReadonlySet<string>;
  /** Keys that were reaped. */
  readonly reaped: readonly string[];
  /** What calls off each wait of the living hosts. */
  readonly timers: ReadonlySet<() => void>;
  /** Pulls the kill switch, as another process would. */
  kill(scope: KillScope): Promise<void>;
  /** Lets go of it, as a person would. */
  release(): Promise<unknown>;
  /** Moves the time of day. */
  skip(ms: number): void;
}

const NEVER = new Promise<never>(() => {});
const LOG = { sha256: "0".repeat(64), bytes: 0, dropped: 0 };

interface World {
  readonly started: string[];
  readonly alive: Set<string>;
  readonly reaped: string[];
  readonly timers: Set<() => void>;
  skippedMs: number;
  readonly workspaces: MemoryWorkspaces;
  readonly artifacts: Artifacts;
  readonly killSwitch: KillSwitch;
}

/** The tree that every run of these engines may start from. */
export const START_TREE = await createMemoryWorkspaces().base({ kind: "clone", from: "head", share: [] }, 0);

export async function openEngines(
  open: OpenStore,
  create: CreateEngine,
  script: EngineScript = {},
): Promise<EngineFixture> {
  const { store: first, another } = await open();
  let next: Store | null = first;
  const workspaces = createMemoryWorkspaces();
  await workspaces.base({ kind: "clone", from: "head", share: [] }, 0);
  const artifacts = createMemoryArtifacts({ maxBytes: 1 << 20 });
  const world: World = {
    ...{ started: [], alive: new Set(), reaped: [], timers: new Set(), skippedMs: 0 },
    ...{ workspaces, artifacts, killSwitch: createMemoryKillSwitch(createMemoryFlags()) },
  };
  return {
    ...world,
    async host(through = (store) => store) {
      const store = next ?? (await another());
      next = null;
      return startHost(world, script, store, (ports) => {
        const shown = through(store);
        return create(shown, { ...ports, journal: shown.journal, breakers: shown.breakers });
      });
    },
    kill: (scope) => world.killSwitch.pull({ scope, by: "ann", why: "enough", at: 1 }),
    release: () => world.killSwitch.release("all"),
    skip(ms) {
      world.skippedMs += ms;
    },
  };
}

function startHost(
  world: World,
  script: EngineScript,
  store: Store,
  create: (ports: Omit<EnginePorts, "journal" | "breakers">) => Engine,
): EngineHost {
  const death = new AbortController();
  const ports = {
    clock: mortalClock(world, death.signal),
    policy: createPolicyGate(),
    executor: scriptedExecutor(world, script, death.signal),
    actions: {
      get: (name) => {
        const signature = TEST_ACTIONS.find((action) => action.name === name);
        const work = script.action ?? (async () => ({ ok: true }) as const);
        return signature === undefined ? undefined : { ...signature, perform: (_input, context) => work(context) };
      },
      signatures: () => TEST_ACTIONS,
    } satisfies Actions,
    workspaces: world.workspaces,
    trees: world.workspaces,
    artifacts: world.artifacts,
    redact: createRedactor({ secrets: [] }).event,
    onOutput: () => {},
    killSwitch: world.killSwitch,
  };
  return {
    engine: create(ports),
    store,
    async lose() {
      death.abort();
      await store.close();
    },
  };
}

/** The clock of the machine; a host that is lost is never called back. */
function mortalClock(world: World, death: AbortSignal): Clock {
  const clock = createSystemClock();
  return {
    now: () => clock.now() + world.skippedMs,
    after(ms, call) {
      const end = (): void => {
        world.timers.delete(end);
        death.removeEventListener("abort", end);
        callOff();
      };
      const callOff = clock.after(ms, () => {
        end();
        if (!death.aborted) call();
      });
      world.timers.add(end);
      death.addEventListener("abort", end);
      return end;
    },
  };
}

function scriptedExecutor(world: World, { stages }: EngineScript, death: AbortSignal): Executor {
  return {
    async execute({ stage, attempt, key }, signal, onOutput) {
      world.started.push(`${stage} ${attempt}`);
      world.alive.add(key);
      onOutput("output");
      const endings = stages?.[stage] ?? [];
      const start = world.started.filter((line) => line.startsWith(`${stage} `)).length;
      const ending = endings[Math.min(start, endings.length) - 1] ?? {};
      if (ending === "hang") await aborted(signal);
      if (death.aborted) return NEVER;
      world.alive.delete(key);
      if (ending === "hang") return { cause: "killed", error: "ended", log: LOG, artifacts: {} };
      return { ...(ending.cause === undefined ? { exit: 0 } : {}), cause: "ok", log: LOG, artifacts: {}, ...ending };
    },
    salvage: async () => null,
    forget: async () => undefined,
    leave: async () => undefined,
    kept: async () => [],
    async reap(key) {
      world.reaped.push(key);
      world.alive.delete(key);
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Waits until a process of this stage is under way. */
export function busy(fixture: EngineFixture, run: RunId, stage: string, visit = 1): Promise<void> {
  return until(() => fixture.alive.has(effectKey(run, stage, visit)));
}

export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await isTrue()); ) {
    if (performance.now() > end) throw new Error(`it did not happen within ${PATIENCE_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

export async function eventsOf(store: Store, run: RunId): Promise<readonly RunEvent[]> {
  return (await store.journal.read(run, 0, 100_000)).map((stored) => stored.event);
}

const TOLD = "stage attempt round members kind outcome cause after answer status reason".split(" ");

/** What happened, one line per event, without what may differ between two hosts: times, digests, ids. */
export async function story(store: Store, run: RunId): Promise<readonly string[]> {
  return (await eventsOf(store, run)).map((event) => {
    const members = event as unknown as Readonly<Record<string, unknown>>;
    return [event.type, ...TOLD.flatMap((name) => members[name] ?? [])].join(" ");
  });
}

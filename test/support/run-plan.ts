/** Hosts a plan on the real kernel with a scripted world: every process and action ends as the script says. */
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createMemoryKillSwitch } from "../../src/adapters/memory/limits/kill-switch.ts";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import { createMemoryWorkspaces, type Files, type MemoryWorkspaces } from "../../src/adapters/memory/workspaces.ts";
import { createPolicyGate } from "../../src/adapters/system/policy-gate.ts";
import { formatRunId, type RunId } from "../../src/base/ids.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { Landing } from "../../src/kernel/aftermath.ts";
import { createHalt } from "../../src/kernel/control/halt.ts";
import { createInbox, type Inbox } from "../../src/kernel/control/inbox.ts";
import type { Restored } from "../../src/kernel/hosting.ts";
import { type LoopEnd, runLoop } from "../../src/kernel/loop.ts";
import { recover } from "../../src/kernel/recover.ts";
import { restore } from "../../src/kernel/replay.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { ActionReport } from "../../src/ports/actions.ts";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import type { AttemptName, ProcessReport, ProcessRequest } from "../../src/ports/executor.ts";
import type { KernelPorts } from "../../src/ports/kernel-ports.ts";
import type { KillSwitch } from "../../src/ports/stop/kill-switch.ts";
import type { Purse } from "../../src/ports/store/budget.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { Fact, RunEvent } from "../../src/run/events.ts";
import { beginState } from "../../src/run/evolve.ts";
import { TEST_ACTIONS } from "./plan-from-yaml.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** How one attempt ends; "hang" ends only when it is ended. `shown`: what a gate reads of it. */
export type Ending = (Partial<ProcessReport> & { readonly shown?: string }) | "hang";

export interface Script {
  /** Stage path → endings of its attempts in order; the last one repeats. A stage not named succeeds. */
  readonly stages?: Readonly<Record<string, readonly Ending[]>>;
  /** How a start of a process ends, instead of `stages`. */
  readonly endings?: (request: ProcessRequest) => Ending;
  readonly action?: (
    input: Readonly<Record<string, JsonValue | undefined>>,
    signal: AbortSignal,
  ) => Promise<ActionReport>;
  readonly ports?: Partial<KernelPorts> | ((own: KernelPorts) => Partial<KernelPorts>);
  /** What a process does to the files of its workspace. */
  readonly work?: (request: ProcessRequest, files: Files) => void;
  /** What pays for the run. */
  readonly purse?: Purse;
  /** The store of an earlier host of the same run; its workspaces come with it. */
  readonly store?: Store;
}

export interface TestHost {
  readonly run: RunId;
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly ports: KernelPorts;
  readonly workspaces: MemoryWorkspaces;
  readonly inbox: Inbox;
  readonly killSwitch: KillSwitch;
  /** Every process that was started, and every key that was reaped. */
  readonly executed: ProcessRequest[];
  readonly reaped: string[];
  /** Every attempt that was forgotten. */
  readonly forgotten: AttemptName[];
  /** Runs until the loop lets go; time moves by itself. `from`: without a tree, as no run should. */
  start(params?: Readonly<Record<string, JsonValue>>, from?: "nothing"): Promise<LoopEnd>;
  resume(first?: readonly Fact[]): Promise<LoopEnd>;
  /** Resolves when a process is under way. */
  busy(): Promise<void>;
  events(): Promise<readonly RunEvent[]>;
  types(): Promise<readonly string[]>;
}

const ARTIFACTS = new WeakMap<Store, Artifacts>();
const WORKSPACES = new WeakMap<Store, MemoryWorkspaces>();
const LOG = { sha256: "0".repeat(64), bytes: 0, dropped: 0 };

export function createTestHost(plan: Plan, script: Script = {}): TestHost {
  const run = formatRunId(Uint8Array.from({ length: 12 }, (_, index) => index));
  const clock = createVirtualClock();
  const store = script.store ?? createMemoryStore({ clock });
  const workspaces = WORKSPACES.get(store) ?? createMemoryWorkspaces({ "README.md": "hello" });
  WORKSPACES.set(store, workspaces);
  const artifacts = ARTIFACTS.get(store) ?? createMemoryArtifacts({ maxBytes: 1 << 20 });
  ARTIFACTS.set(store, artifacts);
  const inbox = createInbox();
  const killSwitch = createMemoryKillSwitch();
  const executed: ProcessRequest[] = [];
  const reaped: string[] = [];
  const forgotten: AttemptName[] = [];
  const own: KernelPorts = {
    journal: store.journal,
    clock,
    policy: createPolicyGate(),
    executor: {
      async execute(request, signal, onOutput) {
        executed.push(request);
        script.work?.(request, workspaces.files(request.folder ?? "") ?? new Map());
        onOutput("output");
        const endings = script.stages?.[request.stage] ?? [];
        const ending = script.endings?.(request) ?? endings[Math.min(request.attempt, endings.length) - 1] ?? {};
        if (ending === "hang") {
          await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
          return { cause: "killed", error: "ended", log: LOG, artifacts: {} };
        }
        const { shown, ...report } = ending;
        const evidence =
          request.evidence === undefined || shown === undefined
            ? {}
            : { evidence: { ref: await artifacts.put(new TextEncoder().encode(shown)) } };
        return { cause: "ok", exit: 0, log: LOG, artifacts: {}, ...evidence, ...report };
      },
      salvage: async () => null,
      async forget(attempt) {
        forgotten.push(attempt);
      },
      leave: async () => undefined,
      kept: async () => [],
      async reap(key) {
        reaped.push(key);
      },
    },
    actions: {
      get: (name) => {
        const signature = TEST_ACTIONS.find((action) => action.name === name);
        if (signature === undefined) return undefined;
        const work = script.action ?? (async () => ({ ok: true }) as const);
        return { ...signature, perform: (input, context) => work(input, context.signal) };
      },
      signatures: () => TEST_ACTIONS,
    },
    workspaces,
    trees: workspaces,
    artifacts,
    children: { run: () => Promise.reject(new Error("no child expected")) },
    redact: (event) => event,
    onOutput: () => {},
    breakers: store.breakers,
    killSwitch,
  };
  const ports: KernelPorts = { ...own, ...(typeof script.ports === "function" ? script.ports(own) : script.ports) };
  const host = (restored: Restored, first: readonly Landing[]): Promise<LoopEnd> =>
    drive(clock, runLoop({ ...restored, purse: script.purse }, first, ports, inbox));
  const events = async (): Promise<readonly RunEvent[]> =>
    (await store.journal.read(run, 0, 100_000)).map((stored) => stored.event);
  return {
    run,
    clock,
    store,
    ports,
    workspaces,
    inbox,
    killSwitch,
    executed,
    reaped,
    forgotten,
    async start(params = plan.params, from) {
      const tree =
        plan.workspace === null || from === "nothing" ? null : await workspaces.base(plan.workspace, clock.now());
      const created = {
        type: "run.created",
        at: clock.now(),
        run,
        blueprint: plan.name,
        plan: plan.fingerprint,
        params,
        ...(tree === null ? {} : { tree }),
      } as const;
      return host({ run, plan, state: beginState(created), seq: 0, unsaved: [created] }, []);
    },
    async resume(first = []) {
      const restored = { ...restore(run, plan, await events()), purse: script.purse };
      return host(restored, [...(await recover(restored, ports, createHalt())), ...first.map((fact) => ({ fact }))]);
    },
    async busy() {
      while (executed.length === 0) await new Promise((resolve) => setImmediate(resolve));
    },
    events,
    types: async () => (await events()).map((event) => event.type),
  };
}

/** Moves time whenever nothing else can happen. */
async function drive<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  work.then(mark, mark);
  while (!settled) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!settled) clock.advance();
  }
  return work;
}

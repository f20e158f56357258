/** A run that waits for a person, on a scripted world: what is answered, what was applied, and who else may try. */
import { onTestFinished } from "vitest";
import { createMemoryState } from "../../src/adapters/memory/state.ts";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { RunId } from "../../src/base/ids.ts";
import { createEmbeddedEngine } from "../../src/engines/embedded/engine.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { type Approval, approvalsOf } from "../../src/run/approval/approvals.ts";
import type { OpenStore } from "../contract/store-fixture.ts";
import {
  type EngineFixture,
  type EngineHost,
  type EngineScript,
  eventsOf,
  openEngines,
  START_TREE,
} from "./engine-fixture.ts";
import { buildRunId } from "./events-builder.ts";
import { planFrom } from "./plan-from-yaml.ts";
import { tempDir } from "./temp-dir.ts";

/** What the answer lets through is the stage `apply`. */
export const GATE_PLAN: Plan = planFrom(`
stages:
  - { id: work, command: [ok], max_visits: 4 }
  - { id: ask, gate: { approval: { question: "Fine?", expires: 1h, remind: 10m } }, max_visits: 4, on: { fail: work } }
  - { id: apply, command: [ok] }
`);
export const POLICY_PLAN: Plan = planFrom("stages:\n  - { id: apply, command: [ask, it], max_attempts: 3 }\n");

export interface Life {
  readonly fixture: EngineFixture;
  readonly host: EngineHost;
  readonly plan: Plan;
  readonly run: RunId;
  /** The newest question. */
  question(): Promise<Approval>;
  answer(answer: string, id?: string, host?: EngineHost): Promise<void>;
  resume(host?: EngineHost): Promise<void>;
  /** How often what was asked about has happened. */
  applied(): number;
  /** Another run of the same plan, that waits as well. */
  another(): Promise<RunId>;
}

const clock = createSystemClock();

function closing(store: Store): Store {
  onTestFinished(() => store.close());
  return store;
}

const memory: OpenStore = async () => {
  const state = createMemoryState();
  const another = async (): Promise<Store> => closing(createMemoryStore({ clock, state }));
  return { store: await another(), another };
};

export const sqlite: OpenStore = async () => {
  const dir = tempDir();
  const another = async (): Promise<Store> => closing(await openSqliteStore({ dir, clock }));
  return { store: await another(), another };
};

export async function waitingLife(plan: Plan, open: OpenStore = memory, script: EngineScript = {}): Promise<Life> {
  const fixture = await openEngines(
    open,
    ({ runs, lease, control }, ports) => createEmbeddedEngine({ ports, runs, lease, control }),
    script,
  );
  const host = await fixture.host();
  const start = async (): Promise<RunId> => {
    const hosted = await host.engine.start({ run: buildRunId(), plan, params: {}, tree: START_TREE });
    await hosted.ended;
    return hosted.run;
  };
  const run = await start();
  const question = async (of = run): Promise<Approval> => {
    const found = approvalsOf(await eventsOf(host.store, of)).at(-1);
    if (found === undefined) throw new Error("nothing was asked");
    return found;
  };
  return {
    fixture,
    host,
    plan,
    run,
    question: () => question(),
    answer: async (answer, id, by = host) =>
      by.engine.answer(run, { id: id ?? (await question()).id, by: "ann", answer }),
    async resume(by = host) {
      await (await by.engine.resume(run, { by: "ann" })).ended;
    },
    applied: () => fixture.started.filter((line) => line.startsWith("apply ")).length,
    another: start,
  };
}

/** A host that reads the store through a change, as a host that somebody has tampered with would. */
export function tamperedHost(life: Life, change: (store: Store) => Partial<Store["journal"]>): Promise<EngineHost> {
  return life.fixture.host((store) => ({ ...store, journal: { ...store.journal, ...change(store) } }));
}

/** Runs the contracts of engine and child runs against every engine on every store, and that of the policy gate. */
import { onTestFinished } from "vitest";
import { createMemoryState } from "../../src/adapters/memory/state.ts";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { createPolicyGate } from "../../src/adapters/system/policy-gate.ts";
import { createEmbeddedEngine } from "../../src/engines/embedded/engine.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { CreateEngine } from "../support/engine-fixture.ts";
import { tempDir } from "../support/temp-dir.ts";
import { childRunsContract } from "./child-runs.contract.ts";
import { engineContract } from "./engine.contract.ts";
import { engineKillContract } from "./engine-kill.contract.ts";
import { policyGateContract } from "./policy-gate.contract.ts";
import type { OpenStore } from "./store-fixture.ts";

const clock = createSystemClock();

function closing(store: Store): Store {
  onTestFinished(() => store.close());
  return store;
}

const STORES: Record<string, OpenStore> = {
  memory: async () => {
    const state = createMemoryState();
    const another = async (): Promise<Store> => closing(createMemoryStore({ clock, state }));
    return { store: await another(), another };
  },
  sqlite: async () => {
    const dir = tempDir();
    const another = async (): Promise<Store> => closing(await openSqliteStore({ dir, clock }));
    return { store: await another(), another };
  },
};

const ENGINES: Record<string, CreateEngine> = {
  embedded: ({ runs, lease, control }, ports) => createEmbeddedEngine({ ports, runs, lease, control }),
};

for (const [engine, create] of Object.entries(ENGINES)) {
  for (const [store, open] of Object.entries(STORES)) {
    engineContract(`${engine} on ${store}`, open, create);
    engineKillContract(`${engine} on ${store}`, open, create);
    childRunsContract(`${engine} on ${store}`, open, create);
  }
}

policyGateContract("system", createPolicyGate);

/** The Runtime over parts that somebody else has chosen. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pawlError } from "../base/errors.ts";
import type { RunId } from "../base/ids.ts";
import type { Actions } from "../ports/actions.ts";
import type { AgentBackends } from "../ports/agents/agent-backend.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Engine } from "../ports/engine.ts";
import type { Heartbeats } from "../ports/heartbeats.ts";
import type { RunPage, RunRow } from "../ports/store/run-index.ts";
import type { Store } from "../ports/store/store.ts";
import type { Trees } from "../ports/trees.ts";
import { RUN_ERRORS } from "../run/errors.ts";
import { signaturesOf } from "./agents/registry.ts";
import { compileFile } from "./compile-file.ts";
import { admitHere, createLauncher, type LaunchParts } from "./launch.ts";
import { createMoney, type MoneyParts } from "./money/money.ts";
import { treesOfRun } from "./past.ts";
import { loadPolicyLayers, type PolicyFiles } from "./policy/policy-layers.ts";
import type { LiveLog, Runtime } from "./runtime.ts";
import { createLateActions, type LateParts } from "./skills/late-actions.ts";
import { createKiller, type KillParts } from "./stop/kill.ts";
import { type SweepParts, sweepAll } from "./sweep.ts";
import { createApprovals } from "./trust/approvals.ts";
import type { CertifyParts } from "./trust/certify.ts";
import { createTrust } from "./trust/trust.ts";
import { createWaking } from "./waking/parked.ts";

type OutputListener = (run: RunId, stage: string, text: string) => void;

export interface RuntimeParts
  extends LaunchParts,
    SweepParts,
    CertifyParts,
    KillParts,
    LateParts,
    Pick<MoneyParts, "budgetFile"> {
  readonly root: string;
  readonly statePath: string;
  /** Where in its repository the project lies. */
  readonly projectFolder: string;
  openStore(): Promise<Store>;
  createEngine(store: Store, onOutput: OutputListener): Engine;
  readonly artifacts: Artifacts;
  readonly trees: Trees;
  readonly actions: Actions;
  readonly agents: AgentBackends;
  readonly policyFiles: PolicyFiles;
  readonly heartbeats: Pick<Heartbeats, "read">;
  /** Ends the gateway for models, when there is one. */
  closeModels(): Promise<void>;
  liveLog(run: RunId, stage: string, attempt: number): Promise<LiveLog | null>;
}

const MOST_PATCH_BYTES = 64 << 20;

interface Open {
  readonly store: Store;
  readonly engine: Engine;
}

function createCompiler(
  parts: RuntimeParts,
  contextPack: Runtime["contextPack"],
): Pick<Runtime, "policyLayers" | "compile"> {
  const { root, actions, agents, policyFiles } = parts;
  return {
    policyLayers: () => loadPolicyLayers(root, policyFiles),
    compile: (path, options) =>
      compileFile(root, path, options, {
        ...{ actions: actions.signatures(), agents: signaturesOf(agents), policyFiles, contextPack },
      }),
  };
}

export function createRuntime(parts: RuntimeParts): Runtime {
  const listeners = new Set<OutputListener>();
  let opening: Promise<Open> | null = null;

  const open = (): Promise<Open> => {
    opening ??= parts.openStore().then((store) => ({
      store,
      engine: parts.createEngine(store, (run, stage, text) => {
        for (const listener of listeners) listener(run, stage, text);
      }),
    }));
    return opening;
  };
  /** A project without state has no runs, and looking for one creates none. */
  const hasState = (): boolean => opening !== null || existsSync(join(parts.statePath, "pawl.db"));

  /** What is open; a store that could not be opened has nothing to end, and whoever asked for it was told. */
  const opened = async (): Promise<Open | null> => opening?.catch(() => null) ?? null;

  const late = createLateActions(parts, open);

  async function close(): Promise<void> {
    const found = await opened();
    await found?.engine.drain();
    await parts.closeModels();
    await found?.store.close();
  }

  return {
    ...createCompiler(parts, late.contextPack),
    ...createLauncher(parts, open),
    ...createWaking({ root: parts.root, admit: (run) => admitHere(parts, open, run) }, open, hasState),
    ...createApprovals(parts, open, hasState),
    ...createKiller(parts, open, hasState),
    breakers: async (query) => (hasState() ? (await open()).store.breakers.list(query) : { breakers: [], next: null }),
    ...createMoney(parts, open, hasState),
    ...late,
    trees: async (run) => treesOfRun((await open()).store, run),
    diff: (from, to) => parts.trees.diff(from, to, MOST_PATCH_BYTES),
    sweep: async (options) => sweepAll(parts, (await open()).store, options),
    cancel: async (run, by) => (await open()).engine.cancel(run, by),
    pause: async (run, by) => (await open()).engine.pause(run, by),
    async list(query): Promise<RunPage> {
      return hasState() ? (await open()).store.runs.list(query) : { rows: [], next: null };
    },
    // No name is the prefix of every name.
    find: async (name) => findRun(name !== "" && hasState() ? (await open()).store : null, name),
    read: async (run, afterSeq, limit) => (await open()).store.journal.read(run, afterSeq, limit),
    async *follow(run, afterSeq, signal) {
      yield* (await open()).store.journal.follow(run, afterSeq, signal);
    },
    plan: async (fingerprint) => (await open()).store.journal.plan(fingerprint),
    verify: async (run) => (await open()).store.journal.verify(run),
    ...createTrust(parts, open, hasState),
    drill: async (plan, options) => (await import("./trust/drill.ts")).drill(parts, await open(), plan, options),
    replay: async (run) => (await open()).engine.replay(run),
    log: (ref) => parts.artifacts.get(ref.sha256),
    liveLog: (run, stage, attempt) => parts.liveLog(run, stage, attempt),
    heartbeats: (run) => parts.heartbeats.read(run),
    onOutput(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    actions: () => parts.actions.signatures(),
    blueprints: async () => (await import("./blueprint-files.ts")).blueprintFiles(parts.root),
    drain: async () => (await opened())?.engine.drain(),
    close,
  };
}

async function findRun(store: Store | null, name: string): Promise<RunRow> {
  const rows = (await store?.runs.find(name, 5)) ?? [];
  const [row, ...others] = rows;
  if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run: name });
  if (others.length > 0 && row.run !== name)
    throw pawlError(RUN_ERRORS, "RUN_AMBIGUOUS", { run: name, matches: rows.map((match) => match.run) });
  return row;
}

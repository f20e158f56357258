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
import type { LoopStore } from "../ports/loops/loop-store.ts";
import type { Mainline } from "../ports/loops/mainline.ts";
import type { RunPage, RunRow } from "../ports/store/run-index.ts";
import type { Store } from "../ports/store/store.ts";
import type { Trees } from "../ports/trees.ts";
import { RUN_ERRORS } from "../run/errors.ts";
import { signaturesOf } from "./agents/registry.ts";
import { compileFile } from "./compile-file.ts";
import type { Coordination } from "./coordinate/coordination.ts";
import { admitHere, createLauncher, type LaunchParts } from "./launch.ts";
import type { SharedTexts } from "./loops/tick-parts.ts";
import { createMoney, type MoneyParts } from "./money/money.ts";
import { treesOfRun } from "./past.ts";
import { loadPolicyLayers, type PolicyFiles } from "./policy/policy-layers.ts";
import { projectedEngine, rebuildFiles } from "./projections/projected-engine.ts";
import type { LiveLog, Runtime } from "./runtime.ts";
import { createLateActions, type LateParts } from "./skills/late-actions.ts";
import { createKiller, type KillParts } from "./stop/kill.ts";
import { NOTHING_SWEPT, type SweepParts, sweepAll } from "./sweep.ts";
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
  readonly texts: SharedTexts;
  /** Ends the gateway for models, when there is one. */
  closeModels(): Promise<void>;
  openLoops(): Promise<LoopStore>;
  readonly mainline: Mainline;
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
): Pick<Runtime, "policyLayers" | "compile" | "project" | "blueprints" | "foreign" | "doorOf"> {
  const { root, actions, agents, policyFiles } = parts;
  return {
    policyLayers: () => loadPolicyLayers(root, policyFiles),
    compile: (path, options) =>
      compileFile(root, path, options, {
        ...{ actions: actions.signatures(), agents: signaturesOf(agents), policyFiles, contextPack },
      }),
    project: async () => (await import("./loops/load-project.ts")).loadProject(root),
    blueprints: async () => (await import("./blueprint-files.ts")).blueprintFiles(root),
    foreign: async () => (await import("./doors/open-door.ts")).foreignFiles(root),
    doorOf: async (path) => (await import("./doors/open-door.ts")).doorOf(root, path),
  };
}

/** The store of loops is opened with the first question about them; a project without one holds nothing back. */
function createCoordinating(parts: RuntimeParts, open: () => Promise<Open>, hasState: () => boolean) {
  let loops: Promise<LoopStore> | null = null;
  let made: Promise<Coordination> | null = null;
  const make = async (): Promise<Coordination> => {
    loops ??= parts.openLoops();
    const { createCoordination } = await import("./coordinate/coordination.ts");
    return createCoordination({ ...parts, board: (await loops).board, open, hasState });
  };
  const coordination = (): Promise<Coordination> => {
    made ??= make();
    return made;
  };
  return {
    open: coordination,
    async held() {
      if (!existsSync(join(parts.statePath, "loops.db"))) return new Map();
      const { heldLoops } = await import("./coordinate/held.ts");
      return heldLoops(await coordination(), parts.root, parts.clock.now());
    },
    async holdAgain(...given: Parameters<Runtime["holdAgain"]>): ReturnType<Runtime["holdAgain"]> {
      if (!existsSync(join(parts.statePath, "loops.db")))
        return (await import("./coordinate/hold-again.ts")).HELD_NOTHING;
      return (await coordination()).holdAgain(...given);
    },
    close: async (): Promise<void> => (await loops?.catch(() => null))?.close(),
  };
}

function createReading(open: () => Promise<Open>): Pick<Runtime, "read" | "follow" | "plan" | "verify"> {
  return {
    read: async (run, afterSeq, limit) => (await open()).store.journal.read(run, afterSeq, limit),
    async *follow(run, afterSeq, signal) {
      yield* (await open()).store.journal.follow(run, afterSeq, signal);
    },
    plan: async (fingerprint) => (await open()).store.journal.plan(fingerprint),
    verify: async (run) => (await open()).store.journal.verify(run),
  };
}

/** What somebody needs who goes on with the run of another. */
function createTakeover(
  { reaper }: Pick<RuntimeParts, "reaper">,
  open: () => Promise<Open>,
  hasState: () => boolean,
): Pick<Runtime, "row" | "evict"> {
  return {
    row: async (run) => (hasState() ? (await open()).store.runs.get(run) : undefined),
    evict: async (holder) => (await import("./serve/jobs/evict.ts")).evict(reaper, holder),
  };
}

export function createRuntime(parts: RuntimeParts): Runtime {
  const listeners = new Set<OutputListener>();
  let opening: Promise<Open> | null = null;
  const tell: OutputListener = (run, stage, text) => {
    for (const listener of listeners) listener(run, stage, text);
  };
  const projection = { ...parts, onNote: (run: RunId, text: string) => tell(run, "files", `${text}\n`) };

  const open = (): Promise<Open> => {
    opening ??= parts.openStore().then((store) => {
      const engine = parts.createEngine(store, tell);
      return { store, engine: projectedEngine(engine, store, projection) };
    });
    return opening;
  };
  /** A project without state has no runs, and looking for one creates none. */
  const hasState = (): boolean => opening !== null || existsSync(join(parts.statePath, "pawl.db"));

  /** What is open; a store that could not be opened has nothing to end, and whoever asked for it was told. */
  const opened = async (): Promise<Open | null> => opening?.catch(() => null) ?? null;

  const trust = createTrust(parts, open, hasState);
  const late = createLateActions(parts, open, { compile: (...at) => compiler.compile(...at), earned: trust.earned });
  const compiler = createCompiler(parts, late.contextPack);
  const coordination = createCoordinating(parts, open, hasState);

  async function close(): Promise<void> {
    const found = await opened();
    await found?.engine.drain();
    for (const end of [parts.closeModels, coordination.close]) await end();
    await found?.store.close();
  }

  return {
    ...compiler,
    ...createLauncher(parts, open),
    ...createWaking({ root: parts.root, admit: (run) => admitHere(parts, open, run) }, open, hasState),
    ...createApprovals(parts, open, hasState),
    ...createKiller(parts, open, hasState),
    ...createBreakerCare(open, hasState),
    ...createMoney(parts, open, hasState, coordination.held),
    ...late,
    ...createTreeActions(parts, open, hasState),
    cancel: async (run, by) => (await open()).engine.cancel(run, by),
    pause: async (run, by) => (await open()).engine.pause(run, by),
    async list(query): Promise<RunPage> {
      return hasState() ? (await open()).store.runs.list(query) : { rows: [], next: null };
    },
    ...createTakeover(parts, open, hasState),
    // No name is the prefix of every name.
    find: async (name) => findRun(name !== "" && hasState() ? (await open()).store : null, name),
    ...createReading(open),
    rebuild: async (run) => rebuildFiles((await open()).store, run, projection),
    ...trust,
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
    ...{ coordination: coordination.open, holdAgain: coordination.holdAgain },
    drain: async () => (await opened())?.engine.drain(),
    close,
  };
}

function createBreakerCare(
  open: () => Promise<Open>,
  hasState: () => boolean,
): Pick<Runtime, "breakers" | "resetBreaker"> {
  return {
    breakers: async (query) => (hasState() ? (await open()).store.breakers.list(query) : { breakers: [], next: null }),
    resetBreaker: async (target) => hasState() && (await open()).store.breakers.reset(target),
  };
}

function createTreeActions(
  parts: RuntimeParts,
  open: () => Promise<Open>,
  hasState: () => boolean,
): Pick<Runtime, "trees" | "diff" | "sweep"> {
  return {
    trees: async (run) => treesOfRun((await open()).store, run),
    diff: (from, to) => parts.trees.diff(from, to, MOST_PATCH_BYTES),
    sweep: async (options) => (hasState() ? sweepAll(parts, (await open()).store, options) : NOTHING_SWEPT),
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

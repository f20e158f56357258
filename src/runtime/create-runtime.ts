/** The Runtime over parts that somebody else has chosen. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pawlError } from "../base/errors.ts";
import type { RunId } from "../base/ids.ts";
import type { ResumeOutlook } from "../loops/why/facts.ts";
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
import { compileFile } from "./blueprints/compile-file.ts";
import type { Coordination } from "./coordinate/coordination.ts";
import { reopened } from "./late/reopened.ts";
import { admitHere, createLauncher, type LaunchParts } from "./launch.ts";
import type { SharedTexts } from "./loops/tick-parts.ts";
import type { OpenMachine } from "./machine/enter-machine.ts";
import { createMoney, type MoneyParts } from "./money/money.ts";
import { treesOfRun } from "./past.ts";
import { loadPolicyLayers, type PolicyFiles } from "./policy/policy-layers.ts";
import { projectedEngine, rebuildFiles } from "./projections/projected-engine.ts";
import type { AnswerParts } from "./resume/answer-and-resume.ts";
import { type AdmissionActions, createAdmissions } from "./resume/run-admission.ts";
import type { LiveLog, Runtime } from "./runtime.ts";
import { createLateActions, type LateParts } from "./skills/late-actions.ts";
import { createKiller, type KillParts } from "./stop/kill.ts";
import { NOTHING_SWEPT, type SweepParts, sweepAll } from "./sweep.ts";
import { type ApprovalActions, createApprovals } from "./trust/approvals.ts";
import type { CertifyParts } from "./trust/certify.ts";
import type { VerifyParts } from "./trust/damage.ts";
import { createTrust } from "./trust/trust.ts";
import { createAnswerListeners } from "./waking/answer-listeners.ts";
import { createWaking, type WakeActions } from "./waking/parked.ts";

type OutputListener = (run: RunId, stage: string, text: string) => void;

export interface RuntimeParts
  extends LaunchParts,
    SweepParts,
    CertifyParts,
    KillParts,
    VerifyParts,
    LateParts,
    Pick<MoneyParts, "budgetFile"> {
  readonly root: string;
  readonly statePath: string;
  /** Where in its repository the project lies. */
  readonly projectFolder: string;
  /** Throws JOURNAL_LOST, LOOPS_LOST or JOURNAL_CORRUPT; a project that never had a run is none of these. */
  requireState(): void;
  openStore(): Promise<Store>;
  createEngine(store: Store, onOutput: OutputListener): Engine;
  readonly artifacts: Artifacts;
  readonly trees: Trees;
  readonly actions: Actions;
  readonly agents: AgentBackends;
  readonly policyFiles: PolicyFiles;
  readonly heartbeats: Pick<Heartbeats, "read">;
  readonly texts: SharedTexts;
  readonly openMachine: OpenMachine;
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
    blueprints: async () => (await import("./blueprints/blueprint-files.ts")).blueprintFiles(root),
    foreign: async () => (await import("./doors/open-door.ts")).foreignFiles(root),
    doorOf: async (path) => (await import("./doors/open-door.ts")).doorOf(root, path),
  };
}

/** The store of loops is opened with the first question about them; a project without one holds nothing back. */
function createCoordinating(parts: RuntimeParts, open: () => Promise<Open>, hasState: () => boolean) {
  const loops = reopened(
    () => parts.openLoops(),
    (store) => store,
  );
  /** Made again with each store that is opened. */
  const made = new WeakMap<LoopStore, Coordination>();
  const coordination = async (): Promise<Coordination> => {
    const { createCoordination } = await import("./coordinate/coordination.ts");
    const store = await loops.open();
    const found = made.get(store) ?? createCoordination({ ...parts, board: store.board, open, hasState });
    made.set(store, found);
    return found;
  };
  return {
    open: coordination,
    async held() {
      if (!existsSync(join(parts.statePath, "loops.db"))) return new Map();
      const { heldLoops } = await import("./coordinate/held.ts");
      return heldLoops(await coordination(), parts.root, parts.clock.now());
    },
    async outlook({ run, events }: Pick<RunRow, "run" | "events">): Promise<ResumeOutlook> {
      if (!existsSync(join(parts.statePath, "loops.db"))) return { isServed: false, refusal: null };
      const { admissions, board } = await loops.open();
      const { isServed } = await import("./serve/presence.ts");
      const { refusalOf } = await import("../loops/lane/resume-refusal.ts");
      const refusal = await refusalOf(board, { run, events });
      return { isServed: await isServed(admissions), refusal: refusal?.what ?? null };
    },
    async loopOf(run: RunId): Promise<string | null> {
      if (!existsSync(join(parts.statePath, "loops.db"))) return null;
      return (await (await coordination()).again(run))?.loop ?? null;
    },
    async holdAgain(...given: Parameters<Runtime["holdAgain"]>): ReturnType<Runtime["holdAgain"]> {
      if (!existsSync(join(parts.statePath, "loops.db")))
        return (await import("./coordinate/hold-again.ts")).HELD_NOTHING;
      return (await coordination()).holdAgain(...given);
    },
    close: loops.close,
  };
}

function createReading(open: () => Promise<Open>): Pick<Runtime, "read" | "follow" | "plan" | "verify"> {
  return {
    read: async (run, afterSeq, limit) => (await open()).store.journal.read(run, afterSeq, limit),
    async *follow(run, afterSeq, signal) {
      let seq = afterSeq;
      let followed: Store | null = null;
      // A reader that was opened again goes on where the store before it was closed.
      for (let { store } = await open(); store !== followed && !signal.aborted; { store } = await open()) {
        followed = store;
        for await (const stored of store.journal.follow(run, seq, signal)) {
          yield stored;
          seq = stored.seq;
        }
      }
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
  const tell: OutputListener = (run, stage, text) => {
    for (const listener of listeners) listener(run, stage, text);
  };
  const projection = { ...parts, onNote: (run: RunId, text: string) => tell(run, "files", `${text}\n`) };

  const { open, kept, isOpen, close: closeStores } = reopened(openHere, ({ store }) => store);
  async function openHere(): Promise<Open> {
    const store = await parts.openStore();
    return { store, engine: projectedEngine(parts.createEngine(store, tell), store, projection) };
  }
  /** A project without state has no runs, and looking for one creates none. One that lost its journal is no such project. */
  const hasState = (): boolean => {
    if (!isOpen()) parts.requireState();
    return isOpen() || existsSync(join(parts.statePath, "pawl.db"));
  };

  const trust = createTrust(parts, open, hasState);
  const late = createLateActions(parts, open, { compile: (...at) => compiler.compile(...at), earned: trust.earned });
  const compiler = createCompiler(parts, late.contextPack);
  const coordination = createCoordinating(parts, open, hasState);

  async function close(): Promise<void> {
    await (await kept())?.engine.drain();
    for (const end of [parts.closeModels, coordination.close, closeStores]) await end();
  }

  return {
    ...compiler,
    ...createLauncher(parts, open),
    ...createResuming(parts, open, hasState, coordination),
    ...createKiller(parts, open, hasState),
    ...createBreakerCare(open, hasState),
    ...createMoney(parts, open, hasState, coordination),
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
    verifyStored: async (options) =>
      (await import("./trust/verify-stored.ts")).verifyStored(parts, (await open()).store, options),
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
    ...{ coordination: coordination.open, holdAgain: coordination.holdAgain, loopOf: coordination.loopOf },
    resumeOutlook: coordination.outlook,
    drain: async () => (await kept())?.engine.drain(),
    close,
  };
}

/** How runs resume that wait: for an answer, for a time, or for their turn. */
function createResuming(
  parts: RuntimeParts,
  open: () => Promise<Open>,
  hasState: () => boolean,
  { open: coordination, holdAgain }: ReturnType<typeof createCoordinating>,
): ApprovalActions & AdmissionActions & WakeActions & Pick<Runtime, "queueRun"> {
  const admit = (run: RunId): Promise<void> => admitHere(parts, open, run);
  const admissions = createAdmissions({ ...parts, coordination, holdAgain });
  const admission: AnswerParts["admission"] = (run, { onWait, onLost }) =>
    admissions.admitToResume({ run }, { onWait, onLost: () => onLost(run) });
  const answers = createAnswerListeners();
  return {
    ...admissions,
    ...createWaking({ root: parts.root, admit, answers }, open, hasState),
    ...createApprovals({ ...parts, admission, requireAllowed: admit, onAnswered: answers.tell }, open, hasState),
    queueRun: async (loop) => (await import("./serve/ask.ts")).queueRun(parts, loop),
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
): Pick<Runtime, "trees" | "diff" | "unsaved" | "archives" | "sweep" | "discard"> {
  return {
    trees: async (run) => treesOfRun((await open()).store, run),
    diff: (from, to) => parts.trees.diff(from, to, MOST_PATCH_BYTES),
    unsaved: (run) => parts.workspaces.unsaved(run),
    archives: (run) => parts.workspaces.archives(run),
    discard: async (run) => (await import("./lost/discard.ts")).discard(parts, (await open()).store, run),
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

/** Runtime: what the command line, the server and an embedding program can do. Everything it returns is plain data. */
import type { Diagnostic } from "../base/diagnostic.ts";
import type { RunId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import type { Level } from "../blueprint/blueprint.ts";
import type { Loop } from "../blueprint/project/project-file.ts";
import type { GivenPatch } from "../loops/drill/patch-plants.ts";
import type { Untried } from "../loops/drill/plant.ts";
import type { Score, Tried } from "../loops/drill/score.ts";
import type { Earned } from "../loops/earned-level.ts";
import type { ResumeOutlook } from "../loops/why/facts.ts";
import type { ActionSignature, DoorName, Plan } from "../plan/plan.ts";
import type { Rule } from "../policy/rule.ts";
import type { Action } from "../ports/actions.ts";
import type { Clock } from "../ports/clock.ts";
import type { Hosted, ReplayReport, ResumeOptions } from "../ports/engine.ts";
import type { Heartbeat } from "../ports/heartbeats.ts";
import type { KillSwitch } from "../ports/stop/kill-switch.ts";
import type { BreakerPage, BreakerQuery } from "../ports/store/breakers.ts";
import type {
  DrillRecord,
  EvidencePage,
  EvidenceQuery,
  EvidenceRecord,
  IncidentRecord,
} from "../ports/store/evidence.ts";
import type { ChainReport } from "../ports/store/journal.ts";
import type { Holder, RunPage, RunQuery, RunRow } from "../ports/store/run-index.ts";
import type { SweepRequest, TreeDiff } from "../ports/trees.ts";
import type { ArchivedFiles, UnsavedWorkspace } from "../ports/workspaces.ts";
import type { LogRef, StoredEvent } from "../run/events.ts";
import type { RunTrees } from "../run/trees.ts";
import type { AgentHere } from "./agents/agents-here.ts";
import type { AuditReport } from "./audit/audit-report.ts";
import type { Config } from "./config.ts";
import type { Coordination } from "./coordinate/coordination.ts";
import type { DoorOptions } from "./doors/door-options.ts";
import type { LoadedProject } from "./loops/load-project.ts";
import type { TickParts } from "./loops/tick-parts.ts";
import type { McpActions } from "./mcp/mcp-actions.ts";
import type { MoneyActions } from "./money/money-actions.ts";
import type { PolicyLayers } from "./policy/policy-layers.ts";
import type { AdmissionActions } from "./resume/run-admission.ts";
import type { AskedRun } from "./serve/ask.ts";
import type { SkillActions } from "./skills/skill-actions.ts";
import type { KillActions } from "./stop/kill.ts";
import type { Swept } from "./sweep.ts";
import type { ApprovalActions } from "./trust/approvals.ts";
import type { VerifyOptions, VerifyReport } from "./trust/damage.ts";
import type { WakeActions } from "./waking/parked.ts";

export interface CompileOptions {
  /** The ceiling; default L1, or what the files of another system ask for. */
  readonly level?: Level;
  /** Fewer rounds than the author allows. */
  readonly maxRounds?: number;
  readonly params?: JsonObject;
  /**
   * The agent of stages that name none, instead of the one that the blueprint says. `scripted:PATH`: with the script in this file, or in
   * a folder with one for each stage, named after it.
   */
  readonly agent?: string;
  /** The loop it is compiled for: a blueprint that comes with Pawl has its name. */
  readonly loop?: string;
  /** For what a door translates. */
  readonly door?: DoorOptions;
}

/** The first and the last bytes of a log that still grows, secrets masked. */
export interface LiveLog {
  readonly head: Uint8Array;
  /** Bytes left out between them. */
  readonly gap: number;
  readonly tail: Uint8Array;
}

export interface StartOptions {
  /** Stages may run without a sandbox where the blueprint says `danger_full_access`. */
  readonly danger?: boolean;
  /** Who lets it run above the level that was earned, and why; stored with the run. */
  readonly unearned?: { readonly by: string; readonly why: string };
  /** Its id, where that follows from what asks for it; any new one if not given. */
  readonly run?: RunId;
}

export interface CertificateCheck {
  readonly name: "stored" | "signature" | "journal" | "tree";
  readonly ok: boolean;
  readonly detail: string;
}

export interface CertificateReport {
  readonly sha256: string;
  /** The stage that handed it on; null: it came with the end of the run. */
  readonly stage: string | null;
  readonly ok: boolean;
  readonly checks: readonly CertificateCheck[];
}

export interface EarnedReport extends Earned {
  /** Of the plan that was asked about. */
  readonly level: Level;
  readonly isEarned: boolean;
  /** What this level needs that is not there. */
  readonly lacking: Earned["missing"];
}

export interface DrillOptions {
  /** The most changes that are planted. */
  readonly plants: number;
  /** Changes that people know to be bad, besides `drills/*.patch` of the project. */
  readonly patches: readonly GivenPatch[];
  /** Keep what was planted, so that it can be looked at. */
  readonly keep: boolean;
  readonly danger: boolean;
  readonly by: string;
  /** Ends the drill; nothing is recorded then. */
  readonly signal: AbortSignal;
  readonly onBaseline?: (baseline: Baseline) => void;
  readonly onTried?: (tried: Tried, number: number, of: number) => void;
}

/** What the gates say of the tree itself. Nothing can be said about changes to a tree that does not pass. */
export interface Baseline {
  readonly ok: boolean;
  /** The gates were asked for less than their author asks: that nothing gets worse. */
  readonly relaxed: boolean;
  readonly run: RunId;
  readonly gate: string | null;
  readonly why: string | null;
}

export interface DrillReport {
  readonly id: string;
  readonly blueprint: string;
  /** Digest of the gates that were drilled. */
  readonly gates: string;
  readonly baseline: Baseline | null;
  readonly tried: readonly Tried[];
  readonly untried: readonly Untried[];
  /** Stages that were left out: there a person would be asked. */
  readonly approvals: readonly string[];
  /** Changes that were found and not planted, for there was no room. */
  readonly leftOut: number;
  readonly score: Score;
  /** Why the drill is no evidence; null: it was recorded. */
  readonly unrecorded: string | null;
}

type New<T> = Omit<T, "id" | "at">;
export type NewEvidence = New<DrillRecord> | New<IncidentRecord>;

/** A blueprint file that was read: its text for code frames, and its plan or every problem. */
export interface Compiled {
  /** Path → text of every file that was read, for code frames. */
  readonly sources: Readonly<Record<string, string>>;
  readonly plan: Result<Plan>;
  /** Stages of the blueprint that the level does not reach. */
  readonly cut: readonly string[];
  /** The rules of the blueprint as it was written, with their examples. */
  readonly rules: readonly Rule[];
}

export interface BlueprintFile {
  readonly path: string;
  readonly name: string;
  readonly description: string | null;
  readonly problems: readonly Diagnostic[];
  /** The system whose file it is; without it, it is a native blueprint. */
  readonly door?: DoorName;
  /** The name that people call a pattern by. */
  readonly title?: string;
}

export interface DoctorCheck {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  readonly hint: string | null;
}

export interface Runtime
  extends ApprovalActions,
    AdmissionActions,
    MoneyActions,
    WakeActions,
    KillActions,
    McpActions,
    SkillActions {
  /** The policy from outside blueprints. Writes nothing. */
  policyLayers(): Promise<PolicyLayers>;
  /** Reads and compiles a blueprint, or what a door claims, and the blueprints it names. Writes nothing. */
  compile(path: string, options: CompileOptions): Promise<Compiled>;
  /**
   * Creates a run, durably, and hosts it here. Rejects with SANDBOX_UNAVAILABLE when this machine cannot build a wall that
   * the plan asks for, with RUN_DANGER_REFUSED when it asks for none and `danger` does not allow that, and with
   * WORKSPACE_* when the project gives no tree to start from. Rejects with RUN_LEVEL_PLANS at L0, with RUN_LEVEL_UNEARNED when the
   * level of the plan is not earned and `unearned` does not say why it may run, with RUN_KILL_SWITCH while the kill switch is on.
   */
  start(plan: Plan, options?: StartOptions): Promise<Hosted>;
  /**
   * Files of the project that a run of this plan would not see, because they are in no commit and it starts from one.
   * The blueprints in `sources` are not among them: they are read as they are. Writes nothing.
   */
  leftOut(plan: Plan, sources: Compiled["sources"]): Promise<readonly string[]>;
  /**
   * Goes on with a run that was interrupted, paused or waits; hosts it here. `answer` answers its open question.
   * Rejects with RUN_ENDED, RUN_HELD (by a living process, named), RUN_ANSWER_NEEDED, RUN_ANSWER_UNKNOWN, RUN_NOT_FOUND, RUN_KILL_SWITCH, and with
   * RUN_NOT_DUE when it rests until a time that has not come; `early` tries all the same.
   */
  resume(run: RunId, options: ResumeOptions): Promise<Hosted>;
  /** Asks for the end of a run. A run that no process hosts is ended here and now. Rejects with RUN_ENDED, RUN_NOT_FOUND. */
  cancel(run: RunId, by: string): Promise<"requested" | "ended">;
  /** Asks a hosted run to rest at the next stage boundary. Rejects with RUN_ENDED, RUN_NOT_FOUND, RUN_NOT_HOSTED. */
  pause(run: RunId, by: string): Promise<void>;
  /**
   * A new run of the same plan that goes on where the other began the stage: with its results and its tree, not with its
   * effects. Rejects with RUN_STAGE_NOT_REACHED, and with what `start` rejects with.
   */
  fork(run: RunId, stage: string, options?: StartOptions): Promise<Hosted>;
  /** What the stages of a run made of its workspace. Rejects with RUN_TREE_MISSING when it has none of its own. */
  trees(run: RunId): Promise<RunTrees>;
  /** How two saved trees differ. Rejects with WORKSPACE_TREE_MISSING. */
  diff(from: string, to: string): Promise<TreeDiff>;
  /** Folders of a run with files that could not be saved. */
  unsaved(run: RunId): Promise<readonly UnsavedWorkspace[]>;
  /** Archives in the vault of what no tree of the run can hold. */
  archives(run: RunId): Promise<readonly ArchivedFiles[]>;
  /** Removes what runs that are over left behind; see `Trees.sweep`. */
  sweep(options: Pick<SweepRequest, "before" | "dryRun">): Promise<Swept>;
  /**
   * Removes everything that is kept of a run that the journal does not mention: what only a person decides. Rejects with RUN_MENTIONED for
   * any other.
   */
  discard(run: RunId): Promise<void>;
  list(query: RunQuery): Promise<RunPage>;
  /** A run by its whole id; undefined: there is none. */
  row(run: RunId): Promise<RunRow | undefined>;
  /** Ends a process that hosts runs of this project and stands still; false: it was gone already. Rejects with SERVE_HOST_STAYS when it cannot be ended from here. */
  evict(holder: Holder): Promise<boolean>;
  /** Targets that have ever failed or were parked, and whether they may be used now. */
  breakers(query: BreakerQuery): Promise<BreakerPage>;
  /** Closes one, because a person says that its target is well again. false: there was nothing to close. */
  resetBreaker(target: string): Promise<boolean>;
  /** A run by id, unique prefix or `@last`. Rejects with RUN_NOT_FOUND or RUN_AMBIGUOUS. */
  find(name: string): Promise<RunRow>;
  read(run: RunId, afterSeq: number, limit: number): Promise<readonly StoredEvent[]>;
  follow(run: RunId, afterSeq: number, signal: AbortSignal): AsyncIterable<StoredEvent>;
  plan(fingerprint: string): Promise<Plan | undefined>;
  /** Makes the files of another system again that a run keeps true. false: it keeps none. What cannot be written is told as output. */
  rebuild(run: RunId): Promise<boolean>;
  verify(run: RunId): Promise<ChainReport>;
  /**
   * Checks what is stored of one run or of all: events, artifacts, trees, the chain of runs and its pin. Goes on after each damage, and
   * rejects when the signal aborts. Writes nothing.
   */
  verifyStored(options: VerifyOptions): Promise<VerifyReport>;
  /** Checks every certificate of a run: stored, signed by this project, the same when built again, about a tree that is kept. */
  certificates(run: RunId): Promise<readonly CertificateReport[]>;
  /** The level that the blueprint of the plan has earned with exactly these gates, and what is missing for more. */
  earned(plan: Plan): Promise<EarnedReport>;
  /** Records a drill or an incident, for good. */
  addEvidence(evidence: NewEvidence): Promise<EvidenceRecord>;
  evidence(query: EvidenceQuery): Promise<EvidencePage>;
  /** How ready the project is for loops, where its files disagree, and which state has gone bad. Writes nothing. */
  audit(): Promise<AuditReport>;
  /**
   * Plants changes in the tree that a run of this plan would start from, and lets the gates of the plan judge each. Rejects with
   * DRILL_GATES_MISSING, DRILL_TREE_MISSING and with what `start` rejects with.
   */
  drill(plan: Plan, options: DrillOptions): Promise<DrillReport>;
  /** Decides the whole run again from its journal; calls no executor, action or clock. */
  replay(run: RunId): Promise<ReplayReport>;
  /** The stored log of a stage attempt. */
  log(ref: LogRef): Promise<Uint8Array>;
  /** What a stage attempt that has not ended has written so far, on any host of this machine; null: nothing yet. */
  liveLog(run: RunId, stage: string, attempt: number): Promise<LiveLog | null>;
  /** What the processes of a run are doing, as their hosts last said. */
  heartbeats(run: RunId): Promise<readonly Heartbeat[]>;
  /** Live output of the runs hosted here; returns the function that ends it. */
  onOutput(listener: (run: RunId, stage: string, text: string) => void): () => void;
  actions(): readonly ActionSignature[];
  /** The loops of `pawl.yaml`. Writes nothing. */
  project(): Promise<LoadedProject>;
  /** Blueprint files of the project: `*.yaml` in `blueprints/` and `pawl/`, and `blueprint.yaml` at the root. */
  blueprints(): Promise<readonly BlueprintFile[]>;
  /** Files of other systems in the project that run as blueprints. */
  foreign(): Promise<readonly BlueprintFile[]>;
  /** Whose this folder is, or this name that is no file: `compile` takes it then. null: nobody's. */
  doorOf(path: string): Promise<DoorName | null>;
  /** Queues a run of a loop for whoever serves the project, as pawl.yaml says when its turn comes. */
  queueRun(loop: Loop): Promise<AskedRun>;
  /** Loops that meet: locks, merges, notices, the digest of a day. Opens the store of loops. */
  coordination(): Promise<Coordination>;
  /** See `Coordination.holdAgain`; where no loop was ever run, nothing is opened. */
  readonly holdAgain: Coordination["holdAgain"];
  /** Who resumes a run that was answered. */
  resumeOutlook(row: Pick<RunRow, "run" | "events">): Promise<ResumeOutlook>;
  /** The loop that a run changes paths for; null: none. */
  loopOf(run: RunId): Promise<string | null>;
  doctor(): Promise<readonly DoctorCheck[]>;
  /** Agents that are installed; they are asked for their version. */
  agentsHere(): Promise<readonly AgentHere[]>;
  /** Rejects with AGENT_NOT_INSTALLED when a stage of the plan is done by an agent that this machine does not have. */
  requireAgents(plan: Plan): Promise<void>;
  /** Stops hosting: ends processes, records nothing, leaves runs resumable. */
  drain(): Promise<void>;
  /** Drains, then closes the stores. Idempotent. */
  close(): Promise<void>;
}

export interface RuntimeOptions {
  /** The project root; commands run here and `.pawl/` is kept here. */
  readonly root: string;
  /** Who says how much of its daily tokens a loop has left; otherwise the caps and the ledger of the project do. */
  readonly spentToday?: TickParts["spentToday"];
}

/** What a runtime can be opened with. */
export interface OpenOptions extends RuntimeOptions {
  /** Actions of the embedding program, besides the built-in ones. */
  readonly actions?: readonly Action[];
  readonly config?: Config;
  readonly clock?: Clock;
  readonly randomBytes?: (count: number) => Uint8Array;
  /** Look only: the state directory is never created or changed. */
  readonly readOnly?: boolean;
  /** Go on although part of the journal is missing; see JOURNAL_WAL_MISSING. */
  readonly acceptLoss?: boolean;
  /** Open also where a store is lost, to say so or to stop what runs. What asks the store for something is refused later. */
  readonly evenLost?: boolean;
  /** Put around the kill switch, which is asked before every effect of a run. */
  readonly guard?: (killSwitch: KillSwitch) => KillSwitch;
}

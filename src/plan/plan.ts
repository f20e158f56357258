/** Plan: the only thing the kernel runs. Plain JSON, frozen, named by the digest of its canonical text. */
import type { Expression } from "../base/expression.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type {
  BackoffSpec,
  Capture,
  ChangeRules,
  EffectClass,
  Judge,
  Level,
  ModelsSpec,
  ParamType,
  SandboxMode,
  WorkspaceSpec,
} from "../blueprint/blueprint.ts";
import type { QuotaVendor } from "../limits/quota/signals.ts";
import type { StagnationLimits } from "../limits/stagnation/thresholds.ts";
import type { Rule } from "../policy/rule.ts";
import type { PlanAgent } from "./agents/agent-signature.ts";

export type StageKind = "command" | "agent" | "action" | "gate" | "inspection" | "approval" | "run" | "group";

/** Where an outcome leads. `back` marks an edge to the same or an earlier stage: taking it starts a new round. */
export type Target =
  /** `below`: where it leads instead once the run may only report. */
  | { readonly to: string; readonly back: boolean; readonly below?: Target }
  /**
   * `cut` names the stage that the level does not reach: the run ends there as designed. `escalate` is where an
   * escalation nobody routed ends. `resume` is with every `paused`: where the run goes on when a person resumes it.
   */
  | { readonly end: "done" | "fail" | "paused" | "escalate"; readonly cut?: string; readonly resume?: Target };

export type PlanProgram = { readonly argv: Expression } | { readonly shell: Expression };

interface PlanStageCommon {
  readonly id: string;
  readonly title?: string;
  readonly effect: EffectClass;
  readonly maxAttempts: number;
  readonly backoff: BackoffSpec;
  /** null: no cap of its own; the graph is bounded by other caps. */
  readonly maxVisits: number | null;
  readonly timeoutMs: number;
  readonly inputs: readonly string[];
  /** Where the third-party text that it reads came from: the first of its sources. Without it, it reads none. */
  readonly taint?: readonly string[];
  /** What it leaves is third-party text. */
  readonly untrusted?: true;
  /** Every outcome the stage can have; members of a group have none. */
  readonly routes: Readonly<Record<string, Target>>;
}

/** The most a process and everything it starts may use; null: not limited. */
export interface Resources {
  readonly memoryBytes: number | null;
  readonly cpuMs: number | null;
  readonly processes: number | null;
  readonly fileBytes: number | null;
  readonly outputBytes: number | null;
}

/** The wall around a process. */
export interface Wall {
  readonly sandbox: SandboxMode;
  /** Hosts it may reach, sorted; none: no network at all. */
  readonly network: readonly string[];
  readonly resources: Resources;
}

interface PlanProcess {
  readonly wall: Wall;
  readonly program: PlanProgram;
  readonly env: readonly (readonly [name: string, value: Expression])[];
  readonly cwd: string;
  readonly stallMs: number | null;
  readonly capture: Capture;
  readonly outputs: readonly { readonly name: string; readonly path: string }[];
  /** Globs from the top of the workspace, sorted: what it writes there is stored. Without it nothing is. */
  readonly keep?: readonly string[];
}

export type CommandStage = PlanStageCommon &
  PlanProcess & {
    readonly kind: "command";
    /** Whose limit messages it may fail with: it was refused for now then, and has not failed. */
    readonly quota?: QuotaVendor;
    /** It may call models, up to this in each attempt; without it, it reaches none. */
    readonly models?: ModelsSpec;
  };
/** An agent behind a wall. It may change the tree and answer; what it does is ruled on call by call, as far as its backend asks. */
export type AgentStage = PlanStageCommon &
  Omit<PlanProcess, "program" | "env" | "capture" | "keep"> & {
    readonly kind: "agent";
    readonly agent: PlanAgent;
    readonly models?: ModelsSpec;
  };
/** A check by a process, in a fresh checkout of exactly the tree that is judged. */
export type GateStage = PlanStageCommon & PlanProcess & { readonly kind: "gate"; readonly judge: Judge };
/** A check of what has changed since the run began. */
export type InspectionStage = PlanStageCommon & {
  readonly kind: "inspection";
  readonly by: "change" | "merge";
  readonly rules: ChangeRules;
};
export type ActionStage = PlanStageCommon & {
  readonly kind: "action";
  readonly action: string;
  readonly with: Expression;
  /** The most one call may spend, as the action declared; reserved before the call. */
  readonly cost: Usage;
};
export type RunStage = PlanStageCommon & {
  readonly kind: "run";
  /** Fingerprint of the child plan, found in `children`. */
  readonly plan: string;
  readonly params: readonly (readonly [name: string, value: Expression])[];
  /** Types the child declares for the parameters above, for those that declare one: checked when the values are known. */
  readonly types?: Readonly<Record<string, ParamType>>;
};
/** A gate that a person judges: nothing runs, the run waits for an answer. */
export type ApprovalStage = PlanStageCommon & {
  readonly kind: "approval";
  readonly question: string | null;
  /** How long the question stays open. */
  readonly expiresMs: number;
  /** When the person is reminded, counted from the question; null: never. */
  readonly remindMs: number | null;
};
export type LeafStage =
  | CommandStage
  | AgentStage
  | GateStage
  | InspectionStage
  | ApprovalStage
  | ActionStage
  | RunStage;
export type GroupStage = PlanStageCommon & {
  readonly kind: "group";
  readonly members: readonly LeafStage[];
  readonly forEach: Expression | null;
  readonly maxItems: number;
  readonly maxParallel: number;
  readonly failFast: boolean;
};
export type PlanStage = LeafStage | GroupStage;

/** null: not limited by the author; the bound still is finite. */
export interface PlanLimits {
  /** Starts of leaf stages in this run. A visit that starts none (refused, or a fan-out over nothing) counts as one. */
  readonly stages: number | null;
  readonly wallMs: number | null;
  readonly rounds: number | null;
  readonly consecutiveFailures: number | null;
  readonly tokens: number | null;
  readonly microUsd: number | null;
  /** Calls to models, with those of child runs. */
  readonly turns?: number;
  /** Child runs that the run begins, with those that they begin. */
  readonly spawns?: number;
  /** How deep child runs may go below this one, whichever run above it says so; 0: it begins none. */
  readonly depth?: number;
  /** Rounds in a row in which a stage failed. */
  readonly failedRounds?: number;
  /** How often something may repeat; without it nothing can, because nothing leads back. */
  readonly stagnation?: StagnationLimits;
}

/** The worst case over all ways the run can go, without crashes: each crash may repeat what was under way. */
export interface Bound {
  /** Starts of leaf stages, each attempt counted, those of child runs too. */
  readonly stages: number;
  /** Without the time in which the run waits for a person. */
  readonly wallMs: number;
  readonly tokens: number;
  readonly microUsd: number;
  /** Child runs begun, with those that they begin. */
  readonly spawns: number;
  /** Calls to models. */
  readonly turns: number;
}

/** Formats of other systems that run as blueprints. */
export type DoorName = "openloop" | "openexec" | "execution_plan" | "pattern";

/** Where a plan came from that nobody wrote as a blueprint: whose files are kept true while it runs. */
export interface Origin {
  readonly door: DoorName;
  /** The workspace or file, as a path below the root of the project where it lies there. */
  readonly path: string;
  /** What in it: the id of a pattern. */
  readonly item?: string;
}

export interface Plan {
  readonly version: 1;
  readonly name: string;
  /** Not of a plan that was written as a blueprint, nor of a child. */
  readonly origin?: Origin;
  readonly level: Level;
  readonly params: Readonly<Record<string, JsonValue>>;
  /** What a run of it is given that is third-party text: `params.name`, and `run.tree` in a child. */
  readonly untrusted?: readonly string[];
  readonly limits: PlanLimits;
  /** Every rule that applies, the guard among them, whatever layer it came from. */
  readonly rules: readonly Rule[];
  /** Paths that every gate sees as they were when the run began. Empty without such a gate. */
  readonly protect: readonly string[];
  /** sha256 of the canonical text of the rules. */
  readonly policy: string;
  /** Where its processes work; null: it has none. */
  readonly workspace: WorkspaceSpec | null;
  readonly start: string;
  /** Stages that need more than L1, where there are any: a run whose level is cut on its way ends before them. */
  readonly above?: readonly string[];
  /** For each level below that of the plan the stages that it does not reach, where there are any. */
  readonly unreached?: Readonly<Partial<Record<Level, readonly string[]>>>;
  /** In the order written; `stages[i].id` is unique. */
  readonly stages: readonly PlanStage[];
  readonly children: readonly Plan[];
  readonly bound: Bound;
  /** sha256 of the canonical text of everything above. */
  readonly fingerprint: string;
}

/** What the compiler must know of a registered action. */
export interface ActionSignature {
  readonly name: string;
  readonly summary: string;
  readonly effect: EffectClass;
  readonly cost: Usage;
  /** Names of the members that `with` may have, and whether each must be there; `*` stands for any name. */
  readonly input: Readonly<Record<string, { readonly required: boolean; readonly summary: string }>>;
  /** It reads or changes the tree of the run's workspace. */
  readonly usesTree?: true;
  /** It changes something outside the run, or the tree; unsaid: unless it is idempotent and does not use the tree. */
  readonly writes?: boolean;
  /** What it returns and stores is third-party text: it reads the outside. */
  readonly untrusted?: true;
  /** What it returns and stores quotes what stages before it have said: errors, logs. */
  readonly retells?: true;
  /** The lowest level of a run that may call it; without it, any. */
  readonly level?: Level;
  /** It talks to another machine: a breaker guards it. */
  readonly remote?: true;
}

export type PlanJson = Plan & JsonObject;

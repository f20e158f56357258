/** Blueprint: what the author wrote, after validation. Spans stay with it so that the compiler can point at the text. */
import type { Span } from "../base/diagnostic.ts";
import type { Expression } from "../base/expression.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { QuotaVendor } from "../limits/quota/signals.ts";
import type { StagnationLimits } from "../limits/stagnation/thresholds.ts";
import type { Rule } from "../policy/rule.ts";
import type { SetName } from "../policy/shipped/sets.ts";

export type EffectClass = "idempotent" | "keyed" | "once";
export type Level = "L0" | "L1" | "L2" | "L3";
export type Capture = "none" | "text" | "lines" | "json";
/** How strong the wall around a process is; the strongest first. */
export type SandboxMode = "read_only" | "workspace_write" | "repo_write" | "danger_full_access";
/** Where a run works: in a private clone, in a linked worktree, or in the project folder itself. */
export type WorkspaceKind = "clone" | "worktree" | "directory";
/** What a workspace starts from: the commit that is checked out, or the files as they lie there. */
export type WorkspaceStart = "head" | "working_tree";
export type ParamType = "string" | "number" | "boolean" | "list" | "map";

export interface ParamSpec {
  readonly type?: ParamType;
  /** Without a default the parameter is required. */
  readonly default?: JsonValue;
  readonly description?: string;
  /** Its value is third-party text, such as the body of an issue. */
  readonly untrusted?: boolean;
  readonly where: Span;
}

export interface BackoffSpec {
  readonly firstMs: number;
  readonly factor: number;
  readonly maxMs: number;
}

/** The most a stage may use; null or missing: not limited. */
export interface ResourceSpec {
  /** Memory of all its processes together. */
  readonly memoryBytes?: number;
  /** Processor time of all its processes together. */
  readonly cpuMs?: number;
  /** Processes at the same time. */
  readonly processes?: number;
  /** Size of one file it writes. */
  readonly fileBytes?: number;
  /** What it writes to standard output and error. */
  readonly outputBytes?: number;
}

/** Fields a stage may take from `defaults`. */
export interface StageSettings {
  readonly effect?: EffectClass;
  readonly maxAttempts?: number;
  readonly maxVisits?: number;
  readonly timeoutMs?: number;
  readonly stallMs?: number;
  readonly backoff?: BackoffSpec;
  readonly cwd?: string;
  readonly sandbox?: SandboxMode;
  /** Hosts a process may reach: `host`, `host:port`, `*.host`. */
  readonly network?: readonly string[];
  readonly resources?: ResourceSpec;
}

/** What a process may use of models, through the gateway and no other way. */
export interface ModelsSpec {
  /** In one attempt. */
  readonly tokens: number;
  readonly microUsd: number;
  readonly calls: number;
  /** null: any that there is a key for. */
  readonly providers: readonly string[] | null;
  /** All that passes is kept as an artifact. */
  readonly record?: true;
}

/** What a process is started from: an argument list, or one text for a shell. Both may hold references. */
export type Program = { readonly argv: Expression } | { readonly shell: Expression };

export interface StageCommon extends StageSettings {
  readonly id: string;
  readonly title?: string;
  /** The lowest level at which this stage may run; edges into it are cut below that. */
  readonly level?: Level;
  /** Where an edge into this stage leads instead when the level does not reach it; without it the run ends there. */
  readonly below?: { readonly target: string; readonly where: Span };
  /** Artifacts of earlier stages, as `stage.name`; `stage.log` is the log of a command. */
  readonly inputs: readonly { readonly name: string; readonly where: Span }[];
  /** What it leaves is third-party text; false: it is not, although the stage reaches the network. */
  readonly untrusted?: boolean;
  /** Outcome → stage id or terminal (`done`, `fail`, `paused`, `escalate`), in the order written. */
  readonly on: readonly { readonly outcome: string; readonly target: string; readonly where: Span }[];
  readonly where: Span;
}

export interface CommandFields {
  readonly program: Program;
  readonly env: readonly (readonly [name: string, value: Expression])[];
  readonly capture: Capture;
  /** Artifact name → path below the working directory, stored after the command ended well. */
  readonly outputs: readonly { readonly name: string; readonly path: string }[];
  /** Globs from the top of the workspace: what it writes there is stored, however it ended. */
  readonly keep?: readonly string[];
  /** Whose words it says when it was refused for now; without it, every failure is one. */
  readonly quota?: QuotaVendor;
}

/** The form in which a test runner tells its results; `auto`: found out from what it wrote. */
export type TestFormat = "auto" | "junit" | "tap" | "node" | "vitest" | "jest" | "pytest" | "go";
/** Where in the output of a command its number stands. */
export type MetricSource = { readonly regex: string } | { readonly json: string };

/** How the process of a gate is judged. */
export type Judge =
  /** Exit 0 passes, a listed exit escalates to a person, everything else fails. */
  | { readonly by: "exit"; readonly escalateExits: readonly number[] }
  /** Test by test, against the tree that the run began with. */
  | {
      readonly by: "tests";
      readonly format: TestFormat;
      /** Besides that nothing got worse: nothing, a test that failed before passes, or all of them pass. */
      readonly must: "no_regress" | "improve" | "all_pass";
      /** A file that the runner writes; null: its standard output is read. */
      readonly report: string | null;
      /** How often new failures are tried again before they count. */
      readonly reruns: number;
      /** How long a test that was seen to pass and to fail may fail without blocking. */
      readonly flakyMs: number;
    }
  /** One number, measured several times here and on the tree that the run began with. */
  | {
      readonly by: "metric";
      readonly source: MetricSource;
      readonly direction: "higher" | "lower";
      readonly must: "improve" | "no_regress" | "reach";
      /** With `reach`: the value. */
      readonly target: number | null;
      /** A difference up to this is none; null: what the measured noise says. */
      readonly tolerance: number | null;
      readonly repeats: number;
    }
  /** A tool for lint, format or security. What it finds blocks or warns; a tool that is missing fails. */
  | { readonly by: "quality"; readonly tool: QualityTool; readonly mode: "block" | "warn" };

export type QualityTool = "lint" | "format" | "security" | "custom";

/** What a kind of change leads to. */
export type ChangeAnswer = "allow" | "escalate" | "fail";

/** What a change may be. Globs without a slash, and folders of `deny`, match at any depth. */
export interface ChangeRules {
  readonly deny: readonly string[];
  /** null: every path that nothing denies. */
  readonly allow: readonly string[] | null;
  readonly maxFiles: number | null;
  readonly maxLines: number | null;
  /** What a path of `deny` leads to. */
  readonly denied: Exclude<ChangeAnswer, "allow">;
  /** What too many files or lines, and a path outside `allow`, lead to. */
  readonly beyond: Exclude<ChangeAnswer, "allow">;
  readonly dotfiles: ChangeAnswer;
  readonly modes: ChangeAnswer;
  readonly links: ChangeAnswer;
  readonly submodules: ChangeAnswer;
  readonly lockfiles: ChangeAnswer;
  readonly ci: ChangeAnswer;
  readonly binary: ChangeAnswer;
}

/** A file in the form of loop-engineering's gate.yaml whose rules are added. */
export interface GateFileName {
  readonly name: string;
  readonly where: Span;
}

/** Makes a change, or judges one. */
export type AgentRole = "implementer" | "checker";

/** What every agent of a blueprint gets that says nothing else. */
export interface AgentDefaults {
  /** Name of the backend. */
  readonly use?: string;
  readonly model?: string;
  readonly toolset?: string;
  readonly maxTurns?: number;
}

/** What an agent is told besides its task: skills by name, files of the project by glob. */
export interface AgentContext {
  readonly skills: readonly string[];
  readonly files: readonly string[];
  readonly where: Span;
}

export interface AgentSpec extends AgentDefaults {
  readonly role: AgentRole;
  readonly goal: Expression;
  /** What it may answer; empty: it only ends well or not. */
  readonly outcomes: readonly string[];
  /** JSON Schema of its answer. */
  readonly schema?: JsonObject;
  readonly program?: Program;
  readonly script?: { readonly name: string; readonly where: Span };
  readonly context?: AgentContext;
  readonly with: Expression;
  readonly where: Span;
}

export type LeafSpec =
  | (StageCommon & CommandFields & { readonly kind: "command"; readonly models?: ModelsSpec })
  /** A bounded agent. */
  | (StageCommon &
      Pick<CommandFields, "outputs"> & {
        readonly kind: "agent";
        readonly agent: AgentSpec;
        readonly models?: ModelsSpec;
      })
  | (StageCommon & { readonly kind: "action"; readonly action: string; readonly with: Expression })
  /** A check by a process. */
  | (StageCommon & CommandFields & { readonly kind: "gate"; readonly judge: Judge })
  /** A check of what has changed since the run began; `merge`: whether that may be merged without a person. */
  | (StageCommon & {
      readonly kind: "inspection";
      readonly by: "change" | "merge";
      readonly rules: ChangeRules;
      readonly from?: GateFileName;
    })
  /** A check by a person: the run waits until one has answered. */
  | (StageCommon & {
      readonly kind: "approval";
      readonly question?: string;
      readonly expiresMs?: number;
      readonly remindMs?: number;
    })
  /** A child run of another blueprint, named by its path relative to this file. */
  | (StageCommon & {
      readonly kind: "run";
      readonly blueprint: string;
      readonly params: readonly (readonly [name: string, value: Expression])[];
    });

export interface GroupSpec extends StageCommon {
  readonly kind: "group";
  /** `parallel`: the listed members. `for_each`: one member, once per item, results in item order. */
  readonly members: readonly LeafSpec[];
  readonly forEach?: Expression;
  readonly maxItems: number;
  readonly maxParallel: number;
  /** Start no further member after one failed; members already running are left to finish. */
  readonly failFast: boolean;
}

export type StageSpec = LeafSpec | GroupSpec;

export interface LimitsSpec {
  readonly stages?: number;
  readonly wallMs?: number;
  readonly rounds?: number;
  readonly consecutiveFailures?: number;
  readonly tokens?: number;
  readonly microUsd?: number;
  readonly turns?: number;
  readonly spawns?: number;
  readonly depth?: number;
  /** Rules of stagnation that have another threshold than they have by themselves. */
  readonly stagnation?: Partial<StagnationLimits>;
}

export interface WorkspaceSpec {
  readonly kind: WorkspaceKind;
  readonly from: WorkspaceStart;
  /** Folders of the project that git does not keep and every workspace gets a copy of, such as node_modules. */
  readonly share: readonly string[];
  /** The most that one save may add, in bytes and in files; without them the defaults count. */
  readonly maxBytes?: number;
  readonly maxFiles?: number;
}

export interface Blueprint {
  readonly version: 1;
  readonly name: string;
  readonly description?: string;
  readonly params: readonly (readonly [name: string, spec: ParamSpec])[];
  readonly defaults: StageSettings;
  readonly agent?: AgentDefaults;
  readonly workspace: WorkspaceSpec;
  readonly limits: LimitsSpec;
  /** Shipped sets of rules that it asks for. */
  readonly use: readonly SetName[];
  readonly rules: readonly Rule[];
  /** Paths that no stage can change for a gate: it sees them as they were when the run began. */
  readonly protect: readonly string[];
  /** Names of the built-in list of such paths that are not protected. */
  readonly unprotect: readonly { readonly name: string; readonly where: Span }[];
  readonly stages: readonly StageSpec[];
  /** The path the text came from, as the user named it. */
  readonly file: string;
}

/** Blueprint: what the author wrote, after validation. Spans stay with it so that the compiler can point at the text. */
import type { Span } from "../base/diagnostic.ts";
import type { Expression } from "../base/expression.ts";
import type { JsonValue } from "../base/json.ts";
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

/** What a process is started from: an argument list, or one text for a shell. Both may hold references. */
export type Program = { readonly argv: Expression } | { readonly shell: Expression };

export interface StageCommon extends StageSettings {
  readonly id: string;
  readonly title?: string;
  /** The lowest level at which this stage may run; edges into it are cut below that. */
  readonly level?: Level;
  /** Artifacts of earlier stages, as `stage.name`; `stage.log` is the log of a command. */
  readonly inputs: readonly { readonly name: string; readonly where: Span }[];
  /** Outcome → stage id or terminal (`done`, `fail`, `paused`), in the order written. */
  readonly on: readonly { readonly outcome: string; readonly target: string; readonly where: Span }[];
  readonly where: Span;
}

export interface CommandFields {
  readonly program: Program;
  readonly env: readonly (readonly [name: string, value: Expression])[];
  readonly capture: Capture;
  /** Artifact name → path below the working directory, stored after the command ended well. */
  readonly outputs: readonly { readonly name: string; readonly path: string }[];
}

export type LeafSpec =
  | (StageCommon & CommandFields & { readonly kind: "command" })
  | (StageCommon & { readonly kind: "action"; readonly action: string; readonly with: Expression })
  /** A check by a command. Exit 0 passes, a listed exit escalates to a person, everything else fails. */
  | (StageCommon & CommandFields & { readonly kind: "gate"; readonly escalateExits: readonly number[] })
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
}

export interface WorkspaceSpec {
  readonly kind: WorkspaceKind;
  readonly from: WorkspaceStart;
  /** Folders of the project that git does not keep and every workspace gets a copy of, such as node_modules. */
  readonly share: readonly string[];
}

export interface Blueprint {
  readonly version: 1;
  readonly name: string;
  readonly description?: string;
  readonly params: readonly (readonly [name: string, spec: ParamSpec])[];
  readonly defaults: StageSettings;
  readonly workspace: WorkspaceSpec;
  readonly limits: LimitsSpec;
  /** Shipped sets of rules that it asks for. */
  readonly use: readonly SetName[];
  readonly rules: readonly Rule[];
  readonly stages: readonly StageSpec[];
  /** The path the text came from, as the user named it. */
  readonly file: string;
}

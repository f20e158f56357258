/** What the compiler must know of an agent backend, and what a plan keeps of an agent. */
import type { Expression } from "../../base/expression.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AgentRole, Program } from "../../blueprint/blueprint.ts";

/** Mediated: it waits for our ruling. Observed: we are told, too late to stop it. Contained: only the wall bounds it. */
export type Oversight = "mediated" | "observed" | "contained";

/** What an agent does that a rule of policy can be about. */
export const AGENT_POWERS = ["read", "edit", "run", "fetch", "mcp", "tool"] as const;
export type AgentPower = (typeof AGENT_POWERS)[number];

/** What a backend declares of itself; plans are checked against it before anything runs. */
export interface AgentCapabilities {
  readonly oversight: Readonly<Record<AgentPower, Oversight>>;
  /** A session that was cut off can be gone on with. */
  readonly resume: boolean;
  /** A tool call that a person must decide can end the attempt and be taken up again later, as the same call. */
  readonly defer: boolean;
  /** It can be held to an output schema. */
  readonly structuredOutput: boolean;
  /** It says what it has used: a cross-check, the gateway is believed. */
  readonly reportsUsage: boolean;
  /** It calls models, so it needs a door to the gateway. */
  readonly callsModels: boolean;
}

/** A named set of powers: an agent with one may use nothing else, whatever policy allows. */
export interface Toolset {
  readonly name: string;
  readonly powers: readonly AgentPower[];
  /** Powers that a person must allow each time, whatever policy allows. */
  readonly asks?: readonly AgentPower[];
}

/** A setting of the backend itself: `run`, `script`, or a name below `with`. */
export interface AgentSetting {
  readonly required: boolean;
  readonly summary: string;
}

/** Keys of `agent` that a backend may have no use for. */
export type AgentKey = "model" | "max_turns" | "skills" | "context";

export interface AgentSignature {
  readonly name: string;
  readonly capabilities: AgentCapabilities;
  /** What it does not heed, so that a stage which says it is refused; nothing unless told. */
  readonly ignores?: readonly AgentKey[];
  /** What its stages may set; nothing unless told. */
  readonly settings?: Readonly<Record<string, AgentSetting>>;
}

/** An agent as a plan keeps it. */
export interface PlanAgent {
  /** Name of the backend. */
  readonly use: string;
  readonly role: AgentRole;
  readonly goal: Expression;
  readonly model: string | null;
  /** null: whatever policy allows. */
  readonly toolset: Toolset | null;
  /** What it may answer; empty: it only ends well or not. */
  readonly outcomes: readonly string[];
  readonly schema: JsonObject | null;
  readonly maxTurns: number | null;
  readonly program?: Program;
  /** As it was when the plan was made. */
  readonly script?: JsonObject;
  /** What it is told besides its task, as it was when the plan was made. */
  readonly context?: { readonly text: string; readonly sha256: string };
  readonly with: Expression;
}

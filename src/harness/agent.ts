/** An agent as plain data, and what one run of it gives back. */
import type { LanguageModel } from "ai";
import type { PawlError } from "../base/errors.ts";
import type { RunId } from "../base/ids.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { AgentFailure, ToolCall } from "../ports/agents/agent-backend.ts";
import type { ToolHolder } from "./tools/permissions.ts";
import type { Tool } from "./tools/tool.ts";
import type { Toolset } from "./tools/toolsets.ts";

/** A model of the AI SDK, or a model, tier or chain by its words: `fast`, `claude-x:high`, `a, b`. */
export type ModelChoice = Exclude<LanguageModel, string> | string;

/** Every run has all of them; whichever is reached first ends it with a status of its own. */
export interface AgentLimits {
  /** Answers of the model. */
  readonly turns: number;
  readonly toolCalls: number;
  readonly wallMs: number;
  /** Read and written. */
  readonly tokens: number;
  readonly usd: number;
}

export interface Phase {
  readonly name: string;
  /** `{{input}}`: what the run was asked; `{{output}}`: what the phase before gave; `{{NAME}}`: what an earlier phase gave. */
  readonly prompt: string;
  /** Like the agent where it is not given. */
  readonly model?: ModelChoice;
  readonly system?: string;
  readonly tools?: readonly Tool[];
  /** Within those of the run. */
  readonly limits?: Partial<Pick<AgentLimits, "turns" | "toolCalls" | "tokens" | "usd">>;
  /** It may fail: the run goes on with what it has said, or with `fallback`. */
  readonly optional?: boolean;
  readonly fallback?: string;
}

export interface Agent {
  /** No agent runs below itself, and this is what it is known by. */
  readonly name?: string;
  /** For whoever may delegate to it. */
  readonly summary?: string;
  readonly model?: ModelChoice;
  readonly system?: string;
  /** What must hold however long the talk gets: repeated word for word whenever earlier turns are summed up. */
  readonly rules?: string;
  readonly tools?: readonly Tool[];
  /** Of `tools` it gets those that the set names. */
  readonly toolset?: string | Toolset;
  /** By whom it was written: some tools are for the agents of an admin only. Anyone unless told. */
  readonly author?: ToolHolder["author"];
  /** Private unless told; what others may use has only tools that are safe to share. */
  readonly visibility?: ToolHolder["visibility"];
  /** JSON Schema of its answer. */
  readonly schema?: JsonObject;
  /** Done one after the other, each in a talk of its own. */
  readonly phases?: readonly Phase[];
  /** Whom it may delegate to, as the tools `agent__x` and `skill__x`. */
  readonly delegates?: Readonly<Record<string, Agent>>;
  readonly limits?: Partial<AgentLimits>;
}

/** Only `completed` is success. */
export type AgentStatus =
  | "completed"
  | "max_turns"
  | "max_tool_calls"
  | "max_tokens"
  | "max_usd"
  /** The wall clock of the run. */
  | "timeout"
  /** By its critic or a kill switch. */
  | "killed"
  /** By its caller. */
  | "cancelled"
  /** The same call again and again, or turns of nothing but errors. */
  | "tool_loop"
  /** The answer does not fit its schema. */
  | "invalid_output"
  /** The budget said no before anything was spent. */
  | "rejected"
  /** The gateway or a provider says that the budget is used up. */
  | "budget"
  /** A person has to decide about `deferred`. */
  | "deferred"
  | "dispatch_loop"
  | "dispatch_depth"
  | "dispatch_descendants"
  | "failed";

export interface AgentUsage {
  readonly input: number;
  /** The part of `input` that came from a cache. */
  readonly cached: number;
  readonly output: number;
  readonly tokens: number;
  readonly microUsd: number;
  /** Of models, children included. */
  readonly modelCalls: number;
}

export const NOTHING_USED: AgentUsage = { input: 0, cached: 0, output: 0, tokens: 0, microUsd: 0, modelCalls: 0 };

export interface StepCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
  readonly key: string;
  readonly ok: boolean;
  /** What the model was told. */
  readonly output: JsonValue;
}

/** One turn: what the model said, and each call with its result. */
export interface AgentStep {
  readonly turn: number;
  readonly phase: string | null;
  /** Who answered, never only who was asked. */
  readonly model: string;
  readonly text: string;
  readonly calls: readonly StepCall[];
  readonly tokens: number;
  readonly microUsd: number;
}

export interface AgentResult {
  readonly runId: RunId;
  readonly status: AgentStatus;
  /** Its last words; with another status than `completed`, what there was so far. */
  readonly output: string;
  /** What it answered to `schema`. */
  readonly value?: JsonValue;
  readonly steps: readonly AgentStep[];
  readonly usage: AgentUsage;
  /** null: it has completed. */
  readonly error: PawlError | null;
  /** What kind of failure of a model, where it was one. */
  readonly failure: AgentFailure | null;
  /** The call that a person must decide; null: none. */
  readonly deferred: ToolCall | null;
}

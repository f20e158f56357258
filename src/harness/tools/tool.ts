/** A tool of the built-in harness: what a model may call, what policy is asked before it does, and what comes back. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { PolicyRequest } from "../../policy/request.ts";

/** How much harm a call can do: low only looks, medium changes the workspace or reaches the network, high acts on others. */
export type ToolRisk = "low" | "medium" | "high";

/** How long a call may take; `TOOL_TIMEOUTS` has the figures. */
export type ToolTimeout = "fast" | "medium" | "long";

export interface Tool {
  /** Letters, digits, `_` and `-`; unique in a registry. */
  readonly name: string;
  /** For the model: what it does, in a sentence. */
  readonly summary: string;
  /** JSON Schema of an object. */
  readonly input: JsonObject;
  readonly risk: ToolRisk;
  readonly timeout: ToolTimeout;
  /** A call that may have happened can be made again. */
  readonly idempotent: boolean;
  /** It may be part of what is shared with others; false unless told. */
  readonly safeToShare?: boolean;
  /** Who may put it into an agent or a skill; anyone unless told. */
  readonly authoring?: "anyone" | "admin";
  /**
   * What a call would do, in the words of policy; every one must be allowed. None: policy is asked for the tool by name. Throws for
   * input that means nothing, which is told to the model.
   */
  requests(input: JsonObject): readonly PolicyRequest[];
  /** Only with input that fits the schema, and after policy has allowed every request. A ToolProblem it throws is told to the model. */
  run(input: JsonObject, context: ToolContext): Promise<ToolResult>;
}

export interface ToolFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ToolContext {
  readonly signal: AbortSignal;
  /** The workspace: a folder, absolute, without links in it. */
  readonly root: string;
  readonly run: string;
  readonly callId: string;
  /** What comes up only while it works, such as the next host of a redirect. False: policy does not allow all of it. */
  allows(requests: readonly PolicyRequest[]): Promise<boolean>;
  /** The same for every try of the same call. */
  readonly key: string;
  /** Queues a file that is delivered with the final answer. */
  attach(file: ToolFile): void;
  /** Absent: there is no model to ask. */
  readonly models?: ToolModels;
  /** Absent: nothing can be delegated. */
  readonly dispatch?: ToolDispatch;
}

/** A model for the tools that need one. What it costs is drawn from the budget of the run. */
export interface ToolModels {
  /** With `schema` the answer is an object that fits it, as JSON text. */
  ask(question: ToolQuestion, signal: AbortSignal): Promise<ToolAnswer>;
}

export interface ToolQuestion {
  readonly system: string;
  readonly prompt: string;
  readonly schema?: JsonObject;
}

export type ToolAnswer = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly error: string };

/** Starts a child run, such as `skill__x` or `agent__x`, through the one guard of delegation. */
export type ToolDispatch = (target: string, input: JsonObject, signal: AbortSignal) => Promise<ToolResult>;

export type ToolResult =
  /** `artifacts`: kept by their digest; the model is told their names. */
  | { readonly ok: true; readonly output: JsonValue; readonly artifacts?: readonly ToolFile[] }
  | { readonly ok: false; readonly error: string };

/**
 * What the program of the built-in harness and its host say to each other, one JSON object a line.
 *
 *   host     start {task, models, past} →            ruling →            kept →
 *   program                              ← ask …               ← record …       … ← event … ← done
 *
 * A tool of the host is asked about like any other; then the program says `call`, and the host answers with `result`.
 */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import type { WireName } from "../../limits/routes/candidate.ts";
import type { AgentEvent, AgentOutcome, Ruling, ToolCall } from "./agent-backend.ts";
import type { HostAnswer, HostTool } from "./host-tools.ts";

export interface ProgramTask {
  readonly prompt: string;
  readonly system: string | null;
  readonly model: string;
  /** Which of the wires of the gateway is spoken. */
  readonly wire: WireName;
  /** The gateway, and the token of this attempt. */
  readonly gateway: { readonly url: string; readonly token: string };
  readonly maxTurns: number | null;
  /** Of its tools, those of this set are offered; null: all. */
  readonly toolset: string | null;
  /** Those that the host has and calls for it. */
  readonly hostTools: readonly HostTool[];
  readonly schema: JsonObject | null;
  readonly session: string;
  /** The files are as they were when the task began. */
  readonly isRestored: boolean;
  /** The workspace, as the program sees it. */
  readonly root: string;
  readonly timeoutMs: number;
}

/** An ExecutionPlan to execute: no model is asked. */
export interface PlanTask {
  readonly plan: JsonObject;
  readonly toolset: string | null;
  readonly session: string;
  readonly root: string;
}

export type HostLine =
  /** The first one. `past`: what was kept of the session. */
  | { readonly type: "start"; readonly task: ProgramTask; readonly past: readonly JsonObject[] }
  /** Instead of that. */
  | { readonly type: "plan"; readonly task: PlanTask }
  | { readonly type: "ruling"; readonly id: number; readonly ruling: Ruling }
  /** Of the call of this number. */
  | { readonly type: "result"; readonly id: number; readonly result: HostAnswer }
  /** The record of this number is durable. */
  | { readonly type: "kept"; readonly id: number }
  /** It shall come to an end at once. */
  | { readonly type: "stop" };

export interface ProgramReport {
  readonly outcome: AgentOutcome;
  readonly text: string;
  readonly output?: JsonValue;
  readonly reported: Usage;
}

export type ProgramLine =
  | { readonly type: "ask"; readonly id: number; readonly call: ToolCall }
  /** A tool of the host, once for each call of it that was allowed. */
  | { readonly type: "call"; readonly id: number; readonly tool: string; readonly input: JsonObject }
  | { readonly type: "event"; readonly event: AgentEvent }
  /** To be kept for whoever goes on with the session; with `id`: answered when it is durable. */
  | { readonly type: "record"; readonly record: JsonObject; readonly id?: number }
  /** The last one. */
  | { readonly type: "done"; readonly report: ProgramReport };

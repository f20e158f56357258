/** How a call of a tool ended, and what is recorded of it. */
import { diagnose } from "../../base/diagnostic.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { visible, visibleLine } from "../../base/visible.ts";
import type { ToolCall } from "../../ports/agents/agent-backend.ts";
import { TOOL_ERRORS } from "../../ports/errors/tool-errors.ts";

export type ToolCode = keyof typeof TOOL_ERRORS;

export interface KeptArtifact {
  readonly name: string;
  /** Its digest. */
  readonly artifactId: string;
}

export interface ToolSuccess {
  readonly status: "success";
  readonly output: JsonValue;
  readonly artifacts: readonly KeptArtifact[];
  readonly summary: string;
}

export interface ToolRefusal {
  readonly status: "failure" | "denied" | "deferred" | "cancelled";
  readonly code: ToolCode;
  /** For the model. */
  readonly error: string;
  readonly artifacts: readonly KeptArtifact[];
  readonly summary: string;
}

export type ToolOutcome = ToolSuccess | ToolRefusal;

export type ToolEvent =
  /** Allowed, and about to run. */
  | { readonly type: "tool.requested"; readonly call: ToolCall }
  | {
      readonly type: "tool.denied";
      readonly id: string;
      readonly tool: string;
      readonly code: ToolCode;
      readonly why: string;
    }
  | { readonly type: "tool.ended"; readonly id: string; readonly tool: string; readonly outcome: ToolOutcome };

const STATUS: Partial<Readonly<Record<ToolCode, ToolRefusal["status"]>>> = {
  TOOL_OUTSIDE_SET: "denied",
  TOOL_CALLER_REFUSED: "denied",
  TOOL_DENIED: "denied",
  TOOL_DEFERRED: "deferred",
  TOOL_CANCELLED: "cancelled",
};
const LONGEST_ERROR = 4000;
const LONGEST_SUMMARY = 200;

export function refusal<K extends ToolCode>(
  code: K,
  facts: Parameters<(typeof TOOL_ERRORS)[K]["what"]>[0] & JsonObject,
): ToolRefusal {
  const { what } = diagnose(TOOL_ERRORS, code, facts);
  const error = visible(what.slice(0, LONGEST_ERROR), { newlines: true });
  return { status: STATUS[code] ?? "failure", code, error, artifacts: [], summary: summaryOf(error) };
}

export function summaryOf(text: string): string {
  return visibleLine(text, LONGEST_SUMMARY);
}

/** A sentence without its full stop, to be put into another. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/[.\s]+$/, "");
}

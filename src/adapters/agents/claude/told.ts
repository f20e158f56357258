/** What a line of Claude Code tells, as events. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { visibleLine } from "../../../base/visible.ts";
import type { AgentEvent } from "../../../ports/agents/agent-backend.ts";
import { amountAt, listAt, objectAt, textAt } from "./fields.ts";

const MAX_SUMMARY = 200;

/** Without requests: those are told by the gate. */
export function eventsIn(message: JsonObject): readonly AgentEvent[] {
  switch (textAt(message, "type")) {
    case "assistant":
      return blocksOf(message, "text").map((block) => ({ type: "text", text: textAt(block, "text") ?? "" }));
    case "user":
      return blocksOf(message, "tool_result").map((block) => ({
        type: "tool_result",
        id: textAt(block, "tool_use_id") ?? "",
        ok: block["is_error"] !== true,
        summary: visibleLine(textOf(block["content"]), MAX_SUMMARY),
      }));
    case "system":
      return textAt(message, "subtype") === "api_retry" ? [retryIn(message)] : [];
    default:
      return [];
  }
}

function retryIn(message: JsonObject): AgentEvent {
  const status = amountAt(message, "error_status");
  const error = textAt(message, "error") ?? "no reason given";
  return {
    type: "retry",
    attempt: amountAt(message, "attempt") ?? 0,
    why: visibleLine(status === null ? error : `${error} (${status})`, MAX_SUMMARY),
    delayMs: amountAt(message, "retry_delay_ms"),
  };
}

function blocksOf(message: JsonObject, type: string): readonly JsonObject[] {
  return listAt(objectAt(message, "message"), "content").filter(
    (block): block is JsonObject => isJsonObject(block) && block["type"] === type,
  );
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? (content as readonly JsonValue[]).filter(isJsonObject) : [];
  return parts.map((part) => textAt(part, "text") ?? "").join(" ");
}

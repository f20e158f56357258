/** What a model has answered, as far as it can be relied on: providers lie, leave out and break off. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { NO_TOKENS, type Tokens } from "../../limits/prices/tokens.ts";
import type { Answer } from "./model.ts";

/** Whether it has the form of an answer; whoever answers otherwise has not answered. */
export function isReadable(answer: unknown): answer is Answer {
  if (!isJsonObject(answer)) return false;
  const { content, finishReason } = answer;
  if (!isJsonObject(finishReason) || typeof finishReason["unified"] !== "string") return false;
  return Array.isArray(content) && (content as readonly unknown[]).every(isPart);
}

function isPart(part: unknown): boolean {
  if (!isJsonObject(part)) return false;
  const { type, text, toolCallId, toolName, input } = part;
  if (type === "text" || type === "reasoning") return typeof text === "string";
  if (type !== "tool-call") return typeof type === "string";
  return [toolCallId, toolName, input].every((each) => typeof each === "string");
}

/** A total may be told alone. What is not told at all is the most that it can have been: no token is shorter than a byte. */
export function tokensOf(answer: unknown, promptBytes: number): Tokens {
  const usage = membersOf(membersOf(answer)["usage"]);
  const read = membersOf(usage["inputTokens"]);
  const written = membersOf(usage["outputTokens"]);
  const cacheRead = counted(read["cacheRead"]) ?? 0;
  const cacheWrite = counted(read["cacheWrite"]) ?? 0;
  const total = counted(read["total"]);
  const rest = total === null ? promptBytes : Math.max(0, total - cacheRead - cacheWrite);
  const output = counted(written["total"]) ?? sumOf(written) ?? bytesOf(membersOf(answer)["content"]);
  return {
    ...NO_TOKENS,
    input: counted(read["noCache"]) ?? rest,
    cacheRead,
    cacheWrite,
    output,
    reasoning: Math.min(output, counted(written["reasoning"]) ?? 0),
  };
}

function sumOf(written: JsonObject): number | null {
  const [text, reasoning] = [counted(written["text"]), counted(written["reasoning"])];
  return text === null && reasoning === null ? null : (text ?? 0) + (reasoning ?? 0);
}

function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** null: that is no number of tokens. */
function counted(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY ? value : null;
}

function bytesOf(content: unknown): number {
  return content === undefined ? 0 : Buffer.byteLength(JSON.stringify(content));
}

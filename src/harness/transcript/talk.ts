/** A talk with a model: its messages, how much they are, and which calls of the last answer have no result yet. */
import type { JsonValue } from "../../base/json.ts";
import { type AskedCall, type Message, type ToolPart, textOf } from "../models/model.ts";

/** The first messages are never summed up: who the agent is, its rules, and what it was asked. */
export interface Talk {
  readonly head: number;
  readonly messages: Message[];
  /** Bytes of every message, in the order of `messages`. */
  readonly sizes: number[];
  /** Sum of `sizes`. */
  size: number;
  /** What was read for the last answer, and how many bytes have come since; null: nothing was asked yet. */
  measured: { tokens: number; since: number } | null;
  /** Not tried again before the talk has grown so far. */
  compactAt: number;
}

export function beginTalk(messages: readonly Message[]): Talk {
  const talk: Talk = { head: messages.length, messages: [], sizes: [], size: 0, measured: null, compactAt: 0 };
  for (const message of messages) say(talk, message);
  return talk;
}

export function say(talk: Talk, message: Message): void {
  const size = sizeOf(message);
  talk.messages.push(message);
  talk.sizes.push(size);
  talk.size += size;
  if (talk.measured !== null) talk.measured.since += size;
}

/** Bytes, for what counts. */
export function sizeOf({ content }: Message): number {
  if (typeof content === "string") return Buffer.byteLength(content);
  let size = 0;
  for (const part of content) size += partSize(part);
  return size;
}

/** Names and brackets around a part. */
const AROUND = 40;

function partSize(part: Exclude<Message["content"], string>[number]): number {
  switch (part.type) {
    case "text":
    case "reasoning":
      return Buffer.byteLength(part.text) + AROUND;
    case "tool-call":
      return bytesOf(part.input) + part.toolName.length + AROUND;
    case "tool-result":
      return bytesOf("value" in part.output ? part.output.value : "") + part.toolName.length + AROUND;
    default:
      return AROUND;
  }
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}

/** What the provider has counted for all messages so far. One that does not count tells nothing. */
export function measure(talk: Talk, tokens: number): void {
  if (tokens > 0) talk.measured = { tokens, since: 0 };
}

/** About four bytes a token. */
const BYTES = 4;

/** How many tokens the next prompt has, about. */
export function estimate({ size, measured }: Talk): number {
  if (measured === null) return Math.ceil(size / BYTES);
  return Math.max(measured.tokens + Math.ceil(measured.since / BYTES), Math.ceil(size / (2 * BYTES)));
}

/** No more than this: no token is shorter than a byte. */
export function atMost({ size, measured }: Talk): number {
  return measured === null ? size : measured.tokens + measured.since;
}

export function userMessage(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

export function resultPart(call: Pick<AskedCall, "id" | "tool">, ok: boolean, output: JsonValue): ToolPart {
  const told = typeof output === "string" ? output : JSON.stringify(output);
  return {
    type: "tool-result",
    toolCallId: call.id,
    toolName: call.tool,
    output: { type: ok ? "text" : "error-text", value: told },
  };
}

/** The text of the newest answer that has any. */
export function lastWords({ messages }: Talk): string {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const text = textOf(messages[at] as Message);
    if (text !== "") return text;
  }
  return "";
}

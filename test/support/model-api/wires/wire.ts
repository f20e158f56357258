/** What the four wires have in common: how a request is read, and how an answer or an error is written. */
import type { Step, Tokens } from "../script.ts";

export type WireName = "anthropic" | "responses" | "chat" | "gemini";
export type Body = Readonly<Record<string, unknown>>;

export interface Asked {
  readonly model: string;
  readonly isStreamed: boolean;
  /** How many times the assistant has spoken already. */
  readonly turns: number;
  readonly hasTools: boolean;
}

export interface Answer {
  /** Of this exchange; unique within one API. */
  readonly id: string;
  readonly model: string;
  readonly step: Step;
  readonly tokens: Tokens;
  /** The request, for what it may ask of the answer. */
  readonly body: Body;
}

/** One event of a stream, as it goes over the wire. */
export type Chunk = string;

export interface Wire {
  readonly name: WireName;
  /** null: the request is not for this wire. */
  read(path: string, body: Body): Asked | null;
  /** The tokens as this wire can tell them: what it has no word for is in what it has a word for. */
  told(tokens: Tokens): Tokens;
  whole(answer: Answer): unknown;
  stream(answer: Answer): readonly Chunk[];
  error(status: number, type: string | undefined, message: string): unknown;
  midError(type: string, message: string): Chunk;
}

export function event(data: unknown, name?: string): Chunk {
  return `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export function listOf(value: unknown): readonly Body[] {
  return Array.isArray(value) ? (value as readonly Body[]) : [];
}

/** How many times someone of `isAssistant` begins to speak. */
export function turnsIn(items: readonly Body[], isAssistant: (item: Body) => boolean): number {
  return items.filter((item, index) => {
    const before = items[index - 1];
    return isAssistant(item) && (before === undefined || !isAssistant(before));
  }).length;
}

/** A text in two or more pieces, so that a stream of it has a middle. */
export function piecesOf(text: string): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / 4));
  return text === "" ? [] : (text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? []);
}

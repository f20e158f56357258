/** Wire: how one family of clients and providers talks. It reads what passes and changes none of it. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { CallSize } from "../../limits/prices/cost.ts";
import type { Tokens } from "../../limits/prices/tokens.ts";

export type WireName = "anthropic" | "responses" | "chat" | "gemini";

/** What a request asks for. */
export interface RequestFacts extends Omit<CallSize, "promptBytes"> {
  readonly model: string;
  readonly streams: boolean;
  /** Tokens that are read and are not in it; null: it names content whose size cannot be seen (a file, an earlier answer). */
  readonly unseen: number | null;
}

export type RequestReading =
  | { readonly ok: true; readonly facts: RequestFacts }
  | { readonly ok: false; readonly problem: string };

/** What an answer says of itself. Nothing in it is guessed. */
export interface AnswerReading {
  /** The model that answered, as it names itself. */
  readonly model: string | null;
  /** null: the answer does not say what it took. */
  readonly tokens: Tokens | null;
  /** `tokens` is final: the answer was seen to its end. */
  readonly isWhole: boolean;
  readonly toolCalls: number;
  /** An error that came instead of an answer, or in the middle of one. */
  readonly error: WireError | null;
}

export interface WireError {
  readonly type: string;
  readonly message: string;
}

export const NOTHING_READ: AnswerReading = { model: null, tokens: null, isWhole: false, toolCalls: 0, error: null };

/** Reads the events of one stream, in order. */
export interface StreamReader {
  /** Stands in every event that can matter (with the flag `g`; bytes as Latin-1): most do not, and are not even parsed. null: all can. */
  readonly marks: RegExp | null;
  read(event: JsonObject): void;
  reading(): AnswerReading;
}

export interface Refusal {
  readonly status: number;
  /** A code of the catalogue, such as GATEWAY_BUDGET_REACHED. */
  readonly code: string;
  readonly message: string;
}

export interface Wire {
  readonly name: WireName;
  /** Whose API it is, unless a route says otherwise. */
  readonly provider: string;
  /** `model`: as the address of the request names it, where it does. */
  readRequest(body: JsonObject, address: { readonly model?: string; readonly streams?: boolean }): RequestReading;
  readAnswer(body: JsonValue): AnswerReading;
  createStreamReader(): StreamReader;
  /** An error in the form that its clients expect. */
  errorBody(refusal: Refusal): JsonObject;
  /**
   * The request as it must be sent so that the answer says what it took, and which events the client then gets that it did
   * not ask for. Without it the request is sent as it came.
   */
  readonly askForUsage?: (
    body: JsonObject,
  ) => { readonly body: JsonObject; isAdded(event: JsonObject): boolean } | null;
}

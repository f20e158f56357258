/**
 * What a failed call means for the next one. A bad request stays bad whoever answers it; a busy model may answer in a moment,
 * and another one at once.
 */
import { saysNoCredit } from "../quota/signals.ts";
import type { WireName } from "./candidate.ts";

/**
 * transient: the same model may answer soon, another one now. exhausted: a quota or an account is used up. absent: there is
 * no such model. permanent: nobody will answer this.
 */
export type FailureKind = "transient" | "exhausted" | "absent" | "permanent";

export interface CallFailure {
  readonly wire: WireName;
  /** null: no answer came. 200: the answer began and then said that it failed. */
  readonly status: number | null;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** In the words of the wire: `overloaded_error`, `insufficient_quota`, `RESOURCE_EXHAUSTED`. */
  readonly type: string | null;
  readonly message: string;
  /** The whole of it as it came: some say only beside the message when to come back. */
  readonly body?: string;
}

export interface Verdict {
  readonly kind: FailureKind;
  /** For people and records: status and type, never the message of the provider. */
  readonly why: string;
}

interface Words {
  readonly transient: ReadonlySet<string>;
  readonly exhausted: ReadonlySet<string>;
}

const OPENAI: Words = {
  transient: new Set(["server_error", "rate_limit_exceeded", "server_is_overloaded", "slow_down", "overloaded"]),
  exhausted: new Set(["usage_limit_reached", "usage_not_included"]),
};

const WORDS: Readonly<Record<WireName, Words>> = {
  anthropic: {
    transient: new Set(["overloaded_error", "api_error", "rate_limit_error", "timeout_error"]),
    exhausted: new Set(),
  },
  responses: OPENAI,
  chat: OPENAI,
  gemini: {
    transient: new Set(["RESOURCE_EXHAUSTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "ABORTED"]),
    exhausted: new Set(["QUOTA_EXHAUSTED"]),
  },
};

const TOO_LONG = /too long|context.length|context window|maximum context|too many tokens|maximum number of tokens/i;
const OF_MODEL = /\bmodels?\b/i;
const SOON: ReadonlySet<number> = new Set([408, 409, 425, 429]);

export function judgeFailure(failure: CallFailure): Verdict {
  const { status, type } = failure;
  const facts = [status === null ? "no answer" : String(status), plain(type)].filter((fact) => fact !== "").join(" ");
  const [kind, about] = kindOf(failure);
  return { kind, why: about === null ? facts : `${facts} (${about})` };
}

/** Words of others go into headers and records. */
function plain(type: string | null): string {
  return (type ?? "").replace(/[^\w.-]/g, "?").slice(0, 60);
}

/** By its words, whatever its status: the account at the provider has no credit left. */
export function isOutOfCredit({ type, message }: Pick<CallFailure, "type" | "message">): boolean {
  return saysNoCredit(`${type ?? ""} ${message}`);
}

function kindOf(failure: CallFailure): readonly [FailureKind, string | null] {
  const { wire, status, type, message, headers } = failure;
  if (status === null) return ["transient", null];
  if (status === 402 || isOutOfCredit(failure)) return ["exhausted", "billing: the account has no credit"];
  if (type !== null && WORDS[wire].exhausted.has(type)) return ["exhausted", "the quota is used up"];
  if (isTransient(wire, status, type)) {
    return headers["x-should-retry"] === "false" ? ["exhausted", "it says not to try again"] : ["transient", null];
  }
  if (type === "model_not_found" || (status === 404 && OF_MODEL.test(message))) return ["absent", "no such model"];
  return ["permanent", TOO_LONG.test(message) ? "longer than the model can read" : null];
}

/** In a stream that has begun, only words that are known to pass do. */
function isTransient(wire: WireName, status: number, type: string | null): boolean {
  if (status === 200) return type !== null && WORDS[wire].transient.has(type);
  return status >= 500 || SOON.has(status);
}

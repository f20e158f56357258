/** Why a call to a model failed, from what an agent tells of it: a status where it has one, else its words. */
import { visibleLine } from "../../../base/visible.ts";
import type { AgentFailure, AgentOutcome } from "../../../ports/agents/agent-backend.ts";

export interface Told {
  /** Of HTTP; null: it is not told, and looked for in the message. */
  readonly status: number | null;
  readonly message: string;
}

const LONGEST = 300;
/** The gateway refuses with it, and nobody else does. */
const BUDGET = 402;
const OVERFLOW =
  /context[ _-]?(length|window|size|limit|overflow)|maximum context|prompt is too long|input is too long|too many (input )?tokens/i;
const STATUS = /\b(?:status(?: code)?|http(?:\/[\d.]+)?|error|code)["':= ]{0,4}([45]\d\d)\b|^\s*([45]\d\d)\b/i;
const WORDS: readonly (readonly [RegExp, AgentFailure | "budget"])[] = [
  [/GATEWAY_(BUDGET|CALLS)_REACHED|the budget is reached|payment required/i, "budget"],
  [/overloaded|high demand|service unavailable|over capacity/i, "overloaded"],
  [/rate.?limit|too many requests|resource.?exhausted|usage limit|quota/i, "rate_limited"],
  [/unauthori[sz]ed|authenticat|api.?key|permission denied|forbidden/i, "auth"],
];
const STATUSES: Readonly<Record<number, AgentFailure>> = {
  401: "auth",
  403: "auth",
  413: "context_overflow",
  429: "rate_limited",
  503: "overloaded",
  529: "overloaded",
};

export function failureOf({ status, message }: Told): AgentOutcome {
  const error = visibleLine(message, LONGEST);
  const code = status ?? statusIn(message);
  if (code === BUDGET) return { kind: "budget", error };
  if (OVERFLOW.test(message)) return { kind: "failed", why: "context_overflow", error };
  const why = (code === null ? undefined : STATUSES[code]) ?? WORDS.find(([words]) => words.test(message))?.[1];
  if (why === "budget") return { kind: "budget", error };
  return { kind: "failed", why: why ?? "provider", error };
}

/** It ended, or was ended, without a last word. */
export function lost(error: string): AgentOutcome {
  return { kind: "failed", why: "lost", error: visibleLine(error, LONGEST) };
}

function statusIn(message: string): number | null {
  const found = STATUS.exec(message);
  return found === null ? null : Number(found[1] ?? found[2]);
}

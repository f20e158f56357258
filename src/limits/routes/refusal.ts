/** Why a model gave no answer, from a status where there is one, else from the words of whoever tells of it. */
import { saysNoCredit } from "../quota/signals.ts";

export type RefusalReason =
  | "rate_limited"
  | "overloaded"
  | "auth"
  | "context_overflow"
  | "budget"
  | "billing"
  | "provider";

export interface ToldRefusal {
  /** Of HTTP; null: it is not told, and looked for in the message. */
  readonly status: number | null;
  readonly message: string;
}

/** The gateway refuses with it. A provider that does says so in words of its own. */
const BUDGET = 402;
const OWN_BUDGET = /GATEWAY_(BUDGET|CALLS)_REACHED|the budget is reached/i;
const OVERFLOW =
  /context[ _-]?(length|window|size|limit|overflow)|maximum context|prompt is too long|input is too long|too many (input )?tokens/i;
const STATUS = /\b(?:status(?: code)?|http(?:\/[\d.]+)?|error|code)["':= ]{0,4}([45]\d\d)\b|^\s*([45]\d\d)\b/i;
const WORDS: readonly (readonly [RegExp, RefusalReason])[] = [
  [/payment required/i, "budget"],
  [/overloaded|high demand|service unavailable|over capacity/i, "overloaded"],
  [/rate.?limit|too many requests|resource.?exhausted|usage limit|quota/i, "rate_limited"],
  [/unauthori[sz]ed|authenticat|api.?key|permission denied|forbidden/i, "auth"],
];
const STATUSES: Readonly<Record<number, RefusalReason>> = {
  401: "auth",
  403: "auth",
  413: "context_overflow",
  429: "rate_limited",
  503: "overloaded",
  529: "overloaded",
};

export function refusalReason({ status, message }: ToldRefusal): RefusalReason {
  const code = status ?? statusIn(message);
  if (OWN_BUDGET.test(message)) return "budget";
  if (saysNoCredit(message)) return "billing";
  if (code === BUDGET) return "budget";
  if (OVERFLOW.test(message)) return "context_overflow";
  const byStatus = code === null ? undefined : STATUSES[code];
  return byStatus ?? WORDS.find(([words]) => words.test(message))?.[1] ?? "provider";
}

function statusIn(message: string): number | null {
  const found = STATUS.exec(message);
  return found === null ? null : Number(found[1] ?? found[2]);
}

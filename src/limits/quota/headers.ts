/** What the headers of a refusal say about when to come back. What is used up counts; what is left does not. */
import { DAY_MS } from "./civil.ts";
import { readEpoch, readHttpDate, readIso } from "./moments.ts";
import { readSpan } from "./spans.ts";

/** Names in lower case. */
export type Headers = Readonly<Record<string, string | undefined>>;

export interface HeaderTime {
  readonly until: number;
  /** The header and its value. */
  readonly evidence: string;
  /** An allowance of hours or days is used up, and not one of a minute. */
  readonly isQuota: boolean;
}

/** No allowance is longer than a month; what is said beyond that is a mistake. */
export const LONGEST_MS = 62 * DAY_MS;

type Read = (headers: Headers, at: number) => readonly HeaderTime[];

/** In the order of how much they know; the first that says anything counts, and of what it says the latest. */
const READERS: readonly Read[] = [unified, codex, retryAfter, anthropic, openai, reset];

/** An instant that has come, such as that of `retry-after: 0`, is now; it counts where no header names a later one. */
export function readHeaders(headers: Headers, at: number): HeaderTime | null {
  let come: HeaderTime | null = null;
  for (const read of READERS) {
    const times = read(headers, at).filter(({ until }) => until <= at + LONGEST_MS);
    const [last] = [...times].sort((a, b) => b.until - a.until);
    if (last !== undefined && last.until > at) return last;
    if (last !== undefined) come ??= { ...last, until: at };
  }
  return come;
}

/** Every allowance must be there at once: the one that comes back last decides. */
function unified(headers: Headers): readonly HeaderTime[] {
  const prefix = "anthropic-ratelimit-unified";
  return ["-5h", "-7d", ""].flatMap((window) => {
    const isRejected = headers[`${prefix}${window}-status`] === "rejected";
    return isRejected ? timeOf(headers, `${prefix}${window}-reset`, (text) => readEpoch(Number(text)), true) : [];
  });
}

function codex(headers: Headers, at: number): readonly HeaderTime[] {
  return ["primary", "secondary"].flatMap((window) => {
    const name = `x-codex-${window}`;
    if (!(Number(headers[`${name}-used-percent`]) >= 100)) return [];
    const exact = timeOf(headers, `${name}-reset-at`, (text) => readEpoch(Number(text)), true);
    return exact.length > 0
      ? exact
      : timeOf(headers, `${name}-reset-after-seconds`, (text) => secondsFrom(text, at), true);
  });
}

function retryAfter(headers: Headers, at: number): readonly HeaderTime[] {
  const exact = timeOf(
    headers,
    "retry-after-ms",
    (text) => (isCount(text) ? at + Math.ceil(Number(text)) : null),
    false,
  );
  const rough = timeOf(headers, "retry-after", (text) => secondsFrom(text, at) ?? dateFrom(text, headers, at), false);
  return exact.length > 0 ? exact : rough;
}

/** A date is of the clock of the server, which says in the same answer how late it is there. */
function dateFrom(text: string, { date }: Headers, at: number): number | null {
  const until = readHttpDate(text);
  const there = date === undefined ? null : readHttpDate(date.trim());
  return until === null || there === null ? until : at + (until - there);
}

function anthropic(headers: Headers): readonly HeaderTime[] {
  return ["requests", "tokens", "input-tokens", "output-tokens"].flatMap((what) => {
    const name = `anthropic-ratelimit-${what}`;
    return isUsedUp(headers[`${name}-remaining`])
      ? timeOf(headers, `${name}-reset`, (text) => readIso(text, "UTC"), false)
      : [];
  });
}

function openai(headers: Headers, at: number): readonly HeaderTime[] {
  return ["requests", "tokens"].flatMap((what) => {
    const remaining = headers[`x-ratelimit-remaining-${what}`];
    if (remaining !== undefined && !isUsedUp(remaining)) return [];
    return timeOf(headers, `x-ratelimit-reset-${what}`, (text) => resetFrom(text, at), false);
  });
}

function reset(headers: Headers, at: number): readonly HeaderTime[] {
  return ["x-ratelimit-reset", "ratelimit-reset"].flatMap((name) =>
    timeOf(headers, name, (text) => resetFrom(text, at), false),
  );
}

function timeOf(
  headers: Headers,
  name: string,
  read: (text: string) => number | null,
  isQuota: boolean,
): readonly HeaderTime[] {
  const text = headers[name]?.trim();
  const until = text === undefined ? null : read(text);
  return until === null ? [] : [{ until, evidence: `${name}: ${text}`, isQuota }];
}

function secondsFrom(text: string, at: number): number | null {
  return isCount(text) ? at + Math.ceil(Number(text) * 1000) : null;
}

/** Seconds since 1970, a length such as `1m30s`, or seconds. */
function resetFrom(text: string, at: number): number | null {
  return readEpoch(Number(text)) ?? spanFrom(text, at);
}

function spanFrom(text: string, at: number): number | null {
  const span = readSpan(text);
  return span === null ? secondsFrom(text, at) : at + span;
}

function isCount(text: string): boolean {
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(text);
}

function isUsedUp(remaining: string | undefined): boolean {
  return remaining !== undefined && isCount(remaining) && Number(remaining) < 1;
}

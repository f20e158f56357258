/**
 * readQuota: what a vendor says when it says no for now → until when. Nothing is guessed: what is not understood has no instant,
 * and an instant is never in the past.
 */
import { type Headers, type HeaderTime, LONGEST_MS, readHeaders } from "./headers.ts";
import { type PhraseTime, readPhrases } from "./phrases.ts";
import { type Found, findSignal, type QuotaKind, type QuotaVendor } from "./signals.ts";

export interface Refusal {
  /** Of the answer; without it there was none, and only the text is looked at. */
  readonly status?: number | undefined;
  /** Names in lower case. */
  readonly headers?: Headers | undefined;
  /** The body, the message, or the last that a program has written. */
  readonly text?: string | undefined;
  /** Whose words are understood; everybody's without it. */
  readonly vendor?: QuotaVendor | undefined;
  readonly at: number;
  /** IANA name of the zone of the host: it counts where a text names none. */
  readonly zone: string;
}

export interface Quota {
  readonly kind: QuotaKind;
  /** When it goes on; null: nobody said, or it was not understood. */
  readonly until: number | null;
  readonly why: string;
  /** The words that say so. */
  readonly evidence: string;
}

/** So long a wait is no matter of a rate. */
const SHORT_MS = 15 * 60_000;
const BEFORE = 400;
const AFTER = 1600;
const MOST_TEXT = 32_768;
const MOST_EVIDENCE = 200;

/** null: it is no refusal of this kind. */
export function readQuota(refusal: Refusal): Quota | null {
  const { status, headers = {}, at, zone, vendor = "any" } = refusal;
  if (status !== undefined && status < 400) return null;
  const text = plain(refusal.text ?? "");
  const found = findSignal(text, vendor);
  const kind = found?.kind ?? kindOfStatus(status);
  if (kind === null) return null;
  const fromHeaders = readHeaders(headers, at);
  const fromText = readPhrases(around(text, found), { at, zone }, at + LONGEST_MS);
  const time = pick(fromHeaders, fromText);
  const until = kind === "credit" ? null : (time?.until ?? null);
  const evidence = oneLine(time?.evidence ?? (found === null ? `status ${status}` : text.slice(found.from)));
  const actual = kindOf(kind, fromHeaders, until, at);
  return { kind: actual, until, why: WHY[actual], evidence };
}

const WHY: Readonly<Record<QuotaKind, string>> = {
  quota: "the quota of the vendor is used up",
  rate: "too many requests in a short time",
  overloaded: "the vendor has no room at the moment",
  credit: "no credit is left with the vendor",
};

/** What is known exactly is in the headers; a text that says later knows of a longer allowance. */
function pick(headers: HeaderTime | null, text: PhraseTime | null): PhraseTime | null {
  if (headers === null) return text;
  return text !== null && text.until > headers.until && !headers.isQuota ? text : headers;
}

function kindOfStatus(status: number | undefined): QuotaKind | null {
  if (status === 429) return "rate";
  if (status === 402) return "credit";
  return status === 529 || status === 503 ? "overloaded" : null;
}

function kindOf(kind: QuotaKind, headers: HeaderTime | null, until: number | null, at: number): QuotaKind {
  if (kind !== "rate") return kind;
  const isLong = until !== null && until - at > SHORT_MS;
  return isLong || headers?.isQuota === true ? "quota" : "rate";
}

/** The neighbourhood of the signal: what stands elsewhere belongs to something else. */
function around(text: string, found: Found | null): string {
  return found === null ? text : text.slice(Math.max(0, found.from - BEFORE), found.to + AFTER);
}

/** Without colours and frames, with straight quotes, on one line: what a terminal has made of a sentence is undone. */
function plain(text: string): string {
  return text
    .slice(-MOST_TEXT)
    .replaceAll(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "")
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(/(?:\\n|[\s\u2500-\u257f])+/g, " ");
}

function oneLine(text: string): string {
  return text.trim().slice(0, MOST_EVIDENCE);
}

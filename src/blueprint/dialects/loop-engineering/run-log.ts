/**
 * `loop-run-log.md`: one line of JSON for each run, below a marker. Entries of the last 30 days stay; every line that is no
 * entry with a date stays for good.
 */
import type { JsonObject } from "../../../base/json.ts";
import { breakAt, type PageLine, pageLines, withoutLines } from "./page-lines.ts";
import { dateOf } from "./written-dates.ts";

export const RUN_LOG = "loop-run-log.md";

export interface RunLogEntry {
  /** When the run began, as ISO 8601; others write other names. */
  readonly runId: string;
  /** The id of a pattern, or another name. */
  readonly pattern: string;
  readonly durationS: number;
  readonly itemsFound: number;
  readonly actionsTaken: number;
  readonly escalations: number;
  readonly tokensEstimate: number;
  /** `no-op`, `report-only`, `fix-proposed`, `escalated`; others write other words. */
  readonly outcome: string;
  /** What else stands there. */
  readonly extra: JsonObject;
}

export interface RunLogLine extends RunLogEntry {
  readonly line: number;
}

export interface RunLog {
  readonly entries: readonly RunLogLine[];
  /** Lines that look like an entry and are none; they are kept. */
  readonly unreadable: readonly number[];
}

const MARKER = "<!-- Loop appends below this line -->";
const IS_MARKER = /^\s{0,40}<!--\s{0,8}loop appends below this line\s{0,8}-->\s{0,40}$/i;
const KEPT_MS = 30 * 86_400_000;
const HEAD = `# Loop Run Log\n\nOne entry for each run. Entries older than 30 days are removed.\n\n## Recent Runs\n\n${MARKER}\n`;
const NUMBERS = ["duration_s", "items_found", "actions_taken", "escalations", "tokens_estimate"] as const;
const KNOWN: ReadonlySet<string> = new Set(["run_id", "pattern", "outcome", ...NUMBERS]);

export function parseRunLog(text: string): RunLog {
  const found = candidates(pageLines(text)).map((line) => ({ line, entry: entryOf(line) }));
  return {
    entries: found.flatMap(({ line, entry }) => (entry === null ? [] : [{ ...entry, line: line.number }])),
    unreadable: found.flatMap(({ line, entry }) => (entry === null ? [line.number] : [])),
  };
}

/** `now`: entries with an older date than 30 days before it are removed. An entry that is there already is not added again. */
export function appendRunLog(text: string, entry: RunLogEntry, now: number): string {
  const pruned = prune(text === "" ? HEAD : text, now);
  // Again, because an old entry that had to stay between two line breaks can go once the new one stands behind it.
  return prune(withEntry(pruned, textOf(entry)), now);
}

function withEntry(text: string, own: string): string {
  const lines = pageLines(text);
  const rows = candidates(lines);
  if (rows.some(({ start, end }) => text.slice(start, end) === own)) return text;
  const marker = lines.find((line) => isMarker(text, line));
  const last = rows.findLast(({ number, hidesNext }) => number > (marker?.number ?? 0) && !hidesNext);
  const place = last ?? marker;
  if (place !== undefined) return withLine(text, place, own);
  const end = lines.at(-1) as PageLine;
  // Where the end of the page is hidden, its beginning is not.
  const at = end.hidesNext ? (lines[0] as PageLine).start : text.length;
  const lineBreak = breakAt(text, at);
  const title = ["## Recent Runs", ""];
  const gap = end.start === end.end ? [""] : ["", ""];
  const section = [...(end.hidesNext ? [] : [...gap, ...title]), MARKER, own, ""].join(lineBreak);
  return `${text.slice(0, at)}${section}${text.slice(at)}`;
}

function withLine(text: string, { end, next }: PageLine, own: string): string {
  const lineBreak = breakAt(text, next);
  return end === next
    ? `${text}${lineBreak}${own}${lineBreak}`
    : `${text.slice(0, next)}${own}${lineBreak}${text.slice(next)}`;
}

/** Outside of code and comments: the page shows an example of an entry. */
function candidates(lines: readonly PageLine[]): readonly PageLine[] {
  return lines.filter(({ shown }) => shown.startsWith("{"));
}

function isMarker(text: string, { start, end, hidesNext, shown }: PageLine): boolean {
  return !hidesNext && shown.trim() === "" && IS_MARKER.test(text.slice(start, Math.min(end, start + 200)));
}

function prune(text: string, now: number): string {
  return candidates(pageLines(text)).reduceRight((before, line) => {
    const at = dateOf(entryOf(line)?.runId ?? "");
    const isOld = at !== null && now - at > KEPT_MS;
    return isOld ? withoutLines(before, line.start, line.next) : before;
  }, text);
}

function entryOf({ shown }: PageLine): RunLogEntry | null {
  const read = objectOf(shown);
  if (typeof read?.["run_id"] !== "string" || typeof read["pattern"] !== "string") return null;
  const number = (name: (typeof NUMBERS)[number]): number => (typeof read[name] === "number" ? read[name] : 0);
  return {
    runId: read["run_id"],
    pattern: read["pattern"],
    durationS: number("duration_s"),
    itemsFound: number("items_found"),
    actionsTaken: number("actions_taken"),
    escalations: number("escalations"),
    tokensEstimate: number("tokens_estimate"),
    outcome: typeof read["outcome"] === "string" ? read["outcome"] : "",
    extra: Object.fromEntries(Object.entries(read).filter(([name]) => !KNOWN.has(name))),
  };
}

/** What begins with a brace is an object, or nothing. */
function objectOf(text: string): JsonObject | null {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return null;
  }
}

/** One line, whatever is in it; no comment can begin there. */
function textOf(entry: RunLogEntry): string {
  const { runId, pattern, durationS, itemsFound, actionsTaken, escalations, tokensEstimate, outcome, extra } = entry;
  const written = {
    ...{ run_id: runId, pattern, duration_s: durationS, items_found: itemsFound, actions_taken: actionsTaken },
    ...{ escalations, tokens_estimate: tokensEstimate, outcome },
    ...Object.fromEntries(Object.entries(extra).filter(([name]) => !KNOWN.has(name))),
  };
  return JSON.stringify(written).replaceAll("<!--", "\\u003c!--").replaceAll("-->", "--\\u003e");
}

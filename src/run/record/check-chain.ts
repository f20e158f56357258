/** Recomputes the chain of one run from its stored text and names the first event that does not fit. */
import { isJsonObject } from "../../base/json.ts";
import type { RunEvent } from "../events.ts";
import { chainNext, chainStart } from "./chain.ts";
import { listedUnder, type RowChange, rowChange } from "./row.ts";

/** One event as it lies in the store. `body` is null when its bytes are no text at all. */
export interface ChainLink {
  readonly seq: number;
  readonly body: string | null;
  readonly hash: string;
}

/** What is pinned beside the events: the end of the chain, and the facts that lists show. */
export interface PinnedHead extends RowChange {
  readonly seq: number;
  readonly hash: string;
  readonly plan: string;
  readonly blueprint: string;
  /** See `listedUnder`. */
  readonly under: string | null;
  readonly createdAt: number;
  /** A host has the run: its chain may go on beyond what is pinned. */
  readonly isOpen: boolean;
}

export type ChainFinding =
  | { readonly intact: true; readonly events: number; readonly head: string }
  | { readonly intact: false; readonly seq: number; readonly problem: string };

/** Links come in the order of their seq. */
export function checkChain(run: string, links: Iterable<ChainLink>, head: PinnedHead): ChainFinding {
  let end: End = { seq: 0, hash: chainStart(run), row: undefined };
  for (const link of links) {
    const next = checkLink(run, link, end, head);
    if (typeof next === "string") return bad(end.seq + 1, next);
    end = next;
  }
  return checkEnd(end, head);
}

/** The chain up to and with this link, or what is wrong with it. */
function checkLink(run: string, link: ChainLink, end: End, head: PinnedHead): End | string {
  const seq = end.seq + 1;
  if (link.seq !== seq) return "the event is missing";
  if (seq > head.seq && !head.isOpen) return "the event lies beyond the pinned head";
  if (link.body === null) return "the event is not text";
  const hash = chainNext(end.hash, link.body);
  if (hash !== link.hash) return "the event does not match its chain value";
  if (seq === head.seq && hash !== head.hash) return "the pinned head does not match its event";
  const event = parseEvent(link.body);
  if (event === undefined) return "the event is not a JSON object";
  const problem = seq === 1 ? firstProblem(event, run, head) : undefined;
  return problem ?? { seq, hash, row: rowChange(event) ?? end.row };
}

interface End {
  readonly seq: number;
  readonly hash: string;
  readonly row: RowChange | undefined;
}

function checkEnd(end: End, head: PinnedHead): ChainFinding {
  if (end.seq < head.seq || end.row === undefined) return bad(end.seq + 1, "the event is missing");
  if (end.row.status !== head.status || end.row.reason !== head.reason) {
    return bad(end.seq, `the run is listed as ${head.status} but its events say ${end.row.status}`);
  }
  return { intact: true, events: end.seq, head: end.hash };
}

function firstProblem(event: RunEvent, run: string, head: PinnedHead): string | undefined {
  if (event.type !== "run.created") return "the first event is not run.created";
  if (event.run !== run) return "the first event belongs to another run";
  if (event.plan !== head.plan) return "the run is listed with another plan";
  const isSame = event.blueprint === head.blueprint && event.at === head.createdAt && listedUnder(event) === head.under;
  return isSame ? undefined : "the run is listed with another blueprint, another parent or another time";
}

function parseEvent(body: string): RunEvent | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? (value as unknown as RunEvent) : undefined;
  } catch {
    return undefined;
  }
}

function bad(seq: number, problem: string): ChainFinding {
  return { intact: false, seq, problem };
}

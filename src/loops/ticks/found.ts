/** What a tick begins with: what the files of a loop say now. People's words in them are inputs, and are stored as what was found. */
import { parseConstraints } from "../../blueprint/dialects/loop-engineering/constraints.ts";
import { parseRunLog, type RunLogEntry } from "../../blueprint/dialects/loop-engineering/run-log.ts";
import { type ItemRole, itemsOfRole, parseStateFile } from "../../blueprint/dialects/loop-engineering/state-file.ts";
import { stateItemId } from "../../blueprint/dialects/loop-engineering/state-item.ts";
import { MOST_ATTEMPTS } from "../../blueprint/dialects/patterns/tick-text.ts";
import { MAX_AGE_DAYS, rottenItems } from "../audit/rot.ts";

/** What a tick before this one did about an item. */
export interface Earlier {
  /** When it began. */
  readonly at: string;
  /** The word of the run log. */
  readonly outcome: string;
  readonly note: string | null;
}

export interface FoundItem {
  readonly id: string;
  readonly text: string;
  readonly role: ItemRole;
  readonly attempts: number;
  /** What a person has decided; null: nothing. */
  readonly decision: string | null;
  /** What a loop did last about it, as the file says; null: nothing. */
  readonly action: string | null;
  /** The newest of the run log, the last one at the end. */
  readonly earlier: readonly Earlier[];
}

/** Plain JSON: it is the output of a stage. */
export interface Found {
  /** When the tick began. */
  readonly at: number;
  /** Open ones. */
  readonly items: readonly FoundItem[];
  /** Ids of items that nobody has seen for long, or whose subject is gone. */
  readonly stale: readonly string[];
  readonly constraints: readonly string[];
  /** Why nothing may begin; null: it may. */
  readonly halted: string | null;
}

/** The daily token cap with the least left. */
export interface Spent {
  readonly spent: number;
  readonly cap: number;
  /** Whoever keeps the account lets nothing begin, whatever is left. */
  readonly isKilled?: boolean;
}

const ROLES: readonly ItemRole[] = ["act", "watch", "human"];
/** Of each item: what is older says nothing about what to do next. */
const MOST_EARLIER = 5;
const LONGEST_NOTE = 200;

/** What the files of a loop say. */
export interface LoopTexts {
  readonly pattern: string;
  readonly state: string;
  readonly constraints: string;
  readonly log: string;
}

/** `gone`: paths that items name and that are not there. */
export function lookAround(texts: LoopTexts, spent: Spent | null, now: number, gone: ReadonlySet<string>): Found {
  const file = parseStateFile(texts.state);
  const items = ROLES.flatMap((role) => itemsOfRole(file, role).map((item) => ({ role, item })));
  const open = items.filter(({ item }) => !item.isDone);
  const logged = parseRunLog(texts.log).entries.filter(({ pattern }) => pattern === texts.pattern);
  return {
    at: now,
    items: open.map(({ role, item }) => ({
      ...{ id: item.id, text: item.text, role, attempts: item.attempts?.used ?? 0, decision: item.humanDecision },
      ...{ action: item.loopAction, earlier: earlierOf(item.id, logged) },
    })),
    stale: rottenItems(file, { now, maxAgeDays: MAX_AGE_DAYS, isGone: (path) => gone.has(path) }).map(
      ({ item }) => item.id,
    ),
    constraints: parseConstraints(texts.constraints).map(({ text }) => text),
    halted: haltOf(file.pausedBy, spent),
  };
}

function earlierOf(id: string, entries: readonly RunLogEntry[]): readonly Earlier[] {
  const own = entries.filter(({ extra }) => extra["item"] === id);
  return own.slice(-MOST_EARLIER).map(({ runId, outcome, extra: { note } }) => {
    return { at: runId, outcome, note: typeof note === "string" ? note.slice(0, LONGEST_NOTE) : null };
  });
}

function haltOf(pausedBy: number | null, spent: Spent | null): string | null {
  if (pausedBy !== null) return "kill switch: loop-pause-all is true in the state file";
  if (spent?.isKilled === true) return "kill switch: the budget breaker was opened by hand";
  if (spent === null || spent.spent < spent.cap) return null;
  return `budget: ${grouped(spent.spent)} of ${grouped(spent.cap)} tokens spent today`;
}

function grouped(amount: number): string {
  return String(amount).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** What triage has said. */
export interface Triage {
  readonly outcome: string;
  readonly item?: string;
  readonly title?: string;
  readonly why?: string;
}

/** Why this item is not acted on; null: it may be. `state`: as the file is now. */
export function refusalOf(found: Found, { item }: Triage, state: string): string | null {
  // Attempts are counted by item: without one a failure could be repeated for ever.
  if (item === undefined || item.trim() === "") return "triage has named no item: attempts at it could not be counted";
  const id = stateItemId(item);
  if (found.stale.includes(id))
    return `${id} has gone stale: nobody has seen it for ${MAX_AGE_DAYS} days, or what it names is gone`;
  const file = parseStateFile(state);
  const openOf = (...roles: readonly ItemRole[]) =>
    itemsOfRole(file, ...roles).filter((each) => each.id === id && !each.isDone);
  const known = openOf(...ROLES);
  const used = Math.max(0, ...known.map(({ attempts }) => attempts?.used ?? 0));
  if (used >= MOST_ATTEMPTS) return `${id} has failed ${used} times: a person decides`;
  const isDecided = known.some(({ humanDecision }) => humanDecision !== null);
  return openOf("human").length > 0 && !isDecided ? `${id} was handed to a person, who has not decided yet` : null;
}

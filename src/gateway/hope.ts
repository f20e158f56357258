/**
 * How the calls of one attempt went, one after the other, and whether there is hope that one more is answered. Agents try again for as
 * long as they live, and few of them say why: who was refused, how often and for how long is known here.
 */
import { billingText } from "../limits/quota/billing-text.ts";
import { type RefusalReason, refusalReason } from "../limits/routes/refusal.ts";
import type { Clock } from "../ports/clock.ts";
import type { ModelRefusal } from "../ports/models/model-access.ts";

/** What a call got instead of an answer. */
export interface Refused {
  /** null: an answer began, and then broke off or said that it failed. */
  readonly status: number | null;
  readonly message: string;
  /** Nobody was asked: why is what was told before. */
  readonly isResting?: boolean;
  /** When there may be an answer again; null: nobody knows. */
  readonly until: number | null;
  /** The provider wants money: its account, as a person knows it. */
  readonly account?: string;
}

/** One call; ends once, by one of these. */
export interface Trial {
  answered(): void;
  refused(refused: Refused): void;
  /** The client did not wait for it. */
  left(): void;
}

export interface Hope {
  /** `isWork`: it offers tools. What does not is an aside, such as a title, and counts only while there was nothing else. */
  begin(isWork: boolean): Trial;
  /** null: the last call was answered, or there was none. */
  lastRefusal(): ModelRefusal | null;
  /** Until when whoever refused the last call has no quota left; null: it was answered, or nobody said. */
  parkedUntil(): number | null;
  /** Resolves when there is none left; not otherwise. */
  readonly gone: Promise<ModelRefusal>;
  close(): void;
}

/** Calls one after the other, over at least this time; or so many, however fast. */
const FEWEST = 3;
const LEAST_MS = 20_000;
const MOST = 10;
/** Who is refused for longer than this, and asks nobody for a while, only sleeps. */
const FAR_MS = 60_000;
const QUIET_MS = 10_000;
/** Time does not mend these. */
const LASTING: ReadonlySet<RefusalReason> = new Set(["auth", "budget", "billing"]);

interface Last {
  readonly why: RefusalReason;
  readonly error: string;
  readonly until: number | null;
}

/** Refusals one after the other; calls that were under way together are one. `seen`: calls that had begun when the last one counted. */
interface Row {
  readonly count: number;
  readonly since: number;
  readonly seen: number;
}

export function createHope(clock: Pick<Clock, "now" | "after">): Hope {
  const underWay = new Set<{ readonly isWork: boolean }>();
  let begun = 0;
  let hasWork = false;
  let hasAnswer = false;
  let last: Last | null = null;
  let row: Row = { count: 0, since: 0, seen: 0 };
  let callOff: () => void = () => undefined;
  let tell: (refusal: ModelRefusal) => void = () => undefined;
  const gone = new Promise<ModelRefusal>((resolve) => {
    tell = resolve;
  });

  const counts = ({ isWork }: { readonly isWork: boolean }): boolean => isWork || !hasWork;
  const refusal = (): ModelRefusal | null =>
    last === null ? null : { why: last.why, error: last.error, isAll: !hasAnswer };
  const forget = (): void => {
    last = null;
    row = { count: 0, since: 0, seen: begun };
  };
  const look = (): void => {
    callOff();
    const told = refusal();
    if (last === null || told === null || [...underWay].some(counts)) return;
    if (isHopeless(row, last, clock.now())) tell(told);
    else if (isFar(last, clock.now())) callOff = clock.after(QUIET_MS, () => tell(told));
  };
  const begin = (isWork: boolean): Trial => {
    if (isWork && !hasWork) {
      hasWork = true;
      forget();
    }
    callOff();
    begun += 1;
    const order = begun;
    const call = { isWork };
    underWay.add(call);
    const end = (then: () => void): void => {
      if (!underWay.delete(call)) return;
      if (counts(call)) then();
      look();
    };
    const answer = (): void => {
      hasAnswer = true;
      forget();
    };
    const refuse = (refused: Refused): void => {
      last = lastOf(refused, last);
      if (order > row.seen) row = longer(row, begun, clock.now());
    };
    return {
      left: () => end(() => undefined),
      answered: () => end(answer),
      refused: (refused) => end(() => refuse(refused)),
    };
  };
  return { begin, lastRefusal: refusal, parkedUntil: () => last?.until ?? null, gone, close: () => callOff() };
}

function lastOf({ status, message, isResting = false, until, account }: Refused, before: Last | null): Last {
  if (account !== undefined) return { why: "billing", error: billingText(account, message), until: null };
  const why = isResting && before !== null ? before.why : refusalReason({ status, message });
  return { why, error: message, until };
}

function longer({ count, since }: Row, begun: number, now: number): Row {
  return { count: count + 1, since: count === 0 ? now : since, seen: begun };
}

function isHopeless({ count, since }: Row, { why }: Last, now: number): boolean {
  if (count >= MOST) return true;
  return count >= FEWEST && (LASTING.has(why) || now - since >= LEAST_MS);
}

function isFar({ until }: Last, now: number): boolean {
  return until !== null && until - now > FAR_MS;
}

/** The changes of a project and the queues they stand in, kept on a board. Every step changes all that it concerns at once, or nothing. */
import type { JsonValue } from "../../../base/json.ts";
import type { Board, Page } from "../../../ports/loops/board.ts";
import type { Gone } from "../locks.ts";
import { become, type ChangeRecord, type ChangeState, mayBecome } from "./change.ts";
import {
  type Active,
  EMPTY,
  type Found,
  holderOf,
  join,
  type Landing,
  land,
  leave,
  letGo,
  type Queue,
  renew,
  report,
  take,
  type Waiting,
} from "./queue.ts";

/** Changes that are not over. */
export type Standing = Readonly<Record<string, Pick<ChangeRecord, "loop" | "into" | "state">>>;

export interface Ended {
  readonly id: string;
  readonly to: Extract<ChangeState, "merged" | "returned">;
  readonly why: string | null;
  readonly commit: string | null;
}

export interface Taken extends Active {
  readonly token: number;
  readonly tries: number;
}

export interface Changes {
  /** The first to hand in a change wins. `state`: open, or queued at once. */
  handIn(record: ChangeRecord): Promise<ChangeRecord>;
  get(id: string): Promise<ChangeRecord | null>;
  standing(): Promise<Standing>;
  /** A person, or what the repository shows, decides; null: there is no such change, or it is past that. */
  decide(id: string, to: ChangeState, facts: Decision): Promise<ChangeRecord | null>;
  /** The work to do now; null: none, or another worker has it. Takes up what a worker left that is gone. `dueBefore`: what was put off until before then is due. */
  take(into: string, worker: string, at: number, dueBefore?: number): Promise<Taken | null>;
  /** Who works on the queue now; null: nobody. */
  holder(into: string, at: number): Promise<{ readonly name: string; readonly until: number } | null>;
  /** false: another worker has the queue, and nothing may be done any more. The same for the three below. */
  renew(into: string, token: number, at: number): Promise<boolean>;
  land(into: string, token: number, landing: Landing | null, at: number): Promise<boolean>;
  report(into: string, token: number, found: Found, ended: readonly Ended[], at: number): Promise<boolean>;
  letGo(into: string, token: number): Promise<boolean>;
  /** Changes that ended in this time, in the order they did. */
  endedWithin(from: number, until: number): Promise<readonly ChangeRecord[]>;
}

export interface Decision {
  readonly by: string | null;
  readonly why: string | null;
  readonly commit?: string | null;
  readonly at: number;
}

const STANDING = "standing";
const PAGE = 500;
const nameOf = (id: string): string => `change/${id}`;
const queueOf = (into: string): string => `queue/${into}`;
const stamp = (at: number): string => String(Math.max(0, at)).padStart(15, "0");
const json = (value: unknown): JsonValue => value as JsonValue;
const asQueue = (page: Page | undefined): Queue => (page as Queue | null | undefined) ?? EMPTY;
const asRecord = (page: Page | undefined): ChangeRecord | null => (page as ChangeRecord | null | undefined) ?? null;

export function createChanges(board: Board): Changes {
  return {
    handIn: (record) =>
      board.change([nameOf(record.id), queueOf(record.into), STANDING], ([found, queue, standing]) => {
        const kept = asRecord(found);
        if (kept !== null) return { keep: [found, queue, standing] as Page[], result: kept };
        const next = record.state === "queued" ? join(asQueue(queue), waitingOf(record)) : asQueue(queue);
        return { keep: [json(record), json(next), json(standingWith(standing, record))], result: record };
      }),
    get: async (id) => asRecord(await board.read(nameOf(id))),
    standing: async () => ((await board.read(STANDING)) as Standing | null) ?? {},
    decide: (id, to, facts) => decide(board, id, to, facts),
    async take(into, name, at, dueBefore = at) {
      const [host, gone] = [await board.host(), await goneOf(board, into)];
      return board.change([queueOf(into)], ([found]) => {
        const queue = take(asQueue(found), { name, host }, { at, gone, dueBefore });
        if (queue === null || queue.active === null) return { keep: [found as Page], result: null };
        const { active, token, tries } = queue;
        return { keep: [json(queue)], result: { ...active, token, tries } };
      });
    },
    async holder(into, at) {
      const holder = holderOf(asQueue(await board.read(queueOf(into))), at, await goneOf(board, into));
      return holder === null ? null : { name: holder.name, until: holder.until };
    },
    renew: (into, token, at) => withQueue(board, into, token, (queue) => renew(queue, at)),
    land: (into, token, landing, at) => withQueue(board, into, token, (queue) => renew(land(queue, landing), at)),
    report: (into, token, found, ended, at) => reportTo(board, into, token, { found, ended, at }),
    letGo: (into, token) => withQueue(board, into, token, letGo),
    async endedWithin(from, until) {
      const ids: string[] = [];
      for (let after = `over/${stamp(from)}`; ; ) {
        const page = await board.list("over/", after, PAGE);
        const within = page.filter(({ name }) => name < `over/${stamp(until)}`);
        ids.push(...within.map(({ body }) => body as string));
        const last = within.at(-1)?.name;
        if (within.length < PAGE || last === undefined) break;
        after = last;
      }
      const records: ChangeRecord[] = [];
      for (const id of ids) records.push((await board.read(nameOf(id))) as unknown as ChangeRecord);
      return records;
    },
  };
}

/** Whoever is gone once never comes back, so that it may be found out before a change. */
async function goneOf(board: Board, into: string): Promise<Gone> {
  const host = asQueue(await board.read(queueOf(into))).worker?.host;
  return new Set(host !== undefined && (await board.isGone(host)) ? [host] : []);
}

function waitingOf({ id, priority, at }: ChangeRecord): Waiting {
  return { id, priority, at, notBefore: 0 };
}

function standingWith(page: Page | undefined, { id, loop, into, state }: ChangeRecord): Standing {
  const { [id]: _gone, ...others } = (page as Standing | null | undefined) ?? {};
  return state === "open" || state === "queued" ? { ...others, [id]: { loop, into, state } } : others;
}

async function decide(board: Board, id: string, to: ChangeState, facts: Decision): Promise<ChangeRecord | null> {
  const known = asRecord(await board.read(nameOf(id)));
  if (known === null) return null;
  const over = `over/${stamp(facts.at)}/${id}`;
  const names = [nameOf(id), queueOf(known.into), STANDING, over];
  return board.change(names, ([found, page, standing, was]) => {
    const record = asRecord(found) as ChangeRecord;
    const queue = asQueue(page);
    const isUnderWay = queue.active?.group.includes(id) === true;
    if (!mayBecome(record.state, to) || isUnderWay)
      return { keep: [found, page, standing, was] as Page[], result: null };
    const next = become(record, to, facts);
    const line = to === "queued" ? join(leave(queue, id), waitingOf(next)) : leave(queue, id);
    const isOver = to !== "queued";
    const keep = [json(next), json(line), json(standingWith(standing, next)), isOver ? id : (was as Page)];
    return { keep, result: next };
  });
}

/** Only for the worker that has the queue. */
function withQueue(board: Board, into: string, token: number, law: (queue: Queue) => Queue): Promise<boolean> {
  return board.change([queueOf(into)], ([found]) => {
    const queue = asQueue(found);
    if (queue.token !== token || queue.worker === null) return { keep: [found as Page], result: false };
    return { keep: [json(law(queue))], result: true };
  });
}

interface Reported {
  readonly found: Found;
  readonly ended: readonly Ended[];
  readonly at: number;
}

function reportTo(board: Board, into: string, token: number, { found, ended, at }: Reported): Promise<boolean> {
  const names = ended.map(({ id }) => nameOf(id));
  const overs = ended.map(({ id }) => `over/${stamp(at)}/${id}`);
  return board.change([queueOf(into), STANDING, ...names, ...overs], (pages) => {
    const queue = asQueue(pages[0]);
    if (queue.token !== token || queue.worker === null) return { keep: pages, result: false };
    let standing = pages[1] as Page;
    const records = ended.map(({ to, why, commit }, index) => {
      const record = become(asRecord(pages[2 + index]) as ChangeRecord, to, { why, commit, at });
      standing = json(standingWith(standing, record));
      return json(record);
    });
    const keep = [json(renew(report(queue, found), at)), standing, ...records, ...ended.map(({ id }) => id)];
    return { keep, result: true };
  });
}

/** Finds questions: page by page over the runs that may have them, or by the id, which names its run. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { RunPage, RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import type { WaitingRun } from "../../ports/store/waiting-runs.ts";
import { type Approval, type ApprovalStatus, approvalsOf, asked } from "../../run/approval/approvals.ts";
import { runOfId } from "../../run/approval/question.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { StoredEvent } from "../../run/events.ts";
import { readEvents, readStored } from "../past.ts";

export interface ApprovalQuery {
  /** Only those; `pending` looks at runs that rest with an open question, child runs among them, and at nothing else. */
  readonly status?: ApprovalStatus;
  /** Only the questions of this run and of its child runs. */
  readonly run?: RunId;
  readonly cursor?: string;
  /** How many runs a page looks at. */
  readonly limit: number;
}

export interface ApprovalPage {
  /** The newest first. */
  readonly approvals: readonly Approval[];
  /** null: the last page. */
  readonly next: string | null;
}

const MOST_MATCHES = 20;
const PAGE = 100;

export async function listApprovals(store: Store, query: ApprovalQuery): Promise<ApprovalPage> {
  const { status, run, limit, cursor } = query;
  if (status === "pending") {
    if (run !== undefined) return { approvals: await pendingBelow(store, await rowOf(store, run)), next: null };
    const page = await store.waiting.asking(cursor === undefined ? { limit } : { limit, cursor });
    return { approvals: (await Promise.all(page.runs.map((each) => pendingOf(store, each)))).flat(), next: page.next };
  }
  const page = await runsOf(store, query);
  const approvals: Approval[] = [];
  for (const row of page.rows) approvals.push(...(await approvalsBelow(store, row, status)));
  return { approvals, next: page.next };
}

/** The open questions of a run that rests, the newest first: each is read where it was asked. */
async function pendingOf({ journal }: Pick<Store, "journal">, { run, questions }: WaitingRun): Promise<Approval[]> {
  if (questions.length === 0) return [];
  const created = (await journal.read(run, 0, 1))[0]?.event;
  const found: Approval[] = [];
  for (const { seq, remindedAt } of [...questions].reverse()) {
    const event = (await journal.read(run, seq - 1, 1))[0]?.event;
    if (created?.type === "run.created" && event?.type === "approval.requested")
      found.push({ ...asked(created, event), remindedAt });
  }
  return found;
}

async function pendingBelow(store: Store, { run }: Pick<RunRow, "run">): Promise<Approval[]> {
  const waiting = await store.waiting.get(run);
  if (waiting === undefined) return [];
  const found = await pendingOf(store, waiting);
  for await (const child of childrenOf(store, run, true)) found.push(...(await pendingBelow(store, child)));
  return found;
}

async function rowOf({ runs }: Pick<Store, "runs">, run: RunId): Promise<RunRow> {
  const row = await runs.get(run);
  if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run });
  return row;
}

async function runsOf(store: Store, { run, cursor, limit }: ApprovalQuery): Promise<RunPage> {
  if (run !== undefined) return { rows: [await rowOf(store, run)], next: null };
  return store.runs.list(cursor === undefined ? { limit } : { limit, cursor });
}

/** The questions of a run and of the runs it started. A run whose child asks waits too. */
async function approvalsBelow(store: Store, row: RunRow, status: ApprovalStatus | undefined): Promise<Approval[]> {
  const own = approvalsOf(await readEvents(store, row.run)).filter(
    (each) => status === undefined || each.status === status,
  );
  const found = [...own].reverse();
  for await (const child of childrenOf(store, row.run, false))
    found.push(...(await approvalsBelow(store, child, status)));
  return found;
}

async function* childrenOf(store: Store, parent: RunId, isWaiting: boolean): AsyncIterable<RunRow> {
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: RunPage = await store.runs.list({
      parent,
      limit: PAGE,
      ...(isWaiting ? { status: "waiting" } : {}),
      ...(cursor === "" ? {} : { cursor }),
    });
    yield* page.rows;
    cursor = page.next;
  }
}

/** A question, with the journal of its run as it was read for it. */
export interface FoundApproval {
  readonly approval: Approval;
  readonly stored: readonly StoredEvent[];
}

/** An id tells the run it was asked in, so only runs that its beginning fits are looked at. */
export async function findApproval(store: Store, id: string): Promise<FoundApproval> {
  const rows = id === "" ? [] : await store.runs.find(runOfId(id), MOST_MATCHES);
  const found: FoundApproval[] = [];
  for (const { run } of rows) {
    const stored = await readStored(store, run);
    const asked = approvalsOf(stored.map(({ event }) => event)).filter((each) => each.id.startsWith(id));
    found.push(...asked.map((approval) => ({ approval, stored })));
  }
  const matches = [...new Set(found.map(({ approval }) => approval.id))];
  const [only] = found;
  if (only === undefined) throw pawlError(RUN_ERRORS, "RUN_APPROVAL_NOT_FOUND", { id });
  if (matches.length > 1 || rows.length === MOST_MATCHES)
    throw pawlError(RUN_ERRORS, "RUN_APPROVAL_AMBIGUOUS", { id, matches });
  return found.at(-1) ?? only;
}

/** The topmost run that waits for this one. */
export async function rootOf(store: Store, run: RunId): Promise<RunId> {
  const row = await store.runs.get(run);
  const parent = row?.parent == null ? undefined : await store.runs.get(row.parent);
  return parent?.status === "waiting" ? rootOf(store, parent.run) : run;
}

/** Finds questions: page by page over the runs that may have them, or by the id, which names its run. */
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { RunPage, RunRow } from "../../ports/store/run-index.ts";
import type { Store } from "../../ports/store/store.ts";
import { type Approval, type ApprovalStatus, approvalsOf } from "../../run/approval/approvals.ts";
import { runOfId } from "../../run/approval/question.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import { readEvents } from "../past.ts";

export interface ApprovalQuery {
  /** Only those; `pending` looks at waiting runs alone. */
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
  const page = await runsOf(store, query);
  const approvals: Approval[] = [];
  for (const row of page.rows) approvals.push(...(await approvalsBelow(store, row, query.status)));
  return { approvals, next: page.next };
}

async function runsOf(store: Store, { status, run, cursor, limit }: ApprovalQuery): Promise<RunPage> {
  if (run !== undefined) {
    const row = await store.runs.get(run);
    if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run });
    return { rows: [row], next: null };
  }
  return store.runs.list({
    limit,
    ...(status === "pending" ? { status: "waiting" } : {}),
    ...(cursor === undefined ? {} : { cursor }),
  });
}

/** The questions of a run and of the runs it started. A run whose child asks waits too. */
async function approvalsBelow(store: Store, row: RunRow, status: ApprovalStatus | undefined): Promise<Approval[]> {
  const own = approvalsOf(await readEvents(store, row.run)).filter(
    (each) => status === undefined || each.status === status,
  );
  const found = [...own].reverse();
  for await (const child of childrenOf(store, row.run, status === "pending"))
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

/** An id tells the run it was asked in, so only runs that its beginning fits are looked at. */
export async function findApproval(store: Store, id: string): Promise<Approval> {
  const rows = id === "" ? [] : await store.runs.find(runOfId(id), MOST_MATCHES);
  const found: Approval[] = [];
  for (const { run } of rows)
    found.push(...approvalsOf(await readEvents(store, run)).filter((each) => each.id.startsWith(id)));
  const matches = [...new Set(found.map((each) => each.id))];
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

/** Every question that is open, of all runs. */
export async function* openApprovals(store: Store): AsyncIterable<Approval> {
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query = { status: "pending", limit: PAGE } as const;
    const page: ApprovalPage = await listApprovals(store, cursor === "" ? query : { ...query, cursor });
    yield* page.approvals;
    cursor = page.next;
  }
}

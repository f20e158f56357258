/** The coordinator: asked before a run of a loop starts or goes on, and told when it is over, by every process of a project that hosts one. */
import type { RunId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Board, Page } from "../../ports/loops/board.ts";
import { backPressure, type Hold, lockedBy, type StartAsk } from "./hold.ts";
import {
  blockerOf,
  type Gone,
  type LockTable,
  NO_LOCKS,
  type PathLock,
  releaseLocks,
  renewLocks,
  takeLocks,
} from "./locks.ts";
import { createChanges } from "./merges/changes.ts";

export type StartAnswer =
  /** `token` 0: it needs no lock. */
  { readonly start: true; readonly token: number } | { readonly start: false; readonly hold: Hold };

/** What a run of a loop that changes paths was let in with. It is known until the run is over, so that whoever goes on with it asks again. */
export type LetIn = Pick<StartAsk, "loop" | "level" | "priority" | "paths">;

export interface Coordinator {
  /** Takes everything that the run needs, or nothing. Asking again for a run that may start changes nothing. */
  mayStart(ask: StartAsk, at: number): Promise<StartAnswer>;
  /** Keeps what it took; false: it is another's, and the run must not go on. */
  renew(run: string, token: number, at: number): Promise<boolean>;
  /** Lets go of what the run took, or no longer waits for it. */
  release(run: string, token: number): Promise<void>;
  /** null: no loop that changes paths has begun it, or it is over. */
  letIn(run: string): Promise<LetIn | null>;
  /** Runs that `letIn` knows. */
  letInRuns(most: number): Promise<readonly RunId[]>;
  /** The run is over. */
  forget(run: string): Promise<void>;
  /** Locks that are held, and why each loop that waits does. */
  view(at: number): Promise<LocksView>;
}

export interface LocksView {
  readonly held: readonly PathLock[];
  readonly waiting: readonly { readonly loop: string; readonly since: number; readonly hold: Hold }[];
}

/** Renewed more often than this; a process that stands still for longer has lost its locks. */
export const LOCK_LEASE_MS = 120_000;
const LOCKS = "locks";
const LET_IN = "let-in/";
const letInName = (run: string): string => `${LET_IN}${run}`;

export function createCoordinator(board: Board): Coordinator {
  const changes = createChanges(board);
  return {
    async mayStart(ask, at) {
      const paths = lockedBy(ask);
      if (paths.length === 0) return { start: true, token: 0 };
      const { id: owner, loop, level, priority } = ask;
      const open = Object.values(await changes.standing()).filter(
        (each) => each.loop === loop && each.state === "open",
      );
      const held = backPressure(ask, open.length);
      if (held !== null) {
        // It must not keep others from paths that it cannot use.
        await changeLocks(board, (table) => ({ table: releaseLocks(table, owner, 0), result: null }));
        return { start: false, hold: held };
      }
      const [host, gone] = [await board.host(), await goneOf(board)];
      const wish = { owner, host, loop, paths, priority, at, leaseMs: LOCK_LEASE_MS };
      const answer = await board.change([LOCKS, letInName(owner)], ([found, known]) => {
        const { table, answer: result } = takeLocks(tableOf(found), wish, gone);
        const letIn = { loop, level, priority, paths: ask.paths };
        return { keep: [table as unknown as JsonValue, result.taken ? letIn : (known ?? null)], result };
      });
      if (answer.taken) return { start: true, token: answer.token };
      return { start: false, hold: { kind: "path_lock", ...answer.inTheWay } };
    },
    async renew(run, token, at) {
      if (token === 0) return true;
      return changeLocks(board, (before) => {
        const table = renewLocks(before, run, token, at);
        return { table: table ?? before, result: table !== null };
      });
    },
    async release(run, token) {
      await changeLocks(board, (table) => ({ table: releaseLocks(table, run, token), result: null }));
    },
    letIn: async (run) => (await board.read(letInName(run))) as LetIn | null,
    letInRuns: async (most) =>
      (await board.list(LET_IN, "", most)).map(({ name }) => name.slice(LET_IN.length) as RunId),
    forget: (run) => board.change([letInName(run)], () => ({ keep: [null], result: undefined })),
    async view(at) {
      const [table, gone] = [tableOf(await board.read(LOCKS)), await goneOf(board)];
      const waiting = table.line.flatMap((waiter) => {
        const inTheWay = blockerOf(table, waiter, at, gone);
        const { loop, since } = waiter;
        return inTheWay === null ? [] : [{ loop, since, hold: { kind: "path_lock", ...inTheWay } as const }];
      });
      return { held: table.held.filter(({ until }) => at < until), waiting };
    },
  };
}

/** Whoever is gone once never comes back, so that it may be found out before a change. */
async function goneOf(board: Board): Promise<Gone> {
  const { held, line } = tableOf(await board.read(LOCKS));
  const gone = new Set<string>();
  for (const host of new Set([...held, ...line].map((each) => each.host)))
    if (host !== undefined && (await board.isGone(host))) gone.add(host);
  return gone;
}

function tableOf(page: Page | undefined): LockTable {
  return (page as LockTable | null | undefined) ?? NO_LOCKS;
}

function changeLocks<T>(
  board: Board,
  law: (table: LockTable) => { readonly table: LockTable; readonly result: T },
): Promise<T> {
  return board.change([LOCKS], ([page]) => {
    const { table, result } = law(tableOf(page));
    return { keep: [table as unknown as JsonValue], result };
  });
}

/** The coordinator: asked before a job starts and told when it is over, by every process that runs jobs of a project. */
import type { JsonValue } from "../../base/json.ts";
import type { Board, Page } from "../../ports/loops/board.ts";
import { backPressure, type Hold, lockedBy, type StartAsk } from "./hold.ts";
import { blockerOf, type LockTable, NO_LOCKS, type PathLock, releaseLocks, renewLocks, takeLocks } from "./locks.ts";
import { createChanges } from "./merges/changes.ts";

export type StartAnswer =
  /** `token` 0: it needs no lock. */
  { readonly start: true; readonly token: number } | { readonly start: false; readonly hold: Hold };

export interface Coordinator {
  /** Takes everything that the run of the job needs, or nothing. Asking again for a job that may start changes nothing. */
  mayStart(ask: StartAsk, at: number): Promise<StartAnswer>;
  /** Keeps what it took; false: it is another's, and the run must not go on. */
  renew(job: string, token: number, at: number): Promise<boolean>;
  /** Lets go of what the job took, or no longer waits for it. */
  release(job: string, token: number): Promise<void>;
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

export function createCoordinator(board: Board): Coordinator {
  const changes = createChanges(board);
  return {
    async mayStart(ask, at) {
      const paths = lockedBy(ask);
      if (paths.length === 0) return { start: true, token: 0 };
      const { id: owner, loop, priority } = ask;
      const open = Object.values(await changes.standing()).filter(
        (each) => each.loop === loop && each.state === "open",
      );
      const held = backPressure(ask, open.length);
      if (held !== null) {
        // It must not keep others from paths that it cannot use.
        await changeLocks(board, (table) => ({ table: releaseLocks(table, owner, 0), result: null }));
        return { start: false, hold: held };
      }
      const wish = { owner, loop, paths, priority, at, leaseMs: LOCK_LEASE_MS };
      const answer = await changeLocks(board, (before) => {
        const { table, answer: result } = takeLocks(before, wish);
        return { table, result };
      });
      if (answer.taken) return { start: true, token: answer.token };
      return { start: false, hold: { kind: "path_lock", ...answer.inTheWay } };
    },
    async renew(job, token, at) {
      if (token === 0) return true;
      return changeLocks(board, (before) => {
        const table = renewLocks(before, job, token, at);
        return { table: table ?? before, result: table !== null };
      });
    },
    async release(job, token) {
      await changeLocks(board, (table) => ({ table: releaseLocks(table, job, token), result: null }));
    },
    async view(at) {
      const table = tableOf(await board.read(LOCKS));
      const waiting = table.line.flatMap((waiter) => {
        const inTheWay = blockerOf(table, waiter, at);
        const { loop, since } = waiter;
        return inTheWay === null ? [] : [{ loop, since, hold: { kind: "path_lock", ...inTheWay } as const }];
      });
      return { held: table.held.filter(({ until }) => at < until), waiting };
    },
  };
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

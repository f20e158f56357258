/**
 * Cells that wait for workspaces to be saved: to build a wall takes as long as half a save, and there is time for it while a
 * stage works. A workspace has at most one; while it waits it touches nothing that a stage can see. It is given up when it
 * waits for long, or when too many do.
 */
import type { WaitingCell } from "./cell.ts";

export interface WaitingCells {
  /** From soon on a cell waits here, unless one does already. `mark` tells what it sees from what is there later. */
  prepare(folder: string, mark: () => Promise<string>, start: () => Promise<WaitingCell>): void;
  /** The cell that waits here, which the caller now has to end; null: there is none that sees what is there now. */
  take(folder: string, mark: () => Promise<string>): Promise<WaitingCell | null>;
  /** Resolves when none waits here. */
  discard(folder: string): Promise<void>;
}

interface Prepared {
  readonly mark: string;
  readonly cell: WaitingCell;
}

const MOST_MS = 10 * 60_000;
const MOST_CELLS = 16;

export function createWaitingCells(mostMs = MOST_MS): WaitingCells {
  const cells = new Map<string, { readonly prepared: Promise<Prepared | null>; readonly timer: NodeJS.Timeout }>();

  const remove = async (folder: string): Promise<Prepared | null> => {
    const found = cells.get(folder);
    if (found === undefined) return null;
    cells.delete(folder);
    clearTimeout(found.timer);
    return found.prepared;
  };
  const discard: WaitingCells["discard"] = async (folder) => (await remove(folder))?.cell.discard();

  return {
    discard,
    prepare(folder, mark, start) {
      if (cells.has(folder)) return;
      const [oldest] = cells.keys();
      if (oldest !== undefined && cells.size >= MOST_CELLS) void discard(oldest);
      const ready = async (): Promise<Prepared> => ({ mark: await mark(), cell: await start() });
      // Whoever needs a cell and finds none starts one, and learns what is wrong.
      const prepared = ready().catch(() => null);
      const timer = setTimeout(() => discard(folder), mostMs).unref();
      cells.set(folder, { prepared, timer });
    },
    async take(folder, mark) {
      const found = await remove(folder);
      if (found === null) return null;
      if (found.cell.isWaiting() && found.mark === (await mark())) return found.cell;
      await found.cell.discard();
      return null;
    },
  };
}

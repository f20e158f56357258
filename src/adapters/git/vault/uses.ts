/**
 * Who uses the vault. An object that nothing refers to yet may be about to be: between the moment a save finds it in the
 * vault and the moment its reference is written, nothing may be pruned. Users do not wait for each other; whoever prunes
 * waits for all users, and keeps new ones out.
 *
 *   pawl/uses/<owner>.<random>   one file for each use under way
 *   pawl/pruning.<owner>         someone prunes
 *
 * Each side first leaves its mark, then looks for that of the other.
 */
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { pawlError } from "../../../base/errors.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import { NEVER, throwIfAborted } from "../interrupt.ts";
import { isOwnerGone, ownToken } from "../owner.ts";
import { randomName } from "./durable.ts";

const PRUNING = "pruning.";
const LOOK_AGAIN_MS = 20;
/** A mark that cannot be judged, because its process is in another container, is forgotten after so long. */
const FOREIGN_MS = 24 * 3_600_000;

export interface Uses {
  /** Resolves when the vault may be used; then it must be given back. */
  begin(): Promise<() => Promise<void>>;
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` alone. Rejects with WORKSPACE_BUSY when others do not end in time. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export function createUses(vault: string, waitMs: number, signal: AbortSignal = NEVER): Uses {
  const marks = join(vault, "pawl");
  const folder = join(marks, "uses");

  const pruners = (): Promise<string[]> => living(marks, (name) => name.startsWith(PRUNING), ownerOfPruner);
  const users = (): Promise<string[]> => living(folder, () => true, ownerOfUse);

  const waitUntil = async (isFree: () => Promise<boolean>): Promise<void> => {
    for (let waitedMs = 0; !(await isFree()); waitedMs += LOOK_AGAIN_MS) {
      if (waitedMs >= waitMs) throw pawlError(WORKSPACE_ERRORS, "WORKSPACE_BUSY", { path: vault });
      throwIfAborted(signal, "Waiting for the vault");
      await pause(LOOK_AGAIN_MS);
    }
  };

  const begin = async (): Promise<() => Promise<void>> => {
    const mark = join(folder, `${ownToken()}.${randomName()}`);
    const end = (): Promise<void> => rm(mark, { force: true });
    try {
      await waitUntil(async () => {
        await writeFile(mark, "", { mode: 0o600 });
        if ((await pruners()).length === 0) return true;
        await end();
        return false;
      });
      return end;
    } catch (error) {
      await end();
      throw error;
    }
  };

  return {
    begin,
    async during(work) {
      const end = await begin();
      try {
        return await work();
      } finally {
        await end();
      }
    },
    async alone(work) {
      const mark = join(marks, `${PRUNING}${ownToken()}.${randomName()}`);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      try {
        await waitUntil(async () => {
          if ((await pruners()).length > 0) return false;
          await writeFile(mark, "", { mode: 0o600 });
          if ((await pruners()).length === 1) return true;
          await rm(mark, { force: true });
          return false;
        });
        await waitUntil(async () => (await users()).length === 0);
        return await work();
      } finally {
        await rm(mark, { force: true });
      }
    },
  };
}

function ownerOfUse(name: string): string {
  return name.split(".")[0] ?? "";
}

function ownerOfPruner(name: string): string {
  return name.split(".")[1] ?? "";
}

/** The marks whose owners may be alive; those of the dead are cleared away. */
async function living(
  folder: string,
  isMark: (name: string) => boolean,
  ownerOf: (name: string) => string,
): Promise<string[]> {
  const found: string[] = [];
  for (const name of (await readdir(folder)).filter(isMark)) {
    const path = join(folder, name);
    const mark = await stat(path).catch(() => null);
    if (mark === null) continue;
    if (isOwnerGone(ownerOf(name)) || Date.now() - mark.mtimeMs > FOREIGN_MS) await rm(path, { force: true });
    else found.push(name);
  }
  return found;
}

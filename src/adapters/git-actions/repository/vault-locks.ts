/** A git that is killed leaves its locks in the vault. Nobody but us writes there, and never for long: what stands there is taken away. */
import { rm, stat } from "node:fs/promises";
import { sep } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const FOUND = /Unable to create '([^']+\.lock)': File exists/;
/** Longer than any git is at one reference. */
const STANDS_MS = 3000;
const LOOK_AGAIN_MS = 100;
/** A git takes few locks; one after the other may have been left. */
const MOST_LEFT = 4;

interface Told {
  readonly code: number;
  readonly stderr: string;
}

export async function pastLeftLocks<T extends Told>(vault: string, run: () => Promise<T>): Promise<T> {
  for (let left = MOST_LEFT; ; left -= 1) {
    const result = await run();
    const said = result.code === 0 ? undefined : FOUND.exec(result.stderr)?.[1];
    // What git says is read as bytes, one character each.
    const lock = Buffer.from(said ?? "", "latin1").toString();
    if (left === 0 || !lock.startsWith(vault + sep)) return result;
    await untilFree(lock);
  }
}

/** Its git is done with it, or was killed. */
async function untilFree(lock: string): Promise<void> {
  const seen = await inodeOf(lock);
  for (let waitedMs = 0; waitedMs < STANDS_MS; waitedMs += LOOK_AGAIN_MS) {
    if ((await inodeOf(lock)) !== seen) return;
    await pause(LOOK_AGAIN_MS);
  }
  await rm(lock, { force: true });
}

async function inodeOf(path: string): Promise<number | null> {
  return (await stat(path).catch(() => null))?.ino ?? null;
}

/** A lock between processes that set up the same clone: a file below `dist/` that names the holder's process. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const TOO_OLD_MS = 20 * 60_000;
const HALF_WRITTEN_MS = 5000;

export const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
}

/** The text of the lock when its holder is gone, or so old that its process id must belong to another by now. */
function abandoned(file) {
  try {
    const text = readFileSync(file, "utf8");
    const ageMs = Date.now() - statSync(file).mtimeMs;
    const pid = Number(text.trim());
    const isGone = Number.isInteger(pid) && pid > 0 ? !isAlive(pid) : ageMs > HALF_WRITTEN_MS;
    return isGone || ageMs > TOO_OLD_MS ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Moves an abandoned lock away. When another process was quicker and the lock is a new one, it is put back. */
function clear(file, text) {
  const away = `${file}.${process.pid}`;
  try {
    renameSync(file, away);
    if (readFileSync(away, "utf8") === text) rmSync(away, { force: true });
    else renameSync(away, file);
  } catch {
    return;
  }
}

/** Runs `work` while no other process runs work of the same name in this clone. */
export async function withLock(name, work) {
  mkdirSync(join(root, "dist"), { recursive: true });
  const file = join(root, "dist", `.${name}.lock`);
  for (let told = false; !take(file); ) {
    const text = abandoned(file);
    if (text !== undefined) {
      clear(file, text);
      continue;
    }
    if (!told) console.log(`setup: waiting for another process that does the same (${file}) …`);
    told = true;
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

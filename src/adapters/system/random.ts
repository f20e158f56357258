/** Randomness of the machine, for run ids. */
import { randomFillSync } from "node:crypto";

/** Filled in one call for many ids: the call costs far more than the bytes. */
const pool = new Uint8Array(4096);
let used = pool.length;

export function randomBytes(count: number): Uint8Array {
  if (count > pool.length) return randomFillSync(new Uint8Array(count));
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += count;
  return pool.slice(used - count, used);
}

/** Descriptors above those that the launcher uses itself which this process, without knowing, would pass on. */
import { readdirSync, readFileSync } from "node:fs";
import { DESCRIPTORS } from "./launcher.ts";

const CLOSE_ON_EXEC = 0o2000000;
const HIGHEST_OWN = Math.max(...Object.values(DESCRIPTORS));

/** Node itself passes on none, but whoever started it may have left some open. */
export function leakedDescriptors(): readonly number[] {
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => descriptor > HIGHEST_OWN && isPassedOn(descriptor));
}

function isPassedOn(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1"))?.[1];
    return (Number.parseInt(flags ?? "0", 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // Closed since the list was made.
    return false;
  }
}

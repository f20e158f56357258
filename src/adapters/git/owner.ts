/** Names the process that owns a file or folder, so that another one can tell whether it may clear it away. */
import { readFileSync, readlinkSync } from "node:fs";

const TOKEN = /^(\d+)-(\d+)-(\d+)$/;

function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // Fields after the name of the program, which may hold anything; the start time is the 22nd of all.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    return null;
  }
}

function spaceOfPids(): string {
  return readlinkSync("/proc/self/ns/pid").replace(/\D/g, "");
}

let token: string | null = null;

export function ownToken(): string {
  token ??= `${process.pid}-${startOf(process.pid) ?? "0"}-${spaceOfPids()}`;
  return token;
}

/** Another space of process ids cannot be looked into: its processes count as alive. */
export function isOwnerGone(text: string): boolean {
  const [, pid, start, space] = TOKEN.exec(text) ?? [];
  if (pid === undefined) return true;
  return space === spaceOfPids() && startOf(Number(pid)) !== start;
}

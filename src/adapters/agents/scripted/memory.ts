/** What a scripted agent remembers from one attempt to the next. It lies in its home, where no workspace is. */
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../../base/digest.ts";
import type { AgentTask } from "../../../ports/agents/agent-backend.ts";

export interface Memory {
  readonly session: string;
  /** Which of the attempts of the script it is at. */
  readonly entry: number;
  /** The step that it begins with. */
  readonly step: number;
  /** The attempt has told its end: the next one is another. */
  readonly ended: boolean;
}

/** What this attempt begins with. One that was cut off is begun again; one that waits for a person goes on at its step. */
export async function recall(task: AgentTask): Promise<Memory> {
  const last = await readFile(fileOf(task), "utf8").then(
    (text) => JSON.parse(text) as Memory,
    () => null,
  );
  if (last === null) return { session: sessionOf(task, 0), entry: 0, step: 0, ended: false };
  if (task.session === last.session && task.goesOn === "deferred") return { ...last, ended: false };
  const entry = last.ended ? last.entry + 1 : last.entry;
  return { session: task.session ?? sessionOf(task, entry), entry, step: 0, ended: false };
}

/** Resolves when it would survive the end of this process. */
export async function remember(task: AgentTask, memory: Memory): Promise<void> {
  const file = fileOf(task);
  await mkdir(task.home, { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(memory));
  await rename(`${file}.new`, file);
}

function fileOf({ home }: AgentTask): string {
  return join(home, "scripted.json");
}

function sessionOf({ process: { key } }: AgentTask, entry: number): string {
  return `scripted-${sha256(`${key}/${entry}`).slice(0, 16)}`;
}

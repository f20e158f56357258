/**
 * Talks with an agent program as they were: every line that was said, by whom. What is long and tells nothing (lists of commands
 * and models) is left out.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Dialogue, Executor } from "../../../../src/ports/executor.ts";

export interface Said {
  readonly by: "host" | "agent";
  readonly line: unknown;
}

export interface Recording {
  /** null: it had to be ended. */
  readonly exit: number | null;
  readonly said: readonly Said[];
}

const FOLDER = dirname(fileURLToPath(import.meta.url));

/** `name` is that of the agent and the talk, such as `claude/edit`. */
export function readRecording(name: string): Recording {
  const [head = "", ...lines] = readFileSync(join(FOLDER, `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
  const { exit } = JSON.parse(head) as { exit: number | null };
  return { exit, said: lines.map((line) => JSON.parse(line) as Said) };
}

function writeRecording(name: string, { exit, said }: Recording): void {
  const path = join(FOLDER, `${name}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, [{ exit }, ...said].map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** The same executor; it keeps every talk under the name that it has at that moment. */
export function recording(executor: Executor, nameOf: (argv: readonly string[]) => string): Executor {
  return {
    ...executor,
    execute: async (request, signal, onOutput) => {
      const { dialogue } = request;
      if (dialogue === undefined) return executor.execute(request, signal, onOutput);
      const said: Said[] = [];
      let rest = "";
      const listening: Dialogue = {
        begin: (input) =>
          dialogue.begin({
            ...input,
            send: (text) => {
              said.push({ by: "host", line: shortened(JSON.parse(text)) });
              return input.send(text);
            },
          }),
        onOutput: (chunk) => {
          const lines = (rest + Buffer.from(chunk).toString()).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) said.push({ by: "agent", line: shortened(JSON.parse(line)) });
          return dialogue.onOutput(chunk);
        },
      };
      const report = await executor.execute({ ...request, dialogue: listening }, signal, onOutput);
      if (said.length > 0) writeRecording(nameOf(request.argv), { exit: report.exit ?? null, said });
      return report;
    },
  };
}

const LONG = new Set([
  "commands",
  "models",
  "agents",
  "slash_commands",
  "terminal_slash_commands",
  "skills",
  "plugins",
]);

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, LONG.has(name) ? [] : shortened(inner)]),
  );
}

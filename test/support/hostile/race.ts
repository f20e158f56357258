/** An outside folder that nobody may touch, and a racer that leads every path of a folder there and back again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const OUTSIDE_TEXT = "outside: nobody may read this";

export interface Outside {
  readonly folder: string;
  /** What is different from the beginning; empty: nothing. */
  changes(): readonly string[];
}

export function createOutside(folder: string): Outside {
  mkdirSync(join(folder, "deep"), { recursive: true });
  for (const name of ["file.txt", "deep/file.txt", "config"]) writeFileSync(join(folder, name), `${OUTSIDE_TEXT}\n`);
  const before = factsOf(folder);
  return {
    folder,
    changes: () => {
      const after = factsOf(folder);
      return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
    },
  };
}

function factsOf(folder: string): ReadonlyMap<string, string> {
  const paths = [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" })];
  return new Map(
    paths.map((path) => {
      const { ino, mode, nlink, size, mtimeMs, ctimeMs } = lstatSync(join(folder, path));
      const text =
        size < 4096 && lstatSync(join(folder, path)).isFile() ? readFileSync(join(folder, path), "utf8") : "";
      return [path, JSON.stringify([ino, mode, nlink, size, mtimeMs, ctimeMs, text])];
    }),
  );
}

export interface Racer {
  /** Ends it. Resolves to how often it swapped. */
  stop(): Promise<number>;
}

/** Each path becomes a folder with `file.txt`, and a link to the outside, in turns. Resolves when it is at work. */
export async function startRacer(outside: Outside, ...paths: readonly string[]): Promise<Racer> {
  const script = join(import.meta.dirname, "swap.pl");
  const child = spawn("perl", [script, outside.folder, ...paths], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "close");
  await Promise.race([once(child.stdout, "data"), ended]);
  return {
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
      return Number(said.trimEnd().split("\n").at(-1));
    },
  };
}

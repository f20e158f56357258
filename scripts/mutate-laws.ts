/**
 * Removes one guard at a time and expects the laws' tests to go red. A guard whose removal stays green is not guarded.
 * Works on a copy of the tree; prints a table and exits 1 when a mutant survived.
 */
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { MUTANTS } from "./law-mutants.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { RUN_MUTANTS } from "./mutants/run.ts";

const root = resolve(import.meta.dirname ?? ".", "..");
const words = process.argv.slice(2);
/** `--some`: those of the laws of a run; words choose by name. */
const chosen = words.includes("--some")
  ? RUN_MUTANTS
  : MUTANTS.filter((mutant) => words.length === 0 || words.some((word) => mutant.name.includes(word)));
const WORKERS = 2;
const LONGEST_MS = 900_000;

const FROM_SOURCES = `import { register } from "tsx/esm/api";
register();
await import("../../src/cli/main.ts");
`;

function copyTree(): string {
  const dir = mkdtempSync(join(tmpdir(), "pawl-mutants-"));
  for (const part of ["src", "test", "package.json", "tsconfig.json"])
    cpSync(join(root, part), join(dir, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(dir, "node_modules"), "dir");
  // The command line of the copy runs from its sources: what is built would lack the mutation.
  mkdirSync(join(dir, "dist/cli"), { recursive: true });
  writeFileSync(join(dir, "dist/cli/main.js"), FROM_SOURCES);
  return dir;
}

function runTests(
  dir: string,
  mutant: Pick<Mutant, "tests" | "seeds">,
): Promise<{ readonly red: boolean; readonly output: string }> {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [
    vitest,
    "run",
    "--root",
    dir,
    "--no-file-parallelism",
    "--bail",
    "1",
    "--testTimeout",
    "30000",
    ...mutant.tests,
  ];
  return new Promise((done) => {
    const env = { ...process.env, PAWL_SEEDS: String(mutant.seeds ?? 400), PAWL_FULL: "0" };
    // Its own group: the test runner has workers, and all of them must go when one hangs.
    const child = spawn(process.execPath, args, { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
    });
    child.stderr.on("data", (chunk) => {
      output += chunk;
    });
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), LONGEST_MS);
    child.on("close", (code) => {
      clearTimeout(timer);
      done({ red: code !== 0, output });
    });
  });
}

async function judge(dir: string, mutant: Mutant): Promise<boolean> {
  const { before, after } = mutate(dir, mutant);
  const file = join(dir, mutant.file);
  writeFileSync(file, after);
  const { red } = await runTests(dir, mutant);
  writeFileSync(file, before);
  return red;
}

async function worker(queue: Mutant[], survivors: Mutant[]): Promise<void> {
  const dir = copyTree();
  try {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const started = Date.now();
      const red = await judge(dir, mutant);
      process.stdout.write(
        `${red ? "killed  " : "SURVIVED"} ${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s  ${mutant.name}\n`,
      );
      if (!red) survivors.push(mutant);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const timesIn = (text: string, { find }: Mutant): number => text.split(find).length - 1;

/** Mutants that no longer fit the code say nothing: better to know of all of them before anything runs. */
function unfit(dir: string): readonly string[] {
  return MUTANTS.flatMap((mutant) => {
    const times = timesIn(readFileSync(join(dir, mutant.file), "utf8"), mutant);
    return times === 1 ? [] : [`${mutant.name}: "${mutant.find}" stands ${times} times in ${mutant.file}, not once`];
  });
}

function mutate(dir: string, { file, find, replace }: Mutant): { readonly before: string; readonly after: string } {
  const before = readFileSync(join(dir, file), "utf8");
  return { before, after: before.split(find).join(replace) };
}

const strangers = unfit(root);
if (strangers.length > 0) {
  process.stderr.write(`${strangers.join("\n")}\n`);
  process.exit(1);
}
const clean = copyTree();
const tests = [...new Set(chosen.flatMap((mutant) => mutant.tests))];
const baseline = await runTests(clean, { tests, seeds: 400 });
rmSync(clean, { recursive: true, force: true });
if (baseline.red) {
  process.stderr.write(
    `${baseline.output}\nThe tests are red without any mutation: nothing can be said about the guards.\n`,
  );
  process.exit(1);
}
const survivors: Mutant[] = [];
const queue = [...chosen];
await Promise.all(Array.from({ length: WORKERS }, () => worker(queue, survivors)));
process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} mutants killed\n`);
process.exit(survivors.length === 0 ? 0 : 1);

/** SIGKILL at any moment of a run of the harness: it goes on in the middle of its talk, and nothing is paid twice. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { bundleChild } from "../support/bundle-child.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROUNDS = process.env["PAWL_FULL"] === "1" ? 40 : 5;

let script = "";
beforeAll(async () => {
  const { file, remove } = await bundleChild("test/support/harness/crash-child.ts");
  script = file;
  return remove;
});

const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];

const start = (dir: string, mode: string) => spawn(process.execPath, [script, dir, mode]);

/** Runs it to its end, or kills it a moment after its journal has grown. */
async function life(dir: string, mode: string, killAfterMs: number | null): Promise<string | null> {
  const child = start(dir, mode);
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += String(chunk);
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  if (killAfterMs !== null) {
    const journal = join(dir, "journal", "r_000000000001.jsonl");
    const before = linesOf(journal).length;
    while (child.exitCode === null && linesOf(journal).length <= before) await sleep(1);
    await sleep(killAfterMs);
    child.kill("SIGKILL");
  }
  await ended;
  return said === "" ? null : said;
}

test("T13: a killed run goes on without repeating a side effect", { timeout: 600_000 }, async () => {
  let kills = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const dir = tempDir();
    let said = await life(dir, "new", 7 * round + 3);
    for (let again = 0; said === null && again < 3; again += 1) {
      kills += 1;
      said = await life(dir, "resume", 11 * again + 5);
    }
    said ??= await life(dir, "resume", null);
    expect(JSON.parse(said ?? "null")).toEqual({ status: "completed", output: "all paid", steps: 11 });
    const paid = linesOf(join(dir, "paid.txt"));
    expect(new Set(paid).size).toBe(paid.length);
    // What was interrupted may or may not have been paid, and was told so; everything else was.
    const told = linesOf(join(dir, "journal", "r_000000000001.jsonl")).filter((line) =>
      line.includes("call_interrupted"),
    );
    expect(paid.length).toBeGreaterThanOrEqual(10 - told.length);
    expect(paid.length).toBeLessThanOrEqual(10);
  }
  expect(kills).toBeGreaterThanOrEqual(ROUNDS);
});

test("T13: a run that another process has is refused by its name, and is free the instant that is killed", {
  timeout: 120_000,
}, async () => {
  const dir = tempDir();
  const first = start(dir, "slow");
  const gone = new Promise((resolve) => first.on("close", resolve));
  onTestFinished(() => void first.kill("SIGKILL"));
  const journal = join(dir, "journal", "r_000000000001.jsonl");
  while (!linesOf(journal).some((line) => line.includes("call.intended"))) await sleep(10);
  const before = linesOf(journal);
  const second: unknown = JSON.parse((await life(dir, "resume", null)) ?? "null");
  expect(second).toEqual({
    status: "failed",
    output: "",
    steps: 0,
    why: expect.stringContaining(`held by process ${first.pid} on `),
  });
  expect(linesOf(journal).filter((line) => !line.includes("run.lived"))).toEqual(before);
  first.kill("SIGKILL");
  await gone;
  expect(JSON.parse((await life(dir, "resume", null)) ?? "null")).toMatchObject({ status: "completed", steps: 11 });
  expect(readdirSync(join(dir, "journal"))).toEqual(["r_000000000001.jsonl"]);
});

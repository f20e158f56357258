/** What several processes that serve must not do to each other: end one that works, or leave a job behind that nobody is at. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { type CliProcess, createProject, eventually, isAlive, type Project } from "../support/cli.ts";

const slow = (name: string, seconds: number): string => `version: 1
name: ${name}
workspace: directory
policy: { allow: [ { action: file.append }, { run: [sleep, "**"] } ] }
stages:
  - { id: wait, command: [sleep, "${seconds}"], effect: idempotent }
  - { id: note, action: file.append, with: { path: count.txt, line: ${name} } }
`;

interface Line {
  readonly type: string;
  readonly loop?: string;
  readonly run?: string;
  readonly pid?: number;
  readonly again?: boolean;
}

let project: Project;
beforeEach(() => {
  project = createProject({
    "one.yaml": slow("one", 6),
    "two.yaml": slow("two", 6),
    "pawl.yaml": "loops:\n  one: { blueprint: one.yaml, every: 300d }\n  two: { blueprint: two.yaml, every: 300d }\n",
  });
});
afterEach(() => project.remove());

const noted = (): readonly string[] => readFileSync(join(project.root, "count.txt"), "utf8").trim().split("\n");
const linesOf = (serving: CliProcess): readonly Line[] =>
  serving
    .stdout()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

/** A host of this project that is stopped inside a transaction on loops.db. */
async function block(): Promise<number> {
  const script = join(import.meta.dirname, "../support/stuck-writer.ts");
  const args = ["--import", "tsx", script, join(project.root, ".pawl"), "loops.db", "host"];
  const child: ChildProcess = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child.pid ?? 0;
}

test("L7: processes that could not renew what they have because another kept the store are not ended for it", async () => {
  const serving = [1, 2].map(() => project.start("serve", "--jsonl", "--lease", "2s"));
  for (const each of serving) await each.until("serve.ready");
  const all = (): readonly Line[] => serving.flatMap(linesOf);
  const began = (each: CliProcess): number => linesOf(each).filter(({ type }) => type === "run.began").length;
  expect((await project.pawl("run", "one", "--no-wait")).code).toBe(0);
  await eventually(() => serving.some((each) => began(each) === 1), "one is under way", 60_000);
  // Whoever has it looks away until the other has the second.
  const [first, second] = serving.toSorted((a, b) => began(b) - began(a)) as [CliProcess, CliProcess];
  first.child.kill("SIGSTOP");
  expect((await project.pawl("run", "two", "--no-wait")).code).toBe(0);
  await eventually(() => began(second) === 1, "the other is too", 60_000);
  first.child.kill("SIGCONT");
  const pid = await block();
  await eventually(() => all().some((line) => line.type === "host.ended" && line.pid === pid), "it is ended", 60_000);
  await eventually(() => all().filter(({ type }) => type === "run.ended").length === 2, "both runs are over", 60_000);
  await sleep(1000);
  expect(serving.map(({ child }) => isAlive(child.pid ?? 0))).toEqual([true, true]);
  expect(all().filter(({ type }) => type === "host.ended")).toHaveLength(1);
  expect(all().filter(({ type, again }) => type === "run.began" && again)).toEqual([]);
  expect(noted()).toHaveLength(2);
  for (const { child } of serving) child.kill("SIGINT");
  for (const { ended } of serving) expect((await ended).code).toBe(0);
}, 600_000);

test("L7: a run that a person goes on with by hand is left to them, and its job is over when it is", async () => {
  const first = project.start("serve", "--jsonl", "--lease", "2s");
  await first.until("serve.ready");
  expect((await project.pawl("run", "one", "--no-wait")).code).toBe(0);
  await first.until("run.began");
  const run = linesOf(first).find(({ type }) => type === "run.began")?.run ?? "";
  while (!(await project.pawl("events", run)).stdout.includes("wait started")) await sleep(100);
  first.child.kill("SIGKILL");
  await first.ended;
  const byHand = project.start("resume", run, "--jsonl");
  await byHand.until("stage.started");
  const serving = [1, 2].map(() => project.start("serve", "--jsonl", "--lease", "1s"));
  const all = (): readonly Line[] => serving.flatMap(linesOf);
  await eventually(() => all().some(({ type }) => type === "run.lost"), "they leave it", 60_000);
  expect((await byHand.ended).code).toBe(0);
  await eventually(() => all().some((line) => line.type === "run.ended" && line.run === run), "it is over", 60_000);
  expect(all().filter(({ type }) => type === "host.ended")).toEqual([]);
  expect(((await project.json("queue")).value as { jobs: readonly unknown[] }).jobs).toEqual([]);
  for (const { child } of serving) child.kill("SIGINT");
  for (const { ended } of serving) expect((await ended).code).toBe(0);
  expect(noted()).toHaveLength(1);
}, 600_000);

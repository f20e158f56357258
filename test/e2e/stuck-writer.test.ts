/** A process that is stopped inside a transaction: everybody else is told who it is, and `pawl serve` ends it and goes on. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { createProject, eventually, isAlive, type Project } from "../support/cli.ts";

const QUICK = `version: 1
name: quick
policy: { allow: [{ action: file.append }] }
stages:
  - { id: note, action: file.append, with: { path: count.txt, line: done } }
`;

let project: Project;
beforeEach(async () => {
  project = createProject({
    "quick.yaml": QUICK,
    "pawl.yaml": "loops: { quick: { blueprint: quick.yaml, every: 300d } }\n",
  });
  expect((await project.pawl("run", "quick")).code).toBe(0);
  expect((await project.pawl("run", "quick", "--no-wait")).code).toBe(0);
});
afterEach(() => project.remove());

async function stuck(
  file: "pawl.db" | "loops.db",
  as: "host" | "guest",
): Promise<ChildProcess & { readonly pid: number }> {
  const script = join(import.meta.dirname, "../support/stuck-writer.ts");
  const args = ["--import", "tsx", script, join(project.root, ".pawl"), file, as];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] }) as ChildProcess & {
    readonly pid: number;
  };
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout as NodeJS.ReadableStream, "data");
  const state = (): string => readFileSync(`/proc/${child.pid}/stat`, "latin1").replace(/^.*\) (.).*$/s, "$1");
  await eventually(() => state() === "T", "it is stopped");
  return child;
}

test("L7: whoever cannot write is told which process is in the way, that it is stopped, and what to do", async () => {
  const { pid } = await stuck("pawl.db", "guest");
  const { code, stderr } = await project.pawl("run", "quick");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`Process ${pid}, which runs since \\S+Z and is stopped, has kept \\S+pawl\\.db locked for too long`),
  );
  expect(stderr).toContain(`kill -CONT ${pid}`);
}, 600_000);

test.each(["pawl.db", "loops.db"] as const)(
  "L7: a host that is stopped inside a transaction on %s is ended when its lease is over, and what waits runs",
  async (file) => {
    const { pid } = await stuck(file, "host");
    const serving = project.start("serve", "--jsonl", "--lease", "2s");
    await serving.until('"type":"run.ended"');
    expect(serving.stdout()).toContain(`"type":"host.ended","pid":${pid},"run":null`);
    expect(isAlive(pid)).toBe(false);
    expect(readFileSync(join(project.root, "count.txt"), "utf8").trim().split("\n")).toHaveLength(2);
    serving.child.kill("SIGINT");
    expect((await serving.ended).code).toBe(0);
  },
  60_000,
);

test("L7: one that begins to stand still while loops are served is ended too", async () => {
  const serving = project.start("serve", "--jsonl", "--lease", "2s");
  await serving.until('"type":"run.ended"');
  const { pid } = await stuck("loops.db", "host");
  await serving.until(`"type":"host.ended","pid":${pid}`);
  expect((await project.pawl("run", "quick", "--no-wait")).code).toBe(0);
  serving.child.kill("SIGINT");
  await serving.ended;
}, 600_000);

test("L7: a process that is no host of the project is not ended, and told", async () => {
  const child = await stuck("loops.db", "guest");
  const serving = project.start("serve", "--jsonl", "--lease", "1s");
  await serving.until("SERVE_HOST_STAYS");
  expect(isAlive(child.pid)).toBe(true);
  child.kill("SIGKILL");
  await serving.until('"type":"run.ended"');
  serving.child.kill("SIGINT");
  await serving.ended;
}, 600_000);

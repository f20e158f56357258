/** Projects in which patterns of loop-engineering tick, with the scripted agent and real git. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { RunEvent } from "../../src/run/events.ts";
import { createProject, type Project } from "./cli.ts";

/** A project that goes when its test is over. */
export function folder(files: Readonly<Record<string, string>> = {}): Project {
  const project = createProject(files);
  onTestFinished(() => project.remove());
  return project;
}

/** A script of an agent, one step for each attempt. */
const script = (...attempts: readonly string[]): string =>
  `version: 1\nattempts:\n${attempts.map((a) => `  - - ${a}\n`).join("")}`;
export const ACT = 'answer: { outcome: act, item: "#7", title: "Add well", why: "a test fails" }';
export const FIX = 'edit: { path: src/add.mjs, find: "a - b", put: "a + b" }';

interface Parts {
  readonly triage?: string;
  readonly implement?: string;
  readonly review?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export function git(root: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", ["-C", root, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  return stdout;
}

/** A repository with a bug and a test that sees it. */
export function repository({
  triage = ACT,
  implement = FIX,
  review = "answer: { outcome: accept }",
  files = {},
}: Parts = {}): Project {
  const project = folder({
    "src/add.mjs": "export const add = (a, b) => a - b;\n",
    "test/add.test.mjs":
      'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { add } from "../src/add.mjs";\ntest("adds", () => assert.equal(add(1, 2), 3));\n',
    "agents/triage.yaml": script(triage),
    "agents/implement.yaml": script(implement),
    "agents/review.yaml": script(review),
    ...files,
  });
  git(project.root, "init", "--quiet", "--initial-branch=main");
  git(project.root, "add", "--all");
  git(project.root, "-c", "user.name=ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message=begin");
  return project;
}

export const TEST = 'test=["node","--test","test/add.test.mjs"]';

export function tick(project: Project, level: string, ...more: string[]) {
  return project.json("run", "daily-triage", "--agent", "scripted", "--level", level, "--param", TEST, ...more);
}

export async function stagesOf(project: Project): Promise<readonly string[]> {
  const { value } = await project.json("events", "@last");
  const events = (value as { events: { event: RunEvent }[] }).events.map(({ event }) => event);
  return events.flatMap((event) => (event.type === "stage.finished" ? [`${event.stage}:${event.outcome}`] : []));
}

export function logOf({ root }: Project): readonly Record<string, unknown>[] {
  const lines = readFileSync(join(root, "loop-run-log.md"), "utf8").split("\n");
  return lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Record<string, unknown>);
}

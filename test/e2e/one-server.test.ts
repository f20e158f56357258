/** T15: `pawl serve` and `pawl run` on one project. Whoever is killed is followed at once; whoever stands still is not. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { type CliProcess, createProject, eventually, type Project } from "../support/cli.ts";
import { jsonLines } from "../support/json-lines.ts";

const ROUNDS = process.env["PAWL_FULL"] === "1" ? 15 : 3;
const TAKEOVER_MS = 1000;
const SLOW = `version: 1
name: slow
policy: { allow: [ { action: file.append }, { run: [sleep, "**"] } ] }
workspace: directory
stages:
  - { id: wait, command: [sleep, "600"], effect: idempotent }
  - { id: note, action: file.append, with: { path: count.txt, line: done } }
`;

interface Line {
  readonly type: string;
  readonly run?: string;
}

let project: Project;
beforeEach(() => {
  project = createProject({ "slow.yaml": SLOW, "pawl.yaml": "loops:\n  slow: { blueprint: slow.yaml, every: 12h }\n" });
});
afterEach(() => project.remove());

interface Serving extends CliProcess {
  /** When it has begun or gone on with the run; null: it has not. */
  begunAt(): number | null;
}

function serve(): Serving {
  const started = project.start("serve", "--jsonl", "--lease", "20s");
  let [text, at]: [string, number | null] = ["", null];
  started.child.stdout?.on("data", (chunk: string) => {
    text += chunk;
    const lines = jsonLines<Line>(text.slice(0, text.lastIndexOf("\n") + 1));
    if (lines.some(({ type }) => type === "run.began")) at ??= performance.now();
  });
  return { ...started, begunAt: () => at };
}

/** One slot of the loop is due, and no other comes. */
async function makeDue(): Promise<void> {
  expect((await project.pawl("serve", "--once")).code).toBe(0);
  const db = (await loadDriver()).open(join(project.root, ".pawl", "loops.db"), { timeout: 5000 });
  db.prepare("UPDATE schedules SET next = ?1, armed_at = ?1").run(Date.now() - 1000);
  db.close();
}

test("T15: of three that serve one hosts the run; when it is killed another goes on with it within a second", async () => {
  await makeDue();
  let all = Array.from({ length: 3 }, serve);
  const hosts = (): readonly Serving[] => all.filter((each) => each.begunAt() !== null);
  const took: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await eventually(() => hosts().length > 0, "somebody hosts it", 30_000);
    expect(hosts()).toHaveLength(1);
    const [host] = hosts() as [Serving];
    all = all.filter((each) => each !== host);
    const from = performance.now();
    host.child.kill("SIGKILL");
    await eventually(() => hosts().length > 0, "another hosts it", 30_000);
    took.push((hosts()[0]?.begunAt() as number) - from);
    all.push(serve());
    await all.at(-1)?.until("serve.ready");
  }
  expect(Math.max(...took)).toBeLessThanOrEqual(TAKEOVER_MS);
  for (const { child } of all) child.kill("SIGKILL");
  expect(existsSync(join(project.root, "count.txt")) && readFileSync(join(project.root, "count.txt"))).toBe(false);
});

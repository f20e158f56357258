/** Under `pawl serve` an answer is enough: the run continues, in one process, whoever answered and whoever is killed meanwhile. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openLoops, openRuntime } from "../../src/runtime/wire.ts";
import { type CliProcess, createProject, type Project } from "../support/cli.ts";
import { slowness } from "../support/slowness.ts";

const FULL = process.env["PAWL_FULL"] === "1";
const ROUNDS = FULL ? 100 : 3;
const SOON_MS = 2000;
const BLUEPRINT = `version: 1
name: ask
policy: { allow: [ { action: file.append } ] }
stages:
  - { id: ask, gate: { approval: { question: "Fine?", expires: 1h } }, on: { fail: refused, pass: note } }
  - { id: note, action: file.append, with: { path: count.txt, line: done }, on_success: done }
  - { id: refused, action: file.append, with: { path: count.txt, line: refused } }
`;

let project: Project;
let runtime: Runtime;
let servers: CliProcess[] = [];
beforeEach(async () => {
  project = createProject({ "ask.yaml": BLUEPRINT, "pawl.yaml": "loops:\n  ask: { blueprint: ask.yaml }\n" });
  project.write("soon.yaml", BLUEPRINT.replace("1h", "1s").replace("name: ask", "name: soon"));
  runtime = await openRuntime({ root: project.root });
});
afterEach(async () => {
  for (const { child } of servers) child.kill("SIGKILL");
  await Promise.all(servers.map(({ ended }) => ended));
  servers = [];
  await runtime.close();
  project.remove();
});

interface Serving extends CliProcess {
  readonly spawnedAt: number;
}

function serve(): Serving {
  const spawnedAt = Date.now();
  const server = project.start("serve", "--jsonl", "--lease", "20s");
  servers.push(server);
  return { ...server, spawnedAt };
}

async function kill({ child, ended }: CliProcess): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

/** A run that asks and that nobody hosts. */
async function asking(blueprint = "ask.yaml"): Promise<{ readonly run: RunId; readonly id: string }> {
  const { plan } = await runtime.compile(blueprint, {});
  if (!plan.ok) throw new Error("the blueprint does not compile");
  const { run, ended } = await runtime.start(plan.value);
  await ended;
  const { approvals } = await runtime.approvals({ run, limit: 1 });
  return { run, id: approvals[0]?.id ?? "" };
}

/** Nothing but its end lets the wait end; a test that hangs is ended by its own limit. */
async function ended(run: RunId): Promise<string> {
  for (;;) {
    const row = await runtime.row(run);
    if (row !== undefined && row.status !== "waiting" && row.status !== "running") return row.status;
    await sleep(20);
  }
}

const typesOf = async (run: RunId) => (await runtime.read(run, 0, 1000)).map(({ event }) => event.type);
const countOf = (types: readonly string[], type: string): number => types.filter((each) => each === type).length;
const lines = (): readonly { readonly key: string; readonly line: string }[] => {
  const file = join(project.root, "count.txt");
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
};
const effectsOf = (run: RunId): readonly string[] =>
  lines()
    .filter(({ key }) => key.startsWith(run))
    .map(({ line }) => line);

describe("under pawl serve an answer", () => {
  test("from another process is enough, to approve and to deny; two servers resume the run once", async () => {
    const both = [serve(), serve()];
    for (const server of both) await server.until("serve.ready");
    for (const [answer, effect] of [
      ["approve", "done"],
      ["deny", "refused"],
    ] as const) {
      const { run, id } = await asking();
      expect((await project.pawl(answer, id, "--no-run")).code).toBe(0);
      await ended(run);
      expect(effectsOf(run)).toEqual([effect]);
      expect(countOf(await typesOf(run), "run.resumed")).toBe(1);
    }
    for (const { child } of both) child.kill("SIGINT");
    const told = (await Promise.all(both.map((each) => each.ended))).map(({ stdout }) => stdout).join("");
    expect(told.match(/"run.began"/g)).toHaveLength(2);
    expect(told).not.toContain("serve.problem");
  }, 120_000);

  test("that resumes in its own process races with a server, and one has the run", async () => {
    await serve().until("serve.ready");
    const { run, id } = await asking();
    const approved = await Promise.all([project.pawl("approve", id), project.pawl("approve", id)]);
    await ended(run);
    expect(approved.filter(({ stdout }) => stdout.includes("approved by"))).toHaveLength(1);
    const types = await typesOf(run);
    expect([countOf(types, "approval.answered"), countOf(types, "run.resumed")]).toEqual([1, 1]);
    expect(effectsOf(run)).toEqual(["done"]);
  }, 120_000);

  test("that nobody gave in time lets the run take its way", async () => {
    const { run } = await asking("soon.yaml");
    while (Date.now() < ((await runtime.row(run))?.updatedAt ?? 0) + 1000) await sleep(50);
    serve();
    await ended(run);
    expect(effectsOf(run)).toEqual(["refused"]);
    expect(countOf(await typesOf(run), "approval.expired")).toBe(1);
  }, 120_000);

  test("is told as what it is: nobody serves, or a server resumes it", async () => {
    const { run, id } = await asking();
    const recorded = await project.pawl("approve", id, "--no-run");
    expect(recorded.stdout).toContain(`no server runs. Resume it:\n  pawl resume ${run}`);
    expect((await project.pawl("why", "ask")).stdout).toContain(`somebody resumes it: pawl resume ${run}`);
    // The lane has no room: the run is queued behind it.
    const loops = await openLoops(project.root);
    await loops.jobs.resize("default", 0);
    await loops.close();
    await serve().until("serve.ready");
    expect((await project.pawl("why", "ask")).stdout).toContain("a server resumes it");
    expect((await project.pawl("status", run)).stdout).toContain("a server resumes it");
    expect((await runtime.row(run))?.status).toBe("waiting");
  }, 120_000);
});

test(`of ${ROUNDS} answers none is lost while servers are killed, and each run has its effect once`, async () => {
  const slowBefore = slowness();
  const took: { readonly round: number; readonly how: string; readonly ms: number }[] = [];
  let server = serve();
  await server.until("serve.ready");
  for (let round = 0; round < ROUNDS; round += 1) {
    const { run, id } = await asking();
    const how = ["alive", "killed after the answer", "killed before the answer"][round % 3] as string;
    if (how === "killed before the answer") await kill(server);
    expect((await project.pawl("approve", id, "--no-run")).code).toBe(0);
    if (how === "killed after the answer") {
      // From before it has noticed the answer to after it has ended the run.
      await sleep((round * 37) % 300);
      await kill(server);
    }
    if (how !== "alive") server = serve();
    expect(await ended(run)).toBe("succeeded");
    const events = (await runtime.read(run, 0, 1000)).map(({ event }) => event);
    const answeredAt = events.find(({ type }) => type === "approval.answered")?.at ?? 0;
    const endedAt = events.at(-1)?.at ?? 0;
    const from = endedAt > server.spawnedAt ? Math.max(answeredAt, server.spawnedAt) : answeredAt;
    took.push({ round, how, ms: endedAt - from });
    expect(effectsOf(run)).toEqual(["done"]);
    expect(
      countOf(
        events.map(({ type }) => type),
        "run.finished",
      ),
    ).toBe(1);
    await server.until("serve.ready");
  }
  const sorted = took.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  if (!FULL) return;
  console.log(
    `from the answer, or the start of the next server, to the end of the run: ${JSON.stringify({ p50: at(0.5), p99: at(0.99), max: at(1) })}`,
  );
  const limitMs = SOON_MS * Math.max(slowBefore, slowness());
  expect(took.filter(({ ms }) => ms > limitMs)).toEqual([]);
}, 1_800_000);

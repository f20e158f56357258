/** Changes of several runs on one repository: judged together by the gates of their runs, merged one after the other, the guilty one sent back. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { formatRunId, type RunId } from "../../src/base/ids.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { Step } from "../../src/loops/coordinate/merges/work.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { commitFiles } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

const BLUEPRINT = `version: 1
name: edit
params:
  file: { type: string, default: c.txt }
  text: { type: string, default: "1" }
policy:
  allow: [{ run: ["node", "make.cjs", "**"] }, { run: ["node", "check.cjs"] }, { action: "git.*" }, { action: "merge.queue" }]
protect: ["check.cjs"]
stages:
  - { id: make, command: ["node", "make.cjs", "\${params.file}", "\${params.text}"], timeout: 20s }
  - { id: verify, gate: { command: ["node", "check.cjs"] }, timeout: 20s }
  - { id: commit, level: L2, action: git.commit, with: { message: "Edit" } }
  - { id: hand-in, level: L3, action: merge.queue, with: { into: main } }
`;
/** Not both may be big. */
const CHECK = `const { readFileSync: read } = require("node:fs");
const sum = ["a", "b"].map((name) => Number(read(name + ".txt", "utf8"))).reduce((x, y) => x + y);
process.exit(sum > 10 ? 1 : 0);
`;

const MAKE = 'require("node:fs").writeFileSync(process.argv[2], process.argv[3] + "\\n");';

async function project() {
  const root = tempDir();
  commitFiles(
    root,
    {
      "a.txt": "1\n",
      "b.txt": "1\n",
      "c.txt": "1\n",
      "check.cjs": CHECK,
      "make.cjs": MAKE,
      "blueprint.yaml": BLUEPRINT,
    },
    "--initial-branch=main",
  );
  const runtime = await openRuntime({ root });
  onTestFinished(() => runtime.close());
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  return { root, runtime, git };
}

async function run(runtime: Runtime, file: string, text: string, level: "L2" | "L3", named?: RunId): Promise<RunId> {
  const params: Record<string, JsonValue> = { file, text };
  const { plan } = await runtime.compile("blueprint.yaml", { level, params });
  if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
  const { run: id, ended } = await runtime.start(plan.value, {
    unearned: { by: "test", why: "test" },
    ...(named === undefined ? {} : { run: named }),
  });
  const end = await ended;
  expect(end.status).toBe("succeeded");
  return id;
}

test("L11: runs that began together are merged one after the other; what is red only together is sent back and kept", async () => {
  const { root, runtime, git } = await project();
  const base = git("rev-parse", "main");
  const first = await run(runtime, "a.txt", "9", "L3");
  const second = await run(runtime, "b.txt", "9", "L3");
  const third = await run(runtime, "c.txt", "2", "L3");
  expect(git("rev-parse", "main")).toBe(base);
  const coordination = await runtime.coordination();
  expect((await coordination.standing()).map((change) => change.state)).toEqual(["queued", "queued", "queued"]);
  const steps: Step[] = [];
  await coordination.work({ worker: "w", onStep: (step) => steps.push(step) });
  const ends = steps.flatMap(({ ended }) => ended.map(({ record, to }) => [record.run, to]));
  expect(new Map(ends as [RunId, string][])).toEqual(
    new Map([
      [first, "merged"],
      [second, "returned"],
      [third, "merged"],
    ]),
  );
  expect(["a.txt", "b.txt", "c.txt"].map((name) => readFileSync(join(root, name), "utf8"))).toEqual([
    "9\n",
    "1\n",
    "2\n",
  ]);
  expect(git("status", "--porcelain")).toBe("");
  expect(
    git("log", "--format=%(trailers:key=Pawl-Run,valueonly,separator=)", `${base}..main`).split("\n").filter(Boolean),
  ).toEqual([third, first]);
  expect(git("show", `pawl/${second}:b.txt`)).toBe("9");
  execFileSync("node", ["check.cjs"], { cwd: root });
  expect(await coordination.notices(0)).toMatchObject([{ kind: "returned", loop: "edit", count: 1 }]);
  await coordination.work({ worker: "w", onStep: (step) => steps.push(step) });
  expect(git("rev-list", "--count", `${base}..main`)).toBe("2");
}, 600_000);

test("L11: a change of a loop with a higher priority goes first, handed in by its run as accepted by a person", async () => {
  const { root, runtime, git } = await project();
  const base = git("rev-parse", "main");
  const loop = (name: string, priority: number): string =>
    `  ${name}: { blueprint: blueprint.yaml, priority: ${priority} }\n`;
  writeFileSync(join(root, "pawl.yaml"), `loops:\n${loop("slow", 0)}${loop("edit", 3)}${loop("quick", 7)}`);
  const coordination = await runtime.coordination();
  const inLoop = async (name: string, file: string, level: "L2" | "L3"): Promise<RunId> => {
    const id = formatRunId(randomBytes(12));
    const claim = { job: { id: `${name}@1`, loop: name, run: id } };
    expect(await coordination.admission.enter(claim, { loop: { level, priority: 0, paths: [file], maxOpen: 3 } })).toBe(
      null,
    );
    await run(runtime, file, "2", level, id);
    await coordination.admission.leave(claim);
    return id;
  };
  const slow = await inLoop("slow", "a.txt", "L3");
  const proposed = await inLoop("quick", "b.txt", "L2");
  const quick = await inLoop("quick", "c.txt", "L3");
  // By the name of its blueprint: nobody said whose run it is.
  const edit = await run(runtime, "d.txt", "2", "L3");
  const order = (await coordination.standing()).map(({ run: id, loop: whose, priority }) => [id, whose, priority]);
  expect(order).toEqual([
    [proposed, "quick", 7],
    [quick, "quick", 7],
    [edit, "edit", 3],
    [slow, "slow", 0],
  ]);
  await coordination.accept(proposed, { into: null, by: "ann" });
  await coordination.work({ worker: "w", onStep: () => undefined });
  const merged = git("log", "--reverse", "--format=%(trailers:key=Pawl-Run,valueonly,separator=)", `${base}..main`);
  expect(merged.split("\n").filter(Boolean)).toEqual([proposed, quick, edit, slow]);
}, 600_000);

test("a person accepts a proposal, or does not; what was merged by hand needs no answer", async () => {
  const { runtime, git } = await project();
  const taken = await run(runtime, "c.txt", "2", "L2");
  const refused = await run(runtime, "c.txt", "3", "L2");
  const byHand = await run(runtime, "b.txt", "2", "L2");
  const coordination = await runtime.coordination();
  const { admission } = coordination;
  for (const [index, id] of [taken, refused, byHand].entries()) {
    const claim = { job: { id: `edit@${index}`, loop: "edit", run: id } };
    const served = { loop: { level: "L2" as const, priority: 0, paths: ["c.txt"], maxOpen: 3 } };
    expect(await admission.enter(claim, served)).toBeNull();
    expect(await admission.renew(claim)).toBe(true);
    await admission.leave(claim);
  }
  const more = { job: { id: "edit@9", loop: "edit", run: "r_none" as RunId } };
  const held = await admission.enter(more, { loop: { level: "L2", priority: 0, paths: [], maxOpen: 3 } });
  expect(held).toBe("3 of its proposals wait for an answer, and no more than 3 may");
  expect(await coordination.reject(refused, { by: "ann", why: "no" })).toMatchObject({ state: "rejected", by: "ann" });
  git("-c", "user.name=A", "-c", "user.email=a@b", "merge", "-q", `pawl/${byHand}`);
  expect(await coordination.accept(taken, { into: null, by: "ann" })).toMatchObject({ state: "queued", into: "main" });
  await coordination.work({ worker: "w", onStep: () => undefined });
  expect(await coordination.standing()).toEqual([]);
  expect(git("show", "main:c.txt")).toBe("2");
  await expect(coordination.accept(taken, { into: null, by: "ann" })).rejects.toMatchObject({
    code: "MERGE_CHANGE_OVER",
  });
  const day = { name: "today", from: 0, until: Date.now() + 1000 };
  const digest = await coordination.digest(day);
  expect(digest.total).toMatchObject({ runs: 3, ends: { succeeded: 3 } });
  expect(digest.total.changes).toEqual({ open: 0, queued: 0, merged: 2, returned: 0, rejected: 1 });
}, 600_000);

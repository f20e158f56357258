/** A host dies at any step of the life of a workspace: nothing is lost, and a sweep leaves nothing behind. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import { bundleChild } from "../support/bundle-child.ts";
import { applyChanges, type Change, changes, SPOILED, textsIn } from "../support/git-changes.ts";
import type { LifePlan } from "../support/git-life.ts";
import { CLONE, commitFiles, git, LABEL, nextRun, placeOf, vaultOf, workspacesAt } from "../support/git-project.ts";
import { assertAsyncProperty } from "../support/property.ts";
import { tempDir } from "../support/temp-dir.ts";

const FULL = process.env["PAWL_FULL"] === "1";
const PROJECT = { a: "a\n", "src/b": "b\n", ".gitignore": "*.log\n", "kept.txt": "k\n" };

let script = "";
beforeAll(async () => {
  const { file, remove } = await bundleChild("test/support/git-life.ts");
  script = file;
  return remove;
});

async function liveAndDie(plan: LifePlan): Promise<{ said: string[] }> {
  const child = spawn(process.execPath, [script, JSON.stringify(plan)], { stdio: ["ignore", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (signal !== "SIGKILL" && code !== 0) throw new Error(Buffer.concat(errors).toString());
  return { said: Buffer.concat(out).toString().split("\n") };
}

/** Every text that the vault can give back: files of all trees, and what is in archives. */
function vaultTexts(root: string): string {
  const vault = vaultOf(root);
  if (!existsSync(vault)) return "";
  const all = git(vault, "rev-list", "--objects", "--all")
    .split("\n")
    .map((line) => line.split(" ")[0] ?? "");
  const types = execFileSync("git", ["cat-file", "--batch-check=%(objecttype) %(objectname)"], {
    cwd: vault,
    input: all.join("\n"),
    encoding: "utf8",
  });
  const blobs = types.split("\n").flatMap((line) => (line.startsWith("blob ") ? [line.slice(5)] : []));
  return execFileSync("git", ["cat-file", "--batch"], {
    cwd: vault,
    input: blobs.join("\n"),
    maxBuffer: 1 << 28,
  }).toString("latin1");
}

function leftovers(root: string): string[] {
  const list = (path: string): string[] => (existsSync(path) ? readdirSync(path).map((name) => `${path}/${name}`) : []);
  const state = join(root, ".pawl");
  const vault = vaultOf(root);
  return [
    ...list(join(state, "workspaces")),
    ...list(state).filter((path) => !path.endsWith("/workspaces") && !path.endsWith("/vault.git")),
    ...list(join(vault, "pawl")).filter((path) => !/\/(bases|made|rules|temp|uses)$/.test(path)),
    ...["temp", "uses"].flatMap((name) => list(join(vault, "pawl", name))),
    ...list(join(vault, "objects/pack")).filter((path) => path.includes("tmp_")),
  ];
}

/** A checkout of a host that is gone is thrown away while its run goes on, and the workspace of the run stays as it is. */
async function expectOnlyOwn(root: string, run: RunId): Promise<void> {
  const dir = join(root, ".pawl/workspaces", run);
  const tree = join(dir, "run/tree");
  const look = (): string[] => (existsSync(tree) ? textsIn(tree, (path, text) => `${path} ${text}`) : []);
  const before = look();
  await workspacesAt(root).sweep({ known: async () => "open", before: 0, at: 1 });
  expect(look()).toEqual(before);
  const names = existsSync(dir) ? readdirSync(dir) : [];
  expect(names.filter((name) => name !== "run" && !name.startsWith(".old-"))).toEqual([]);
}

async function crash(
  stages: readonly (readonly Change[])[],
  killAt: number,
  delayMs: number,
  isJudged = false,
): Promise<number> {
  const root = join(tempDir(), "project");
  commitFiles(root, PROJECT);
  const run = nextRun();
  const folder = join(root, ".pawl/workspaces", run, "run/tree");
  const { said } = await liveAndDie({ root, run, stages, isJudged, killAt, delayMs });
  if (isJudged) await expectOnlyOwn(root, run);
  const expected = said.flatMap((line) => (line.startsWith("changed ") ? (JSON.parse(line.slice(8)) as string[]) : []));
  // Also what a stage had done when its host died in the middle of it.
  if (existsSync(folder)) expected.push(...textsIn(folder));
  const successor = workspacesAt(root);
  const where = placeOf(CLONE, null, run);
  await successor.salvage(where, LABEL);
  await successor.leave(run, 1);
  await successor.sweep({ known: async () => "open", before: 0, at: 1 });
  const texts = vaultTexts(root);
  expect(expected.filter((text) => !texts.includes(Buffer.from(text).toString("latin1")))).toEqual([]);
  expect(texts).not.toContain(SPOILED);
  expect(leftovers(root)).toEqual([]);
  if (existsSync(vaultOf(root))) git(vaultOf(root), "fsck", "--strict", "--no-dangling", "--full");
  expect(git(root, "status", "--porcelain", "--", ".", ":!.pawl")).toBe("");
  const base = await successor.base(CLONE, LABEL.at);
  expect(readdirSync(join(vaultOf(root), "pawl/bases"))).toEqual([base]);
  return Number(said.find((line) => line.startsWith("steps "))?.slice(6) ?? 0);
}

const FIXED: Change[][] = [
  [
    { kind: "write", path: "a", text: "11111111-one" },
    { kind: "execute", path: "deep/er/file", text: "22222222-two" },
    { kind: "rename", path: "src", to: "moved" },
    { kind: "link", path: "link", text: "33333333-three" },
  ],
  [
    { kind: "write", path: "b", text: "44444444-four" },
    { kind: "remove", path: "a" },
    { kind: "write", path: "seen.log", text: "ignored" },
  ],
  [
    { kind: "repository", path: "nested" },
    { kind: "write", path: "nested/inner", text: "55555555-five" },
    { kind: "write", path: "c", text: "66666666-six" },
    { kind: "close", path: "c" },
  ],
];

describe("a host that dies", () => {
  it("loses nothing and leaves nothing, at each step of create, run, save, restore, archive, remove and sweep", async () => {
    const steps = await crash(FIXED, 0, 0);
    expect(steps).toBeGreaterThan(20);
    const stride = FULL ? 1 : Math.ceil(steps / 8);
    for (let killAt = 1; killAt <= steps; killAt += stride)
      for (const delayMs of FULL ? [0, 3, 10, 30] : [(killAt * 7) % 31]) await crash(FIXED, killAt, delayMs);
  });

  it("leaves no checkout, and saves nothing of one, at each step of composing, checking out and throwing away", async () => {
    const stages = FIXED.slice(0, 1);
    const steps = await crash(stages, 0, 0, true);
    const stride = FULL ? 1 : Math.ceil(steps / 8);
    for (let killAt = 1; killAt <= steps; killAt += stride)
      for (const delayMs of FULL ? [0, 3, 10, 30] : [(killAt * 5) % 31]) await crash(stages, killAt, delayMs, true);
  });

  it("loses nothing and leaves nothing, whatever the stages have done", async () => {
    await assertAsyncProperty(
      fc.asyncProperty(
        fc.array(changes, { minLength: 1, maxLength: 3 }),
        fc.nat(40),
        fc.nat(60),
        async (stages, killAt, delayMs) => {
          await crash(stages, killAt, delayMs);
        },
      ),
      { runs: FULL ? 200 : 8, endOnFailure: true },
    );
  });
});

describe("a tree that was saved", () => {
  it("is restored exactly, whatever was changed before and after", async () => {
    const root = join(tempDir(), "project");
    commitFiles(root, PROJECT);
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(CLONE, 1);
    const savable = changes.map((list) => list.filter(({ kind }) => kind !== "repository"));
    await assertAsyncProperty(
      fc.asyncProperty(savable, savable, async (first, second) => {
        const where = placeOf();
        const { folder, save } = await workspaces.enter(where, base, LABEL);
        const look = (): string[] => textsIn(folder, (path, text) => `${path} ${text}`);
        const start = look();
        applyChanges(folder, first);
        const then = look();
        const tree = await save(LABEL);
        await workspaces.enter(where, tree, LABEL);
        applyChanges(folder, second);
        chmodSync(folder, 0o700);
        await workspaces.enter(where, base, LABEL);
        expect(look()).toEqual(start);
        await workspaces.enter(where, tree, LABEL);
        expect(look()).toEqual(then);
        await workspaces.leave(where.run, 1);
      }),
      { runs: FULL ? 300 : 12, endOnFailure: true },
    );
  });
});

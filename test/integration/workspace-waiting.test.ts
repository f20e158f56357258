/** A cell waits beside every workspace that is in use: it saves time, and nothing else may be seen of it. */
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { formatRunId, type RunId } from "../../src/base/ids.ts";
import { CLONE, commitFiles, filesOf, git, LABEL, placeOf, vaultOf, workspacesAt } from "../support/git-project.ts";
import { PATIENCE_MS } from "../support/slowness.ts";
import { tempDir } from "../support/temp-dir.ts";

function project(): string {
  const root = join(tempDir(), "project");
  commitFiles(root, { a: "a\n", "src/b": "b\n" });
  return root;
}

/** Of no other test: its processes are found by its name. */
function ownRun(): RunId {
  return formatRunId(randomBytes(12));
}

/** Processes that stand for a cell of this run. */
function cellsOf(run: RunId): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const isCell = readFileSync(`/proc/${name}/environ`, "latin1").includes(`PAWL_KEY=${run}:workspace:`);
      return /^\d+$/.test(name) && isCell ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

const SOON = { timeout: PATIENCE_MS, interval: 20 };
const pathsIn = (root: string, tree: string): string[] =>
  git(vaultOf(root), "ls-tree", "-r", "--name-only", tree).split("\n");

async function enter(root: string, run: RunId) {
  const workspaces = workspacesAt(root);
  const base = await workspaces.base(CLONE, 1);
  const workspace = await workspaces.enter(placeOf(CLONE, null, run), base, LABEL);
  return { workspaces, base, workspace };
}

describe("a waiting cell", () => {
  it("is there while a workspace is in use, and gone when that is saved, removed or left", async () => {
    const run = ownRun();
    const { workspaces, base, workspace } = await enter(project(), run);
    const again = () => workspaces.enter(placeOf(CLONE, null, run), base, LABEL);
    await expect.poll(() => cellsOf(run).length, SOON).toBeGreaterThan(0);
    await workspace.save(LABEL);
    await expect.poll(() => cellsOf(run), SOON).toEqual([]);
    await again();
    await workspace.remove(LABEL);
    expect(cellsOf(run)).toEqual([]);
    await again();
    await workspaces.leave(run, 1);
    expect(cellsOf(run)).toEqual([]);
  });

  it("leaves nothing when it is given up while its wall is being built", async () => {
    const run = ownRun();
    const { workspaces, base } = await enter(project(), run);
    for (let time = 0; time < 5; time += 1) {
      await workspaces.leave(run, 1);
      expect(cellsOf(run)).toEqual([]);
      await workspaces.enter(placeOf(CLONE, null, run), base, LABEL);
    }
    await workspaces.leave(run, 1);
    expect(cellsOf(run)).toEqual([]);
  });

  it("neither keeps its host alive nor outlives it", async () => {
    for (const what of ["end", "stay"]) {
      const run = ownRun();
      const args = ["--import", "tsx", resolve("test/support/waiting-host.ts"), project(), run, what];
      const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const ended = once(host, "close");
      await once(host.stdout, "data");
      if (what === "stay") {
        await expect.poll(() => cellsOf(run).length, SOON).toBeGreaterThan(0);
        host.kill("SIGKILL");
      }
      expect(await ended).toEqual(what === "stay" ? [null, "SIGKILL"] : [0, null]);
      await expect.poll(() => cellsOf(run), SOON).toEqual([]);
    }
  });

  it("is replaced when it was killed, or when another folder took the place of its own", async () => {
    const root = project();
    const run = ownRun();
    const { workspaces, base, workspace } = await enter(root, run);
    await expect.poll(() => cellsOf(run).length, SOON).toBeGreaterThan(0);
    for (const pid of cellsOf(run)) process.kill(pid, "SIGKILL");
    await expect.poll(() => cellsOf(run), SOON).toEqual([]);
    writeFileSync(join(workspace.folder, "one"), "1");
    expect(pathsIn(root, await workspace.save(LABEL))).toEqual(["a", "one", "src/b"]);

    await workspaces.enter(placeOf(CLONE, null, run), base, LABEL);
    const other = workspacesAt(root);
    await other.leave(run, 1);
    await other.enter(placeOf(CLONE, null, run), base, LABEL);
    writeFileSync(join(workspace.folder, "two"), "2");
    expect(pathsIn(root, await workspace.save(LABEL))).toEqual(["a", "src/b", "two"]);
    await workspaces.leave(run, 1);
    await other.leave(run, 1);
  });

  it("trusts nothing that it saw before the stage had ended", async () => {
    const root = project();
    const run = ownRun();
    const { workspaces, workspace } = await enter(root, run);
    const file = join(workspace.folder, "a");
    await expect.poll(() => cellsOf(run).length, SOON).toBeGreaterThan(0);
    for (const text of ["1\n", "2\n", "3\n"]) {
      writeFileSync(file, text);
      utimesSync(file, 1_000_000_000, 1_000_000_000);
      const tree = await workspace.save(LABEL);
      expect(git(vaultOf(root), "show", `${tree}:a`)).toBe(text.trimEnd());
      await workspaces.enter(placeOf(CLONE, null, run), tree, LABEL);
    }
    await workspaces.leave(run, 1);
  });
});

describe("a save", () => {
  it("takes very many files and large ones as it takes a few", async () => {
    const root = project();
    const run = ownRun();
    const { workspaces, workspace } = await enter(root, run);
    writeFileSync(join(workspace.folder, "large"), Buffer.alloc(3 << 20, "large"));
    const large = await workspace.save(LABEL);
    expect(Number(git(vaultOf(root), "cat-file", "-s", `${large}:large`))).toBe(3 << 20);
    for (let file = 0; file < 1500; file += 1)
      writeFileSync(
        join(workspace.folder, `a-file-with-a-name-that-is-rather-long-for-a-file-${file}-and-so-on`),
        `${file}`,
      );
    const many = await workspace.save(LABEL);
    expect(pathsIn(root, many)).toHaveLength(1503);
    expect(Object.keys(filesOf(workspace.folder)).sort()).toEqual(pathsIn(root, many).sort());
    git(vaultOf(root), "fsck", "--strict", "--no-dangling", "--full");
    await workspaces.leave(run, 1);
  });

  it("refuses a file that is larger than any tree should hold, before it has read it", async () => {
    const root = project();
    const run = ownRun();
    const { workspaces, workspace } = await enter(root, run);
    const handle = openSync(join(workspace.folder, "hollow"), "w");
    ftruncateSync(handle, 12 * 2 ** 30);
    closeSync(handle);
    await expect(workspace.save(LABEL)).rejects.toMatchObject({ code: "WORKSPACE_TOO_LARGE" });
    await workspaces.leave(run, 1);
    expect(await workspaces.unsaved(run)).toEqual([
      { folder: workspace.folder, why: "too_large", stage: LABEL.stage, at: LABEL.at },
    ]);
    expect(statSync(join(workspace.folder, "hollow")).size).toBe(12 * 2 ** 30);
  });
});

describe("a link at a sealed path", () => {
  it("is put back before what a killed host left is saved", async () => {
    const root = project();
    for (const [path, target] of Object.entries({ ".claude": "src", "src/.mcp.json": "b", plain: "a" }))
      symlinkSync(target, join(root, path));
    git(root, "add", "-A");
    git(root, "commit", "-qm", "links");
    const run = ownRun();
    const { workspace, base } = await enter(root, run);
    // As a wall leaves it when its host is killed, and what the stage itself did.
    for (const path of [".claude", "src/.mcp.json", "plain"]) unlinkSync(join(workspace.folder, path));
    mkdirSync(join(workspace.folder, ".claude"));
    writeFileSync(join(workspace.folder, "made"), "x");
    const later = workspacesAt(root);
    const left = await later.salvage(placeOf(CLONE, null, run), LABEL);
    const changes = git(vaultOf(root), "diff-tree", "-r", "--name-status", base, left ?? "");
    expect(changes.split("\n").filter((line) => line !== "")).toEqual(["A\tmade", "D\tplain"]);
    await later.leave(run, 1);
  });
});

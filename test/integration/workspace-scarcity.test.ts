/** Saving a workspace with too little room: in memory it goes to the disk, on the disk it is refused whole, told, and good later. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createBubblewrapSandbox } from "../../src/adapters/sandbox/sandbox.ts";
import type { Sandbox } from "../../src/ports/sandbox.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import {
  CLONE,
  commitFiles,
  filesOf,
  git,
  LABEL,
  placeOf,
  realSandbox,
  vaultOf,
  workspacesAt,
} from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

const MIB = 1 << 20;

/** Bytes that cannot be made shorter. */
function fill(folder: string, files: number, bytes: number): void {
  for (let at = 0; at < files; at += 1) {
    mkdirSync(join(folder, `d${at % 50}`), { recursive: true });
    writeFileSync(join(folder, `d${at % 50}/f${at}`), randomBytes(bytes));
  }
}

/** The tree, read from the vault, file by file. */
function checkedOut(root: string, tree: string): Record<string, unknown> {
  const folder = tempDir();
  execFileSync("sh", ["-c", `git --git-dir='${vaultOf(root)}' archive '${tree}' | tar -x -C '${folder}'`]);
  return filesOf(folder);
}

describe.runIf(process.getuid?.() === 0)("a disk that is full", () => {
  it.each([
    ["small files", 400, 20_000],
    ["one large file", 1, 8 * MIB],
    ["so many files that they are never kept in memory", 2500, 2000],
  ])("refuses a save as a whole and says so, and takes it when there is room: %s", async (_, files, bytes) => {
    const root = smallDisk(64);
    commitFiles(root, { a: "a\n" });
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(CLONE, 1);
    const place = placeOf();
    const workspace = await workspaces.enter(place, base, LABEL);
    fill(workspace.folder, files, bytes);
    const used = Number(execFileSync("df", ["-k", "--output=used", root], { encoding: "utf8" }).split("\n")[1]);
    execFileSync("mount", ["-o", `remount,size=${used + 2048}k`, root]);
    const before = git(vaultOf(root), "for-each-ref");
    await expect(workspace.save(LABEL)).rejects.toMatchObject({ code: "WORKSPACE_DISK_FULL" });
    expect(git(vaultOf(root), "for-each-ref")).toBe(before);
    grow(root, 128);
    const tree = await workspace.save(LABEL);
    expect(checkedOut(root, tree)).toEqual(filesOf(workspace.folder));
    await workspaces.leave(place.run, 1);
  });

  it("stops the host of a run with the reason, and the run goes on when there is room", async () => {
    const root = smallDisk(22);
    const blueprint = [
      "version: 1",
      "name: large",
      'policy: { allow: [{ shell: "**" }] }',
      "stages:",
      "  - { id: write, command: head -c 8000000 /dev/urandom >large }",
      "  - { id: read, command: test -s large }",
      "",
    ].join("\n");
    commitFiles(root, { "large.yaml": blueprint });
    const first = await openRuntime({ root });
    const { plan } = await first.compile(join(root, "large.yaml"), {});
    if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
    const hosted = await first.start(plan.value);
    await expect(hosted.ended).rejects.toMatchObject({ code: "WORKSPACE_DISK_FULL" });
    await first.close();
    grow(root, 128);
    const second = await openRuntime({ root });
    try {
      const resumed = await second.resume(hosted.run, { by: "ann" });
      expect(await resumed.ended).toMatchObject({ status: "succeeded" });
    } finally {
      await second.close();
    }
  });
});

/** A project folder that is a file system of so many MiB. */
function smallDisk(mib: number): string {
  const root = join(tempDir(), "project");
  mkdirSync(root);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mib}m`, "none", root]);
  onTestFinished(() => execFileSync("umount", ["-l", root]) as never);
  return root;
}

function grow(root: string, mib: number): void {
  execFileSync("mount", ["-o", `remount,size=${mib}m`, root]);
}

describe("a save that does not fit into memory", () => {
  it.each([
    ["a little too much", 300, 40_000],
    ["the last file is too much", 41, 200_000],
    ["files beside a large one", 200, 60_000],
  ])("goes to the disk, and the tree is exact: %s", async (_, files, bytes) => {
    const root = join(tempDir(), "project");
    commitFiles(root, { a: "a\n", "d1/f1": "before\n" });
    const workspaces = workspacesAt(root, forgetful(8 * MIB));
    const base = await workspaces.base(CLONE, 1);
    const place = placeOf();
    const workspace = await workspaces.enter(place, base, LABEL);
    fill(workspace.folder, files, bytes);
    if (files === 200) fill(join(workspace.folder, "large"), 1, 9 * MIB);
    const tree = await workspace.save(LABEL);
    expect(checkedOut(root, tree)).toEqual(filesOf(workspace.folder));
    expect(git(vaultOf(root), "fsck", "--no-dangling", "--connectivity-only")).toBe("");
    await workspaces.leave(place.run, 1);
  });

  /** Walls whose folders in memory hold no more than this, where they would hold a GiB. */
  function forgetful(bytes: number): Sandbox {
    const program = join(tempDir(), "bwrap");
    // Nothing of it may live when the wall is looked at.
    const rewrite = `args=$(mktemp); sed -z 's/^${1024 * MIB}$/${bytes}/' <&7 >"$args"; exec 7<"$args"; rm "$args"`;
    const lines = ["#!/bin/bash", `if [ "$1" = --args ]; then ${rewrite}; fi`, 'exec bwrap "$@"'];
    writeFileSync(program, `${lines.join("\n")}\n`, { mode: 0o755 });
    return createBubblewrapSandbox({
      program,
      readable: [],
      path: process.env["PATH"] ?? "",
      nodeProgram: process.execPath,
    });
  }
});

describe("a save that fails", () => {
  it("tells the reason, and not what came of it", async () => {
    const root = join(tempDir(), "project");
    commitFiles(root, { a: "a\n" });
    const unlucky =
      'git() { case $* in *update-index*) echo "fatal: no luck" >&2; return 1 ;; *) command git "$@" ;; esac; }';
    const real = realSandbox();
    const sandbox: Sandbox = {
      ...real,
      enclose: (program) => {
        const [shell = "", flags = "", script = ""] = program.argv;
        return real.enclose({ ...program, argv: [shell, flags, `${unlucky}\n${script}`] });
      },
    };
    const workspaces = workspacesAt(root, sandbox);
    const base = await workspaces.base(CLONE, 1);
    const place = placeOf();
    const workspace = await workspaces.enter(place, base, LABEL);
    fill(workspace.folder, 3, 10);
    await expect(workspace.save(LABEL)).rejects.toMatchObject({
      code: "WORKSPACE_GIT_FAILED",
      message: expect.stringMatching(/^Git failed at saving a workspace: fatal: no luck/),
    });
    await workspacesAt(root).leave(place.run, 1);
  });
});

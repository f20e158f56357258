/** Saving ends: what is too large is refused before a byte of it is read, and what is interrupted leaves everything where it is. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import type { WorkspaceSpec } from "../../src/blueprint/blueprint.ts";
import type { Place, Workspace } from "../../src/ports/workspaces.ts";
import { CLONE, commitFiles, git, LABEL, placeOf, vaultOf, workspacesAt } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

const GIB = 2 ** 30;
/** Whoever reads so much does not come back. */
const ENDLESS = 8 * 1024 * GIB;
const HUGE: WorkspaceSpec = { ...CLONE, maxBytes: 2 ** 50 };
const ENDED = { known: async () => "ended" as const, before: 0, at: 9 };

/** Has a size and takes no room. */
function sparse(path: string, bytes: number): void {
  writeFileSync(path, "");
  truncateSync(path, bytes);
}

interface Opened {
  readonly root: string;
  readonly workspaces: GitWorkspaces;
  readonly base: string;
  readonly place: Place;
  readonly workspace: Workspace;
  refs(): string;
}

async function opened(spec: WorkspaceSpec = CLONE): Promise<Opened> {
  const root = tempDir();
  commitFiles(root, { a: "a\n", ".gitignore": "ignored\n" });
  const workspaces = workspacesAt(root);
  const base = await workspaces.base(spec, 1);
  const place = { ...placeOf(), spec };
  const workspace = await workspaces.enter(place, base, LABEL);
  return { root, workspaces, base, place, workspace, refs: () => git(vaultOf(root), "for-each-ref") };
}

/** Names of the programs behind a wall over this folder. */
function behindWall(folder: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const isThere = readFileSync(`/proc/${pid}/mountinfo`, "utf8").includes(folder);
      return isThere ? [readFileSync(`/proc/${pid}/comm`, "utf8").trim()] : [];
    } catch {
      return [];
    }
  });
}

describe("a tree that is too large", () => {
  it("is refused unread, and the error names the largest paths, their sizes, the setting and the folder", async () => {
    const { workspace, refs } = await opened();
    const before = refs();
    mkdirSync(join(workspace.folder, "out"));
    sparse(join(workspace.folder, "out/first.bin"), ENDLESS);
    sparse(join(workspace.folder, "second.bin"), ENDLESS / 2);
    const error = await workspace.save(LABEL).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "WORKSPACE_TOO_LARGE",
      message: `There is too much to save: 12 TiB in 2 files, and \`workspace.max_size\` is 4 GiB. The largest: out/first.bin (8 TiB), second.bin (4 TiB). The files stay in ${workspace.folder}.`,
    });
    expect(refs()).toBe(before);
  });

  it.each([
    ["more files than the limit", { ...CLONE, maxFiles: 100 }, 101, "`workspace.max_files` is 100 files"],
    ["more bytes in many files", { ...CLONE, maxBytes: 1000 }, 101, "`workspace.max_size` is 1000 B"],
  ])("is one with %s", async (_name, spec, count, words) => {
    const { workspace } = await opened(spec);
    for (let at = 0; at < count; at += 1) writeFileSync(join(workspace.folder, `f ${at}\n`), "x".repeat(10));
    await expect(workspace.save(LABEL)).rejects.toThrow(words);
    rmSync(join(workspace.folder, "f 0\n"));
    if (spec.maxFiles !== undefined) await expect(workspace.save(LABEL)).resolves.toMatch(/^[0-9a-f]{40}$/);
  });

  it("names the folders with the most files when there are too many", async () => {
    const { workspace, root, workspaces } = await opened({ ...CLONE, maxFiles: 20 });
    for (const folder of [workspace.folder, root]) {
      mkdirSync(join(folder, "out/deep"), { recursive: true });
      for (let at = 0; at < 12; at += 1) writeFileSync(join(folder, `out/deep/${at}`), "");
      for (let at = 0; at < 9; at += 1) writeFileSync(join(folder, `out/${at} x`), "");
      writeFileSync(join(folder, "alone"), "");
    }
    const words = "The largest: out/ (21 files), out/deep/ (12 files), ./ (1 files).";
    await expect(workspace.save(LABEL)).rejects.toThrow(words);
    await expect(workspaces.base({ ...CLONE, from: "working_tree", maxFiles: 20 }, 1)).rejects.toThrow(words);
  });

  it("is no start of a run either if its names are very long", async () => {
    const { root, workspaces } = await opened();
    const folder = join(root, ...Array.from({ length: 15 }, () => "d".repeat(230)));
    mkdirSync(folder, { recursive: true });
    for (let at = 0; at < 5100; at += 1) writeFileSync(join(folder, String(at).padStart(30, "0")), "");
    const spec: WorkspaceSpec = { ...CLONE, from: "working_tree", maxFiles: 5000 };
    await expect(workspaces.base(spec, 1)).rejects.toThrow(
      "0 B in 5100 files, and `workspace.max_files` is 5000 files",
    );
  });

  it("counts what is new or changed, also in a nested repository, and neither what was saved nor what git ignores", async () => {
    const { workspace } = await opened({ ...CLONE, maxBytes: 1000 });
    sparse(join(workspace.folder, "ignored"), ENDLESS);
    for (const name of ["b", "c", "d"]) {
      writeFileSync(join(workspace.folder, name), "x".repeat(600));
      await workspace.save(LABEL);
    }
    mkdirSync(join(workspace.folder, "nested/.git/refs"), { recursive: true });
    mkdirSync(join(workspace.folder, "nested/.git/objects"));
    writeFileSync(join(workspace.folder, "nested/.git/HEAD"), "ref: refs/heads/main\n");
    sparse(join(workspace.folder, "nested/large"), ENDLESS);
    await expect(workspace.save(LABEL)).rejects.toMatchObject({ code: "WORKSPACE_TOO_LARGE" });
  });

  it("is set aside for the next attempt, named, and deleted by nobody", async () => {
    const { workspaces, workspace, base, place } = await opened();
    sparse(join(workspace.folder, "large"), ENDLESS);
    await expect(workspace.save(LABEL)).rejects.toThrow();
    expect(await workspaces.unsaved(place.run)).toEqual([
      { folder: workspace.folder, why: "too_large", stage: LABEL.stage, at: LABEL.at },
    ]);
    const next = await workspaces.enter(place, base, LABEL);
    expect(existsSync(join(next.folder, "large"))).toBe(false);
    const [aside] = await workspaces.unsaved(place.run);
    expect(aside?.folder).not.toBe(next.folder);
    expect(existsSync(join(aside?.folder ?? "", "large"))).toBe(true);
    await workspaces.leave(place.run, 5);
    expect(existsSync(next.folder)).toBe(false);
    expect(await workspaces.sweep(ENDED)).toMatchObject({ workspaces: 0, stuck: 1 });
    expect(existsSync(join(aside?.folder ?? "", "large"))).toBe(true);
  });

  it("is saved when the limit is raised", async () => {
    const { workspaces, workspace, base, place } = await opened({ ...CLONE, maxBytes: 10 });
    writeFileSync(join(workspace.folder, "large"), "more than ten bytes");
    await expect(workspace.save(LABEL)).rejects.toThrow();
    const tree = await workspaces.salvage({ ...place, spec: CLONE }, LABEL);
    expect(await workspaces.unsaved(place.run)).toEqual([]);
    expect((await workspaces.changes(base, tree ?? "")).map(({ path }) => path)).toEqual(["large"]);
  });

  it("is no start of a run", async () => {
    const { root, workspaces } = await opened();
    sparse(join(root, "large"), ENDLESS);
    await expect(workspaces.base({ ...CLONE, from: "working_tree" }, 1)).rejects.toThrow("large (8 TiB)");
    await expect(workspaces.base(CLONE, 1)).resolves.toMatch(/^[0-9a-f]{40}$/);
  });
});

describe("a save that is interrupted", () => {
  /** Aborts while git reads a file without end. */
  async function interrupted({ workspace }: Opened): Promise<unknown> {
    const stop = new AbortController();
    sparse(join(workspace.folder, "large"), ENDLESS);
    const saving = workspace.save(LABEL, stop.signal).catch((thrown: unknown) => thrown);
    await expect.poll(() => behindWall(workspace.folder).includes("git"), { timeout: 60_000 }).toBe(true);
    stop.abort("the run is ending");
    return saving;
  }

  it("ends at once with everything it has started, says what it kept, and looks like no save", async () => {
    const all = await opened(HUGE);
    const { workspaces, workspace, place, refs } = all;
    const before = refs();
    writeFileSync(join(workspace.folder, "work"), "hours of it");
    expect(await interrupted(all)).toMatchObject({
      code: "WORKSPACE_INTERRUPTED",
      message: `Saving the workspace was cut off: the run is ending. The files stay in ${workspace.folder}; what was saved before is kept.`,
    });
    await expect.poll(() => behindWall(workspace.folder)).toEqual([]);
    expect(refs()).toBe(before);
    expect(readFileSync(join(workspace.folder, "work"), "utf8")).toBe("hours of it");
    expect(await workspaces.unsaved(place.run)).toMatchObject([{ folder: workspace.folder, why: "cut_off" }]);
  });

  it("is done by the next one, and what the end of the run leaves by a sweep", async () => {
    const all = await opened(HUGE);
    const { workspaces, workspace, place, root } = all;
    await interrupted(all);
    await workspaces.leave(place.run, 5);
    expect(existsSync(join(workspace.folder, "large"))).toBe(true);
    truncateSync(join(workspace.folder, "large"), 1);
    expect(await workspacesAt(root).sweep(ENDED)).toMatchObject({ workspaces: 1, stuck: 0 });
    expect(existsSync(workspace.folder)).toBe(false);
    expect(git(vaultOf(root), "for-each-ref", `refs/pawl/${place.run}/left`)).toContain("commit");
  });

  it("names no stage when it was clearing away after the run that could not be saved", async () => {
    const { root, place, workspace } = await opened();
    writeFileSync(join(workspace.folder, "work"), "x");
    const workspaces = workspacesAt(root);
    const stop = new AbortController();
    const leaving = workspaces.leave(place.run, 5, stop.signal);
    stop.abort("its host is leaving");
    await expect(leaving).rejects.toMatchObject({ code: "WORKSPACE_INTERRUPTED" });
    const marks = await workspaces.unsaved(place.run);
    expect(marks).toEqual([{ folder: workspace.folder, why: "cut_off", stage: null, at: 5 }]);
  });

  it("is not begun when the signal has ended: nothing that takes one begins anything", async () => {
    const { workspaces, workspace, place, base, refs } = await opened();
    writeFileSync(join(workspace.folder, "work"), "x");
    const before = refs();
    const signal = AbortSignal.abort("its host is leaving");
    const works = [
      () => workspaces.leave(place.run, 5, signal),
      () => workspace.save(LABEL, signal),
      () => workspaces.enter(place, base, LABEL, signal),
      () => workspaces.salvage(place, LABEL, signal),
      () => workspaces.checkout(place, base, signal),
      () => workspaces.compose(place.run, { candidate: base, base, protect: [], at: 1 }, signal),
      () => workspaces.base(CLONE, 1, signal),
      () => workspace.remove(LABEL, signal),
    ];
    for (const work of works) await expect(work()).rejects.toMatchObject({ code: "WORKSPACE_INTERRUPTED" });
    expect(refs()).toBe(before);
    expect(readFileSync(join(workspace.folder, "work"), "utf8")).toBe("x");
  });
});

describe("files that no tree can hold", () => {
  it("are listed as archives, with the stage that left them, for as long as the vault keeps them", async () => {
    const { workspaces, workspace, place, base } = await opened();
    expect(await workspaces.archives(place.run)).toEqual([]);
    git(workspace.folder, "init", "-q", "nested");
    await expect(workspace.save(LABEL)).rejects.toMatchObject({ code: "WORKSPACE_TREE_UNFIT" });
    const next = await workspaces.enter(place, base, { ...LABEL, stage: "b, attempt 1 x", attempt: 2, at: 3000 });
    git(next.folder, "init", "-q", "other");
    await workspaces.leave(place.run, 5000);
    const commit = expect.stringMatching(/^[0-9a-f]{40}$/);
    expect(await workspaces.archives(place.run)).toEqual([
      { commit, stage: "b, attempt 1 x", at: 3000 },
      { commit, stage: null, at: 5000 },
    ]);
    expect(await workspaces.unsaved(place.run)).toEqual([]);
    await workspaces.drop(place.run);
    expect(await workspaces.archives(place.run)).toEqual([]);
  });
});

describe("a folder that is shared, and has no end", () => {
  it("does not hold a stage: copying it ends with the signal, and leaves no workspace", async () => {
    const root = tempDir();
    commitFiles(root, { a: "a\n", ".gitignore": "modules\n" });
    mkdirSync(join(root, "modules"));
    for (let at = 0; at < 20_000; at += 1) writeFileSync(join(root, `modules/${at}`), "");
    const spec: WorkspaceSpec = { ...CLONE, share: ["modules"] };
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(spec, 1);
    const place = { ...placeOf(), spec };
    const stop = new AbortController();
    const entering = workspaces.enter(place, base, LABEL, stop.signal).catch((thrown: unknown) => thrown);
    await expect.poll(() => behindWall(root).includes("cp"), { timeout: 60_000, interval: 5 }).toBe(true);
    stop.abort("the run was killed");
    expect(await entering).toMatchObject({ code: "WORKSPACE_INTERRUPTED" });
    await expect.poll(() => behindWall(root)).toEqual([]);
    expect(await workspaces.salvage(place, LABEL)).toBeNull();
    await expect(workspaces.enter(place, base, LABEL)).resolves.toMatchObject({ project: "" });
  });
});

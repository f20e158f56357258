/** Which projects can give a workspace, and that they are left exactly as they were. */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGitWorkspaces, type GitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import type { WorkspaceSpec } from "../../src/blueprint/blueprint.ts";
import {
  CLONE,
  commitFiles,
  filesOf,
  git,
  LABEL,
  placeOf,
  putFile,
  realSandbox,
  vaultOf,
  workspacesAt,
} from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

const DIRTY: WorkspaceSpec = { ...CLONE, from: "working_tree" };

function project(
  files: Record<string, string>,
  ...init: string[]
): { root: string; head: string; workspaces: GitWorkspaces } {
  const root = join(tempDir(), "project");
  return { root, head: commitFiles(root, files, ...init), workspaces: workspacesAt(root) };
}

/** Everything about a repository that a user could notice. */
function footprint(root: string): unknown {
  const refs = git(root, "for-each-ref");
  const index = readFileSync(join(root, ".git/index"), "base64");
  const status = git(root, "status", "--porcelain", "--ignored", "--", ".", ":!.pawl");
  return { refs, index, status, config: readFileSync(join(root, ".git/config"), "utf8") };
}

async function baseFiles(workspaces: GitWorkspaces, spec = CLONE): Promise<Record<string, string>> {
  const tree = await workspaces.base(spec, LABEL.at);
  const { folder } = await workspaces.enter(placeOf(spec), tree, LABEL);
  return Object.fromEntries(Object.entries(filesOf(folder)).map(([path, { text }]) => [path, text]));
}

describe("a project that cannot give a workspace is refused", () => {
  const refusal = (root: string, spec = CLONE) => expect(workspacesAt(root).base(spec, 1)).rejects;

  it("when it is no repository", async () => {
    const root = tempDir();
    await refusal(root).toMatchObject({ code: "WORKSPACE_NOT_A_REPOSITORY" });
    git(root, "init", "-q", "--bare", "bare");
    await refusal(join(root, "bare")).toMatchObject({ code: "WORKSPACE_NOT_A_REPOSITORY" });
    expect(existsSync(vaultOf(root))).toBe(false);
  });

  it("when it has no commit", async () => {
    const root = tempDir();
    git(root, "init", "-q");
    for (const spec of [CLONE, DIRTY]) await refusal(root, spec).toMatchObject({ code: "WORKSPACE_NO_COMMIT" });
  });

  it("when it is a folder inside a repository", async () => {
    const { root } = project({ "sub/a": "a" });
    await refusal(join(root, "sub")).toMatchObject({ code: "WORKSPACE_PROJECT_BELOW" });
  });

  it("when objects are missing by design", async () => {
    const { root } = project({ a: "a" });
    git(root, "config", "remote.origin.promisor", "true");
    await refusal(root).toMatchObject({ code: "WORKSPACE_PARTIAL_CLONE" });
  });

  it("when it belongs to another user", async () => {
    const { root } = project({ a: "a" });
    execFileSync("chown", ["-R", "65534", root]);
    await refusal(root).toMatchObject({ code: "WORKSPACE_OWNER_FOREIGN" });
  });
});

describe("a project that can give a workspace", () => {
  it("is left as it was by a whole life of a workspace", async () => {
    const { root, workspaces } = project({ a: "a", ".gitignore": "ignored\n" });
    putFile(root, "a", { mode: "100644", text: "dirty" });
    putFile(root, "untracked", { mode: "100644", text: "new" });
    putFile(root, "ignored", { mode: "100644", text: "secret" });
    putFile(root, "staged", { mode: "100644", text: "staged" });
    git(root, "add", "staged");
    git(root, "status");
    const before = footprint(root);
    for (const spec of [CLONE, DIRTY]) {
      const where = placeOf(spec);
      const { folder, save } = await workspaces.enter(where, await workspaces.base(spec, 1), LABEL);
      writeFileSync(join(folder, "b"), "b");
      await save(LABEL);
      await workspaces.leave(where.run, 1);
    }
    await workspaces.sweep({ known: async () => "ended", before: 4e12, at: 1 });
    expect(footprint(root)).toEqual(before);
  });

  it("gives its files as they lie there, ignored ones left out", async () => {
    const { root, workspaces } = project({ a: "a", gone: "x", ".gitignore": "ignored\n" });
    rmSync(join(root, "gone"));
    putFile(root, "a", { mode: "100644", text: "dirty" });
    putFile(root, "new/file", { mode: "100644", text: "new" });
    putFile(root, "ignored", { mode: "100644", text: "secret" });
    putFile(root, "staged", { mode: "100644", text: "staged" });
    git(root, "add", "staged");
    expect(await baseFiles(workspaces, DIRTY)).toEqual({
      ".gitignore": "ignored\n",
      a: "dirty",
      "new/file": "new",
      staged: "staged",
    });
    expect(await baseFiles(workspaces)).toEqual({ ".gitignore": "ignored\n", a: "a", gone: "x" });
  });

  it("gives its commit when no file differs from it", async () => {
    const { head, workspaces } = project({ a: "a" });
    expect(await workspaces.base(DIRTY, 1)).toBe(head);
  });

  it("may be cleaned up, packed anew and lose its commits while a run goes on", async () => {
    const { root, workspaces, head } = project({ a: "a" });
    const where = placeOf();
    const { folder, save } = await workspaces.enter(where, await workspaces.base(CLONE, 1), LABEL);
    git(root, "checkout", "-q", "--orphan", "other");
    git(root, "commit", "-q", "--allow-empty", "-m", "x");
    git(root, "branch", "-q", "-D", "master");
    git(root, "reflog", "expire", "--expire=now", "--all");
    git(root, "gc", "-q", "--prune=now");
    writeFileSync(join(folder, "b"), "b");
    const tree = await save(LABEL);
    await workspaces.leave(where.run, 1);
    const again = await workspaces.enter(placeOf(), tree, LABEL);
    expect(Object.keys(filesOf(again.folder))).toEqual(["a", "b"]);
    expect(git(vaultOf(root), "fsck", "--full", "--strict", "--no-dangling")).not.toMatch(/missing|broken/);
    expect(git(vaultOf(root), "rev-parse", `${tree}^`)).toBe(head);
  });

  it("gives each new commit to the vault, also when it was made by an earlier Pawl", async () => {
    const { root, workspaces } = project({ a: "1" });
    await workspaces.base(CLONE, 1);
    for (const text of ["2", "3"]) {
      commitFiles(root, { a: text });
      expect(await baseFiles(workspacesAt(root))).toEqual({ a: text });
    }
  });

  it("may be shallow", async () => {
    const { root } = project({ a: "1" });
    commitFiles(root, { a: "2" });
    commitFiles(root, { a: "3" });
    const shallow = join(root, "../shallow");
    git(root, "clone", "-q", "--depth=2", `file://${root}`, shallow);
    const workspaces = workspacesAt(shallow);
    const where = placeOf();
    const { folder, save } = await workspaces.enter(where, await workspaces.base(CLONE, 1), LABEL);
    writeFileSync(join(folder, "b"), "b");
    await save(LABEL);
    expect(readFileSync(join(folder, ".git/shallow"), "utf8")).toMatch(/^[0-9a-f]{40}\n$/);
    await workspaces.leave(where.run, 1);
    await workspaces.sweep({ known: async () => "open", before: 4e12, at: 1 });
    expect(git(vaultOf(shallow), "fsck", "--no-dangling")).not.toMatch(/missing|broken/);
  });

  it("may be sparse: the workspace has every file", async () => {
    const { root, workspaces } = project({ "in/a": "a", "out/b": "b" });
    git(root, "sparse-checkout", "set", "in");
    expect(existsSync(join(root, "out"))).toBe(false);
    for (const spec of [CLONE, DIRTY]) expect(await baseFiles(workspaces, spec)).toEqual({ "in/a": "a", "out/b": "b" });
  });

  it("may use SHA-256", async () => {
    const { workspaces, head } = project({ a: "a" }, "--object-format=sha256");
    expect(head).toHaveLength(64);
    const where = placeOf();
    const { folder, save } = await workspaces.enter(where, await workspaces.base(CLONE, 1), LABEL);
    writeFileSync(join(folder, "b"), "b");
    const tree = await save(LABEL);
    expect(tree).toHaveLength(64);
    await workspaces.enter(where, head, LABEL);
    expect(Object.keys(filesOf(folder))).toEqual(["a"]);
  });

  it("may borrow its objects, be a linked working tree, or lie at a path with every kind of sign", async () => {
    const { root } = project({ a: "a" });
    const beside = join(root, "..");
    git(root, "clone", "-q", "--shared", root, join(beside, "borrowing"));
    git(root, "worktree", "add", "-q", "--detach", join(beside, "linked"));
    const odd = join(beside, "odd 'name' \"of\" $HOME : -x é");
    cpSync(root, odd, { recursive: true });
    for (const folder of ["borrowing", "linked"])
      expect(await baseFiles(workspacesAt(join(beside, folder)))).toEqual({ a: "a" });
    expect(await baseFiles(workspacesAt(odd), DIRTY)).toEqual({ a: "a" });
  });

  it("keeps submodules as they are: empty folders", async () => {
    const { root, workspaces } = project({ a: "a" });
    const other = join(root, "../other");
    const commit = commitFiles(other, { inner: "inner" });
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other, "sub");
    git(root, "commit", "-q", "-m", "sub");
    const where = placeOf();
    const base = await workspaces.base(CLONE, 1);
    const { folder, save } = await workspaces.enter(where, base, LABEL);
    expect(existsSync(join(folder, "sub"))).toBe(true);
    expect(await save(LABEL)).toBe(base);
    writeFileSync(join(folder, "b"), "b");
    const tree = await save(LABEL);
    expect(git(vaultOf(root), "ls-tree", tree, "sub")).toContain(`160000 commit ${commit}`);
    await workspaces.enter(where, tree, LABEL);
    writeFileSync(join(folder, "sub/hidden"), "x");
    await expect(save(LABEL)).rejects.toMatchObject({ code: "WORKSPACE_TREE_UNFIT" });
  });

  it("keeps bytes as they are, whatever filters and line ends its attributes ask for", async () => {
    const attributes =
      "*.lfs filter=lfs diff=lfs merge=lfs -text\n*.txt text eol=crlf\n*.id ident\n*.enc working-tree-encoding=UTF-16\n";
    const files = { "b.lfs": "version https://git-lfs.github.com/spec/v1\n", "c.txt": "one\ntwo\n", "d.id": "$Id$\n" };
    const { workspaces, root } = project({ ".gitattributes": attributes, ...files });
    const where = placeOf();
    const { folder, save } = await workspaces.enter(where, await workspaces.base(CLONE, 1), LABEL);
    expect(filesOf(folder)["c.txt"]?.text).toBe("one\ntwo\n");
    const texts = { "c.txt": "one\r\ntwo\r\n", "d.id": "$Id: x $\n", "e.enc": "plain\n", "f.lfs": "raw\0bytes" };
    for (const [path, text] of Object.entries(texts)) writeFileSync(join(folder, path), text);
    const tree = await save(LABEL);
    for (const [path, text] of Object.entries(texts))
      expect(git(vaultOf(root), "show", `${tree}:${path}`)).toBe(text.trimEnd());
  });

  it("shares folders that git does not keep, as copies that are not saved", async () => {
    const { root, workspaces } = project({ a: "a" });
    putFile(root, "node_modules/x/index.js", { mode: "100755", text: "x" });
    const spec = { ...CLONE, share: ["node_modules", "missing"] };
    const where = placeOf(spec);
    const base = await workspaces.base(spec, 1);
    const { folder, save } = await workspaces.enter(where, base, LABEL);
    writeFileSync(join(folder, "node_modules/x/index.js"), "changed");
    expect(await save(LABEL)).toBe(base);
    expect(readFileSync(join(root, "node_modules/x/index.js"), "utf8")).toBe("x");
    symlinkSync("/etc", join(root, "leak"));
    mkdirSync(join(root, "file"));
    for (const share of ["leak", ".git", ".pawl", "..", "a"])
      await expect(workspaces.enter(placeOf({ ...CLONE, share: [share] }), base, LABEL), share).rejects.toMatchObject({
        code: "WORKSPACE_SHARE_UNFIT",
      });
  });
});

describe("a project below the top of its repository", () => {
  it("starts from its own new files and what has changed anywhere, and tells the same", async () => {
    const root = join(tempDir(), "repository");
    commitFiles(root, { "web[1]/app": "1", "api/app": "1", "api/gone": "1", ".gitignore": "*.log\n" });
    const changes = { "web[1]/app": "2", "web[1]/new": "n", "web[1]/x.log": "x", "api/app": "2", "api/new": "secret" };
    for (const [path, text] of Object.entries({ ...changes, new: "secret" })) writeFileSync(join(root, path), text);
    rmSync(join(root, "api/gone"));
    // Git itself writes its index once more when it looks at files as young as that.
    footprint(root);
    const before = footprint(root);
    const [dir, vault] = [join(root, "web[1]/.pawl/workspaces"), join(root, "web[1]/.pawl/vault.git")];
    const workspaces = createGitWorkspaces({ root, project: "web[1]", dir, vault, sandbox: realSandbox() });
    expect([...(await workspaces.uncommitted())].sort()).toEqual(["../api/app", "../api/gone", "app", "new"]);
    expect(await baseFiles(workspaces, DIRTY)).toEqual({
      ".gitignore": "*.log\n",
      "api/app": "2",
      "web[1]/app": "2",
      "web[1]/new": "n",
    });
    rmSync(join(root, "web[1]/.pawl"), { recursive: true });
    expect(footprint(root)).toEqual(before);
  });
});

/** Hostile trees through a whole life of a workspace: nothing of them runs on the host, or reaches anything else. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import type { Place, Workspace } from "../../src/ports/workspaces.ts";
import { CLONE, commitFiles, filesOf, git, LABEL, placeOf, vaultOf, workspacesAt } from "../support/git-project.ts";
import { VECTORS, type Vector } from "../support/git-vectors.ts";
import { tempDir } from "../support/temp-dir.ts";

const PROJECT = { a: "a\n", "src/b": "b\n", "src/c": "c\n" };

/** The tree, or the code of the refusal. */
async function treeOrCode(work: Promise<string>): Promise<{ tree: string | null; code: string }> {
  try {
    return { tree: await work, code: "done" };
  } catch (error) {
    return { tree: null, code: (error as { code?: string }).code ?? String(error) };
  }
}

/** Save, restore, judge, go back to what was saved, compare, remove, sweep. */
async function live(
  workspaces: GitWorkspaces,
  workspace: Workspace,
  where: ReturnType<typeof placeOf>,
  base: string,
): Promise<string[]> {
  const seen: string[] = [];
  const saved = await treeOrCode(workspace.save(LABEL));
  const tree = saved.tree ?? base;
  seen.push(saved.code);
  await workspaces.enter(where, base, LABEL);
  seen.push(
    Object.keys(filesOf(workspace.folder))
      .filter((path) => path in PROJECT)
      .join(),
  );
  seen.push(await judged(workspaces, where, base, tree));
  await workspaces.enter(where, tree, LABEL);
  await workspaces.salvage(where, LABEL);
  await workspaces.diff(base, tree, 1 << 20);
  await workspaces.leave(where.run, 1);
  await workspaces.sweep({ known: async () => "open", before: 0, at: 1 });
  return seen;
}

/** What a checkout holds below a protected folder. */
async function judged(workspaces: GitWorkspaces, where: Place, base: string, candidate: string): Promise<string> {
  const tree = await workspaces.compose(where.run, { candidate, base, protect: ["src/**"], at: 1 });
  const checkout = await workspaces.checkout(where, tree);
  const held = Object.entries(filesOf(checkout.folder)).filter(([path]) => path.startsWith("src"));
  await workspaces.changes(base, tree);
  await workspaces.hashes(tree, ["**"]);
  await checkout.remove(LABEL);
  return held.map(([path, { mode, text }]) => `${mode} ${path} ${text.trim()}`).join();
}

function userState(root: string): unknown {
  const files = ["HEAD", "config", "index"].map((name) => readFileSync(join(root, ".git", name), "base64"));
  return { files, refs: git(root, "for-each-ref"), hooks: readdirSync(join(root, ".git")).sort() };
}

async function suffer({ plant }: Vector, kind: "clone" | "worktree"): Promise<void> {
  const dir = tempDir();
  const root = join(dir, "project");
  const outside = join(dir, "outside");
  const marks = join(dir, "marks");
  mkdirSync(outside);
  mkdirSync(marks);
  writeFileSync(join(outside, "file"), "untouched");
  const base = commitFiles(root, PROJECT);
  const spec = { ...CLONE, kind };
  const workspaces = workspacesAt(root);
  expect(await workspaces.base(spec, 1)).toBe(base);
  // Another run of the same project: it must not notice.
  const neighbour = await workspaces.enter(placeOf(), base, LABEL);
  const where = placeOf(spec);
  const workspace = await workspaces.enter(where, base, LABEL);
  const before = userState(root);
  plant({ folder: workspace.folder, command: `touch ${marks}/ran`, outside, base });
  const [saved, restored, protectedFiles] = await live(workspaces, workspace, where, base);
  expect(saved).toMatch(/^(done|WORKSPACE_TREE_UNFIT)$/);
  expect(restored).toBe("a,src/b,src/c");
  expect(protectedFiles).toBe("100644 src/b b,100644 src/c c");
  expect(readdirSync(marks)).toEqual([]);
  expect(filesOf(outside)).toEqual({ file: { mode: "100644", text: "untouched" } });
  expect(existsSync(workspace.folder)).toBe(false);
  if (kind === "clone") expect(userState(root)).toEqual(before);
  else expect(git(root, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
  expect(git(root, "status", "--porcelain", "--", ".", ":!.pawl")).toBe("");
  expect(Object.keys(filesOf(neighbour.folder))).toEqual(["a", "src/b", "src/c"]);
  const refs = git(vaultOf(root), "for-each-ref", "--format=%(refname)").split("\n");
  expect(
    refs.filter(
      (name) =>
        !/^refs\/pawl\/(bases\/[0-9a-f]{40}|r_[0-9a-z]{12}\/(base|(saved|judged|left|kept|salvage)\/\d+))$/.test(name),
    ),
  ).toEqual([]);
  expect(git(vaultOf(root), "fsck", "--strict", "--no-dangling")).toBe("");
}

/** What anybody would run on the host, were there no wall. */
const NAIVE =
  "git status; git add -A; git diff; git stash; git stash pop; git commit -m x; git checkout -q HEAD^; git fetch; git gc --auto; git -C src status; git -C nested status; git -C sub/bare status";

describe("the vectors", () => {
  it("are at least 39, each with its own name", () => {
    expect(new Set(VECTORS.map(({ name }) => name)).size).toBe(VECTORS.length);
    expect(VECTORS.length).toBeGreaterThanOrEqual(39);
  });

  it("are live: many of them run their command when git on the host meets them", () => {
    const fired = VECTORS.filter(({ plant }) => {
      const dir = tempDir();
      const base = commitFiles(join(dir, "project"), PROJECT);
      plant({ folder: join(dir, "project"), command: `touch ${dir}/ran`, outside: dir, base });
      const options = {
        cwd: join(dir, "project"),
        timeout: 2000,
        env: { ...process.env, HOME: dir, GIT_EDITOR: undefined },
      };
      spawnSync("/bin/sh", ["-c", NAIVE], { ...options, stdio: "ignore", killSignal: "SIGKILL" });
      return existsSync(join(dir, "ran"));
    });
    expect(fired.length).toBeGreaterThanOrEqual(10);
  });
});

describe("a private clone is not harmed by", () => {
  it.each(VECTORS)("$name", (vector) => suffer(vector, "clone"));
});

describe("a linked working tree is not harmed by", () => {
  const some = process.env["PAWL_FULL"] === "1" ? VECTORS : VECTORS.filter((_, index) => index % 5 === 0);
  it.each(some)("$name", (vector) => suffer(vector, "worktree"));
});

/** What stages can leave in a workspace: all of it is saved, restored exactly, or refused and kept. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import type { Place, Workspace } from "../../src/ports/workspaces.ts";
import {
  CLONE,
  commitFiles,
  filesOf,
  git,
  LABEL,
  placeOf,
  type TreeFile,
  vaultOf,
  workspacesAt,
} from "../support/git-project.ts";
import { slowness } from "../support/slowness.ts";
import { tempDir } from "../support/temp-dir.ts";

interface Stand {
  readonly root: string;
  readonly base: string;
  readonly workspaces: GitWorkspaces;
  readonly where: Place;
  readonly workspace: Workspace;
  readonly folder: string;
  save(): Promise<string>;
  enter(tree: string): Promise<Workspace>;
  /** Runs a script in the folder as a stage would, but without a wall. */
  sh(script: string): void;
}

async function stand(files: Record<string, string | TreeFile> = { a: "a\n", "src/b": "b\n" }): Promise<Stand> {
  const root = join(tempDir(), "project");
  commitFiles(root, files);
  const workspaces = workspacesAt(root);
  const base = await workspaces.base(CLONE, LABEL.at);
  const where = placeOf();
  const workspace = await workspaces.enter(where, base, LABEL);
  const { folder } = workspace;
  return {
    root,
    base,
    workspaces,
    where,
    workspace,
    folder,
    save: () => workspace.save(LABEL),
    enter: (tree) => workspaces.enter(where, tree, LABEL),
    sh: (script) =>
      void execFileSync("/bin/sh", ["-euc", script], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] }),
  };
}

const refs = (root: string): string[] => git(vaultOf(root), "for-each-ref", "--format=%(refname)").split("\n");
const kept = (root: string, kind: string): string[] => refs(root).filter((name) => name.split("/")[3] === kind);

/** The bytes of every file in the archives that a run left. */
function archived(root: string): string {
  return kept(root, "kept")
    .flatMap((name) =>
      git(vaultOf(root), "ls-tree", "--name-only", name)
        .split("\n")
        .map((file) => `${name}:${file}`),
    )
    .map((name) => {
      const tar = execFileSync("git", ["cat-file", "blob", name], { cwd: vaultOf(root), maxBuffer: 1 << 28 });
      return execFileSync("tar", ["-xOf", "-"], { input: tar, encoding: "latin1", maxBuffer: 1 << 28 });
    })
    .join("\n");
}

describe("names", () => {
  it("is saved and removed also when a stage has shut its own folder", async () => {
    const { root, where, workspaces, folder, save, sh } = await stand();
    sh("echo work > w; chmod 000 .");
    expect(git(vaultOf(root), "show", `${await save()}:w`)).toBe("work");
    sh("chmod 000 .");
    await workspaces.leave(where.run, LABEL.at);
    expect(existsSync(folder)).toBe(false);
  });

  it("may hold every sign that a file system allows", async () => {
    const { folder, save, enter, base, workspaces } = await stand();
    const names = [
      "new\nline",
      "tab\t",
      " lead",
      "trail ",
      "-rf",
      "--help",
      "quote\"'",
      "back\\slash",
      "$(id)",
      "*",
      "?",
      "[a]",
    ];
    const more = [
      "!neg",
      "#hash",
      "é",
      "\u202egpj.exe",
      ":(top)a",
      "@{0}",
      "a/\nb/c",
      "x".repeat(250),
      "con",
      "A",
      "...",
    ];
    for (const name of [...names, ...more]) {
      mkdirSync(join(folder, "odd", name, ".."), { recursive: true });
      writeFileSync(join(folder, "odd", name), name);
    }
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe, 0x80])]), "not UTF-8");
    const before = filesOf(folder);
    const tree = await save();
    await enter(base);
    expect(Object.keys(filesOf(folder))).toEqual(["a", "src/b"]);
    await enter(tree);
    expect(filesOf(folder)).toEqual(before);
    expect((await workspaces.diff(base, tree, 1 << 20)).files).toHaveLength(names.length + more.length + 1);
  });

  it.each([
    ".GIT/config",
    ".Git/hooks/x",
    "git~1/x",
    ".git./x",
    "sub/.GIT/x",
    ".g\u200cit/x",
    ".git::$INDEX_ALLOCATION/x",
  ])("that another system takes for %j are refused, and kept", async (name) => {
    const { folder, save, enter, base, root } = await stand();
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), "precious bytes");
    await expect(save()).rejects.toMatchObject({ code: "WORKSPACE_TREE_UNFIT" });
    expect(readFileSync(join(folder, name), "utf8")).toBe("precious bytes");
    await enter(base);
    expect(Object.keys(filesOf(folder))).toEqual(["a", "src/b"]);
    expect(archived(root)).toContain("precious bytes");
  });
});

describe("nested repositories", () => {
  it("are refused, kept, and gone from the next attempt", async () => {
    const { save, enter, base, root, sh, folder } = await stand();
    sh("git init -q nested; echo precious > nested/file; git -C nested add file; echo loose > nested/other");
    await expect(save()).rejects.toMatchObject({ code: "WORKSPACE_TREE_UNFIT" });
    await expect(save()).rejects.toThrow(/nested/);
    expect(existsSync(join(folder, "nested/.git/index"))).toBe(true);
    await enter(base);
    expect(existsSync(join(folder, "nested"))).toBe(false);
    expect(archived(root)).toContain("precious");
    expect(archived(root)).toContain("loose");
  });

  it("with commits are refused too: a link to a commit that nobody has is no content", async () => {
    const { save, sh } = await stand();
    sh("git init -q n; cd n; echo x > f; git add f; git -c user.name=a -c user.email=a@b commit -qm x");
    await expect(save()).rejects.toMatchObject({ code: "WORKSPACE_TREE_UNFIT" });
  });

  it("inside a tracked folder are kept before the folder is restored or removed", async () => {
    const { save, enter, base, root, sh, folder, workspaces, where } = await stand();
    sh("mkdir src/.git; echo hidden-one > src/.git/file; echo c > src/c");
    const tree = await save();
    await enter(base);
    expect(existsSync(join(folder, "src/.git"))).toBe(false);
    expect(archived(root)).toContain("hidden-one");
    await enter(tree);
    sh("mkdir src/.git; echo hidden-two > src/.git/file");
    await workspaces.leave(where.run, 1);
    expect(archived(root)).toContain("hidden-two");
  });
});

describe("the ignore rules", () => {
  it("are those of the commit the run started from, whatever a stage writes", async () => {
    const { folder, save, enter, base, root, workspaces, where } = await stand({ ".gitignore": "*.log\n", a: "a" });
    writeFileSync(join(folder, ".gitignore"), "*\n");
    mkdirSync(join(folder, "d"));
    writeFileSync(join(folder, "d/.gitignore"), "*\n");
    writeFileSync(join(folder, "d/hidden"), "h");
    writeFileSync(join(folder, "x.log"), "log");
    writeFileSync(join(folder, ".git/info/exclude"), "*\n");
    const tree = await save();
    const listed = git(vaultOf(root), "ls-tree", "-r", "--name-only", tree).split("\n");
    expect(listed).toEqual([".gitignore", "a", "d/.gitignore", "d/hidden"]);
    await enter(base);
    expect(Object.keys(filesOf(folder))).toEqual([".gitignore", "a", "x.log"]);
    // A child run starts from a tree of its parent, and from the rules of its parent's start.
    const child = await workspaces.enter(placeOf(), tree, LABEL);
    writeFileSync(join(child.folder, "more"), "m");
    const grown = await child.save(LABEL);
    expect(git(vaultOf(root), "ls-tree", "-r", "--name-only", grown)).toContain("more");
    await workspaces.leave(where.run, 1);
  });

  it("never hide a file that is tracked", async () => {
    const { folder, save, root, enter, base } = await stand({ ".gitignore": "*.log\n", "kept.log": "1" });
    writeFileSync(join(folder, "kept.log"), "2");
    const tree = await save();
    const { save: again } = await enter(tree);
    expect(await again(LABEL)).toBe(tree);
    writeFileSync(join(folder, "kept.log"), "3");
    const trees = [tree, await again(LABEL)];
    expect(trees.map((id) => git(vaultOf(root), "show", `${id}:kept.log`))).toEqual(["2", "3"]);
    await enter(base);
    expect(filesOf(folder)["kept.log"]?.text).toBe("1");
  });
});

describe("changes that look like none", () => {
  it("are seen when size and times are the same, in the same second", async () => {
    const { folder, save, root, enter } = await stand();
    const file = join(folder, "a");
    const seen: string[] = [];
    const trees: string[] = [];
    for (const text of ["AAAA", "BBBB", "CCCC", "DDDD", "EEEE", "FFFF"]) {
      writeFileSync(file, text);
      utimesSync(file, 1000, 1000);
      trees.push(await save());
      await enter(trees.at(-1) as string);
    }
    for (const tree of trees) seen.push(git(vaultOf(root), "show", `${tree}:a`));
    expect(seen).toEqual(["AAAA", "BBBB", "CCCC", "DDDD", "EEEE", "FFFF"]);
  });

  it("are seen right after the workspace was made or restored", async () => {
    const { folder, save, enter, base } = await stand({ a: "aaaa" });
    for (let round = 0; round < 3; round += 1) {
      const { mtime } = statSync(join(folder, "a"));
      writeFileSync(join(folder, "a"), `bbb${round}`);
      utimesSync(join(folder, "a"), mtime, mtime);
      expect(await save()).not.toBe(base);
      await enter(base);
      expect(filesOf(folder)["a"]?.text).toBe("aaaa");
    }
  });

  it("are none when files were only touched", async () => {
    const { save, base, sh } = await stand();
    sh("touch a src/b; cp a c; rm c");
    expect(await save()).toBe(base);
  });
});

describe("shapes", () => {
  it("may turn into each other", async () => {
    const { folder, save, enter, base, sh } = await stand({
      file: "f",
      "dir/x": "x",
      "dir/y": "y",
      link: { mode: "120000", text: "file" },
    });
    const before = filesOf(folder);
    sh("rm file; mkdir file; echo 1 > file/in; rm -r dir; ln -s /etc dir; rm link; mkdir link; echo 2 > link/in");
    const after = filesOf(folder);
    const tree = await save();
    await enter(base);
    expect(filesOf(folder)).toEqual(before);
    await enter(tree);
    expect(filesOf(folder)).toEqual(after);
    sh("rm -r file link; echo 3 > file; rm dir; echo 4 > dir; ln -s ../../../.. link");
    const third = await (await enter(await save())).save(LABEL);
    await enter(tree);
    expect(filesOf(folder)).toEqual(after);
    await enter(third);
    expect(filesOf(folder)["link"]).toEqual({ mode: "120000", text: "../../../.." });
  });

  it("that cannot be read are opened, empty folders are not kept", async () => {
    const { folder, save, enter, base, root } = await stand();
    mkdirSync(join(folder, "closed/deep"), { recursive: true });
    writeFileSync(join(folder, "closed/deep/file"), "locked");
    writeFileSync(join(folder, "unreadable"), "locked too");
    mkdirSync(join(folder, "empty/deeper"), { recursive: true });
    chmodSync(join(folder, "unreadable"), 0);
    chmodSync(join(folder, "closed/deep"), 0);
    chmodSync(join(folder, "closed"), 0);
    const tree = await save();
    expect(git(vaultOf(root), "ls-tree", "-r", "--name-only", tree).split("\n")).toEqual([
      "a",
      "closed/deep/file",
      "src/b",
      "unreadable",
    ]);
    await enter(base);
    expect(existsSync(join(folder, "closed"))).toBe(false);
    expect(existsSync(join(folder, "empty"))).toBe(false);
  });

  it("without bytes, such as pipes and sockets, neither hang a save nor stay", async () => {
    const { folder, save, enter, base, sh, root } = await stand();
    sh("mkfifo pipe .gitattributes src/.gitattributes .gitmodules; rm a; mkfifo a; echo n > src/new");
    const tree = await save();
    expect(git(vaultOf(root), "ls-tree", "-r", "--name-only", tree).split("\n")).toEqual(["src/b", "src/new"]);
    await enter(base);
    expect(spawnSync("find", [folder, "-type", "p"], { encoding: "utf8" }).stdout).toBe("");
  });

  it("that are deeper than a path may be long are kept", async () => {
    const { save, enter, base, root, folder } = await stand();
    const script =
      "import os\nfor i in range(60):\n n='d'*100\n os.mkdir(n)\n os.chdir(n)\nopen('f','w').write('at the bottom')";
    execFileSync("python3", ["-c", script], { cwd: folder });
    const [head, tail] = ["d".repeat(60), `${"d".repeat(58)}/f`];
    await expect(save()).rejects.toMatchObject({
      code: "WORKSPACE_TREE_UNFIT",
      message: `The workspace holds what cannot be saved as a tree: a path of 6061 bytes, and the system opens none with more than 4095: ${head}…${tail}.`,
    });
    await enter(base);
    expect(Object.keys(filesOf(folder))).toEqual(["a", "src/b"]);
    expect(archived(root)).toContain("at the bottom");
  });

  it("that lie below thousands of folders are archived within seconds", async () => {
    const { root, folder, workspaces, where } = await stand();
    const script = "import os\nfor i in range(3000):\n os.mkdir('d')\n os.chdir('d')\nopen('f','w').write('x')";
    execFileSync("python3", ["-c", script], { cwd: folder });
    await workspaces.leave(where.run, 1, AbortSignal.timeout(Math.ceil(10_000 * slowness())));
    expect(existsSync(folder)).toBe(false);
    expect(kept(root, "kept")).toHaveLength(1);
  });

  it("that are almost as deep as a path may be long are saved", async () => {
    const { save, sh } = await stand();
    const folders = Array.from({ length: 19 }, () => "e".repeat(200)).join("/");
    sh(`mkdir -p ${folders} && cd ${folders} && echo x >${"f".repeat(200)}`);
    await expect(save().finally(() => sh("rm -rf e*"))).resolves.toMatch(/^[0-9a-f]{40}$/);
  });

  it("that lead out of the workspace are removed, not followed", async () => {
    const { folder, workspaces, where, root } = await stand();
    const outside = join(root, "../outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "file"), "untouched");
    for (const name of ["out", "src/out"]) symlinkSync(outside, join(folder, name));
    rmSync(join(folder, ".git"), { recursive: true });
    symlinkSync(outside, join(folder, ".git"));
    await workspaces.leave(where.run, 1);
    expect(existsSync(folder)).toBe(false);
    expect(filesOf(outside)).toEqual({ file: { mode: "100644", text: "untouched" } });
  });
});

describe("the private repository", () => {
  const AS = "-c user.name=a -c user.email=a@b";

  it("works behind the wall with the objects it borrows", async () => {
    const { workspace, folder } = await stand();
    const objects = workspace.mounts[0]?.from as string;
    const env = { PATH: process.env["PATH"], GIT_ALTERNATE_OBJECT_DIRECTORIES: objects };
    writeFileSync(join(folder, "a"), "changed");
    const run = (...args: string[]): string =>
      execFileSync("git", args, { cwd: folder, env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    expect(run("status", "--porcelain")).toBe(" M a\n");
    expect(run("log", "--format=%s")).toBe("base\n");
    expect(run("rev-parse", "--abbrev-ref", "HEAD")).toBe("pawl\n");
  });

  it("loses nothing when its workspace is restored or removed: commits, stashes, tags, loose ends", async () => {
    const { workspace, enter, base, root, folder, workspaces, where, save } = await stand();
    const objects = workspace.mounts[0]?.from as string;
    const run = (script: string): string =>
      execFileSync("/bin/sh", ["-euc", script], {
        cwd: folder,
        env: { PATH: process.env["PATH"], GIT_ALTERNATE_OBJECT_DIRECTORIES: objects },
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      });
    const ids = run(`
      echo one > a; git ${AS} commit -qam one; git rev-parse HEAD
      echo two > a; git ${AS} stash -q; git rev-parse stash@{0}
      git ${AS} commit -q --allow-empty -m dropped; git rev-parse HEAD; git reset -q --hard HEAD^
      echo blob | git hash-object -w --stdin
      git ${AS} tag -a -m tag v1; git repack -qd
    `)
      .trim()
      .split("\n");
    expect(ids).toHaveLength(4);
    await save();
    await enter(base);
    expect(kept(root, "salvage")).toHaveLength(1);
    for (const id of ids) git(vaultOf(root), "cat-file", "-e", id);
    const late = run("echo late | git hash-object -w --stdin").trim();
    await workspaces.leave(where.run, 1);
    await workspaces.sweep({ known: async () => "open", before: 4e12, at: 1 });
    for (const id of [...ids, late]) git(vaultOf(root), "cat-file", "-e", id);
  });

  it("is archived when its objects do not fit together", async () => {
    const { folder, workspaces, where, root } = await stand();
    mkdirSync(join(folder, ".git/objects/aa"), { recursive: true });
    writeFileSync(join(folder, ".git/objects/aa", "b".repeat(38)), "no object but bytes");
    await workspaces.leave(where.run, 1);
    expect(archived(root)).toContain("no object but bytes");
  });
});

describe("a workspace that is damaged", () => {
  it.each([
    ["shadow.git/index", "rm"],
    ["shadow.git/index", "truncate"],
    ["shadow.git", "rm"],
    ["shadow.git/HEAD", "rm"],
    ["state.json", "rm"],
    ["state.json", "truncate"],
    ["tree/.git", "rm"],
    ["tree", "rm"],
  ])("by %s (%s) is made whole, and nothing that is left in it is lost", async (part, how) => {
    const { folder, enter, base, root, workspaces, where } = await stand({
      a: "a",
      ".gitignore": "*.log\n",
      "t.log": "tracked",
    });
    writeFileSync(join(folder, "a"), "precious a");
    writeFileSync(join(folder, "new"), "precious new");
    const path = join(folder, "..", part);
    if (how === "rm") rmSync(path, { recursive: true });
    else writeFileSync(path, "");
    await enter(base);
    expect(filesOf(folder)).toMatchObject({ a: { text: "a" }, "t.log": { text: "tracked" } });
    expect(existsSync(join(folder, "new"))).toBe(false);
    if (part !== "tree") {
      const blobs = git(vaultOf(root), "cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objecttype)");
      const text = blobs
        .split("\n")
        .filter((line) => line.endsWith("blob"))
        .map((line) => git(vaultOf(root), "cat-file", "blob", line.split(" ")[0]!))
        .join("\n");
      for (const piece of ["precious a", "precious new"]) expect(text).toContain(piece);
    }
    await workspaces.leave(where.run, 1);
  });
});

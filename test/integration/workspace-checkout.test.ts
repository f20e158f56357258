/** A maker does what it can to be judged by its own measure: a checkout has every protected path of the base, and nothing it left. */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGitWorkspaces, type GitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import { sha256 } from "../../src/base/digest.ts";
import type { WorkspaceSpec } from "../../src/blueprint/blueprint.ts";
import type { Checkout, Place } from "../../src/ports/workspaces.ts";
import {
  CLONE,
  commitFiles,
  filesOf,
  git,
  LABEL,
  nextRun,
  placeOf,
  putFile,
  realSandbox,
  type TreeFile,
  vaultOf,
  workspacesAt,
} from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

type Files = Readonly<Record<string, TreeFile>>;

const plain = (text: string): TreeFile => ({ mode: "100644", text });
const link = (text: string): TreeFile => ({ mode: "120000", text });
const PROJECT = {
  ".gitignore": plain("node_modules\n*.log\n"),
  "package.json": plain('{"scripts":{"test":"node test/all.js"}}\n'),
  "src/sum.js": plain("exports.sum = (a, b) => a - b;\n"),
  "test/all.js": plain("require('./sum.test.js');\n"),
  "test/sum.test.js": { mode: "100755", text: "if (require('../src/sum.js').sum(1, 1) !== 2) process.exit(1);\n" },
} as const satisfies Files;
const PROTECT = ["test/**", "package.json"];

interface Cheat {
  plant(folder: string, base: string): void;
  readonly protect?: readonly string[];
  readonly spec?: WorkspaceSpec;
}

interface Judged {
  readonly workspaces: GitWorkspaces;
  readonly where: Place;
  readonly base: string;
  readonly candidate: string;
  readonly judged: string;
  /** The workspace of the maker. */
  readonly own: string;
  readonly checkout: Checkout;
}

function projectOf(files: Files = PROJECT, ...init: string[]): string {
  const root = join(tempDir(), "project");
  commitFiles(root, files, ...init);
  return root;
}

async function judge(root: string, { plant, protect = PROTECT, spec = CLONE }: Cheat): Promise<Judged> {
  const workspaces = workspacesAt(root);
  const base = await workspaces.base(spec, 1);
  const where = placeOf(spec);
  const { folder: own, save } = await workspaces.enter(where, base, LABEL);
  plant(own, base);
  const candidate = await save(LABEL);
  const judged = await workspaces.compose(where.run, { candidate, base, protect, at: LABEL.at });
  const checkout = await workspaces.checkout(where, judged);
  expect(git(vaultOf(root), "fsck", "--strict", "--no-dangling")).toBe("");
  return { workspaces, where, base, candidate, judged, own, checkout };
}

/** The files that are judged. */
async function seenAfter(plant: Cheat["plant"], protect = PROTECT, files: Files = PROJECT): Promise<Files> {
  const { checkout } = await judge(projectOf(files), { plant, protect });
  return filesOf(checkout.folder);
}

describe("what a maker left beside its tree", () => {
  it("is not judged: no ignored file, no program that stands for another", async () => {
    const { own, checkout } = await judge(projectOf(), {
      plant(folder) {
        putFile(folder, "node_modules/.bin/node", { mode: "100755", text: "#!/bin/sh\nexit 0\n" });
        putFile(folder, "node_modules/nested/.git/HEAD", plain("ref: refs/heads/main\n"));
        putFile(folder, "test/result.log", plain("1 passed\n"));
        putFile(folder, "src/sum.js", plain("exports.sum = (a, b) => a + b;\n"));
      },
    });
    const fixed = { ...PROJECT, "src/sum.js": plain("exports.sum = (a, b) => a + b;\n") };
    expect(filesOf(checkout.folder)).toEqual(fixed);
    expect(existsSync(join(own, "node_modules/.bin/node"))).toBe(true);
  });

  it("is not judged: no setting, exclusion, attribute, mark in an index or replaced object of its repository", async () => {
    const { own, checkout } = await judge(projectOf(), {
      plant(folder) {
        const dir = join(folder, ".git");
        git(folder, "update-index", "--skip-worktree", "test/sum.test.js", "--assume-unchanged", "package.json");
        putFile(folder, "test/sum.test.js", plain("// passes\n"));
        putFile(folder, "package.json", plain("{}\n"));
        appendFileSync(join(dir, "info/exclude"), "test\nsrc\n");
        appendFileSync(join(dir, "info/attributes"), "* export-ignore -diff text eol=crlf\n");
        appendFileSync(join(dir, "config"), "[core]\n\thooksPath = /workspace/hooks\n\tautocrlf = true\n");
        const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], { cwd: folder, input: "// passes\n" });
        for (const path of ["test/all.js", "test/sum.test.js"]) {
          const id = execFileSync("git", ["hash-object", path], { cwd: folder, encoding: "utf8" }).trim();
          putFile(folder, `.git/refs/replace/${id}`, plain(blob.toString()));
        }
      },
    });
    expect(filesOf(checkout.folder)).toEqual(PROJECT);
    const inside = (name: string): string[] => readdirSync(join(checkout.folder, ".git", name)).sort();
    expect([inside("objects"), inside("info"), inside("refs")]).toEqual([["info", "pack"], [], ["heads", "tags"]]);
    expect(readFileSync(join(own, ".git/config"), "utf8")).toContain("hooksPath");
    expect(readFileSync(join(checkout.folder, ".git/config"), "utf8")).not.toContain("hooksPath");
  });

  it("is not judged when it is a nested repository among the tests: no tree can hold that", async () => {
    const plant = (folder: string): void => {
      git(folder, "init", "-q", "test/nested");
      putFile(folder, "test/nested/a.test.js", plain("// passes\n"));
    };
    await expect(judge(projectOf(), { plant })).rejects.toMatchObject({ code: "WORKSPACE_TREE_UNFIT" });
  });

  it("is not judged although it lies in a shared folder: that comes from the project", async () => {
    const root = projectOf();
    putFile(root, "node_modules/tool/index.js", plain("honest\n"));
    const { own, checkout } = await judge(root, {
      spec: { ...CLONE, share: ["node_modules", "none"] },
      plant(folder) {
        putFile(folder, "node_modules/tool/index.js", plain("process.exit(0)\n"));
        putFile(folder, "node_modules/.bin/test", plain("more\n"));
      },
    });
    expect(filesOf(checkout.folder)).toEqual({ ...PROJECT, "node_modules/tool/index.js": plain("honest\n") });
    expect(filesOf(own)["node_modules/tool/index.js"]).toEqual(plain("process.exit(0)\n"));
  });

  it("is not judged either when the workspace is a working tree of the repository, which sees no other one", async () => {
    const root = projectOf();
    const { checkout } = await judge(root, {
      spec: { ...CLONE, kind: "worktree" },
      plant: (folder) => putFile(folder, "seen.log", plain("ignored\n")),
    });
    expect(filesOf(checkout.folder)).toEqual(PROJECT);
    expect(git(root, "worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(2);
  });
});

describe("a protected path", () => {
  it("is restored when it was changed, deleted, renamed or made another kind of file", async () => {
    const seen = await seenAfter((folder) => {
      putFile(folder, "package.json", plain('{"scripts":{"test":"true"}}\n'));
      rmSync(join(folder, "test/all.js"));
      rmSync(join(folder, "test/sum.test.js"));
      putFile(folder, "src/sum.skipped.js", PROJECT["test/sum.test.js"]);
      putFile(folder, "test/sum.skipped.js", PROJECT["test/sum.test.js"]);
    });
    expect(seen).toEqual({ ...PROJECT, "src/sum.skipped.js": PROJECT["test/sum.test.js"] });
    const other = await seenAfter((folder) =>
      putFile(folder, "test/sum.test.js", { ...PROJECT["test/sum.test.js"], mode: "100644" }),
    );
    expect(other).toEqual(PROJECT);
  });

  it("holds nothing new: no file, no link, no hidden one", async () => {
    const seen = await seenAfter((folder) => {
      for (const path of ["test/.mocharc.js", "test/deep/er/new.test.js", "src/new.js"])
        putFile(folder, path, plain("new\n"));
      putFile(folder, "test/link.test.js", link("../src/sum.js"));
    });
    expect(seen).toEqual({ ...PROJECT, "src/new.js": plain("new\n") });
  });

  it("is restored when a link or a file was put in its place", async () => {
    const evil = { "src/all.js": plain("// passes\n"), "src/evil.json": plain("{}\n") };
    const plant = (test: TreeFile) => (folder: string) => {
      for (const [path, file] of Object.entries(evil)) putFile(folder, path, file);
      putFile(folder, "package.json", link("src/evil.json"));
      putFile(folder, "test", test);
    };
    for (const test of [link("src"), link("/workspace/src"), plain("a file\n")])
      expect(await seenAfter(plant(test))).toEqual({ ...PROJECT, ...evil });
  });

  it("is not reached through a link where a protected folder would be", async () => {
    const { "test/all.js": _, "test/sum.test.js": __, ...rest } = PROJECT;
    const plant = (folder: string): void => {
      putFile(folder, "src/pass.js", plain("// passes\n"));
      putFile(folder, "test", link("src"));
      putFile(folder, "docs", link("src"));
    };
    for (const glob of ["test/*.js", "test/**/*.js", "**/test/*"])
      expect(await seenAfter(plant, [glob], rest)).toEqual({
        ...rest,
        "src/pass.js": plain("// passes\n"),
        docs: link("src"),
      });
  });

  it("is the same in upper and lower case, as some file systems have it", async () => {
    const files = { ...PROJECT, "Spec/old.js": plain("old\n") };
    const seen = await seenAfter(
      (folder) => {
        for (const path of ["Test/all.js", "TEST/new.js", "Package.JSON", "Spec/old.js", "tests/a.js"])
          putFile(folder, path, plain("passes\n"));
      },
      [...PROTECT, "spec/**"],
      files,
    );
    expect(seen).toEqual({ ...files, "tests/a.js": plain("passes\n") });
  });

  it("may have any name: line ends, quotes, blanks, wildcards, bytes that are no text, ways out", async () => {
    const names = [
      "new\nline",
      'quo"te',
      "-rf",
      "sp ace",
      "*",
      ":(top)x",
      "tab\t",
      "x\\..\\..\\..\\src\\y.js",
      "\u00e9",
    ];
    const files = { ...PROJECT, ...Object.fromEntries(names.map((name) => [`test/${name}`, plain(name)])) };
    const bytes = (folder: string, name: string): Buffer =>
      Buffer.concat([Buffer.from(`${folder}/${name}`), Buffer.from([0xff, 0xfe])]);
    const root = projectOf(files);
    writeFileSync(bytes(root, "test/"), "base");
    git(root, "add", "-A", "--", "test");
    git(root, "commit", "-q", "-m", "bytes");
    const before = filesOf(root);
    const { checkout } = await judge(root, {
      plant(folder) {
        rmSync(join(folder, "test"), { recursive: true });
        for (const name of names) putFile(folder, `test/${name}`, plain("weakened"));
        for (const name of names) putFile(folder, `test/more ${name}`, plain("new"));
        writeFileSync(bytes(folder, "test/"), "weakened");
        writeFileSync(bytes(folder, "test/new"), "new");
        writeFileSync(bytes(folder, "src/new"), "new");
      },
    });
    const expected = Object.entries(before).filter(([path]) => !path.startsWith(".pawl/"));
    expect(filesOf(checkout.folder)).toEqual({ ...Object.fromEntries(expected), "src/new\u00ff\u00fe": plain("new") });
  });

  it("may be a submodule, which comes back as one", async () => {
    const root = projectOf();
    const commit = git(root, "rev-parse", "HEAD");
    git(root, "update-index", "--add", "--cacheinfo", `160000,${commit},test/vendor`);
    git(root, "commit", "-q", "-m", "submodule");
    const { judged, base, candidate, workspaces, checkout } = await judge(root, {
      plant: (folder) => putFile(folder, "test/vendor", plain("a file\n")),
    });
    expect(git(vaultOf(root), "rev-parse", `${judged}^{tree}`)).toBe(git(vaultOf(root), "rev-parse", `${base}^{tree}`));
    expect(readdirSync(join(checkout.folder, "test/vendor"))).toEqual([]);
    expect(await workspaces.hashes(judged, ["test/v*"])).toEqual({ "test/vendor": sha256(commit) });
    expect(await workspaces.changes(base, candidate)).toMatchObject([
      { status: "type_changed", path: "test/vendor", oldMode: "160000", newMode: "100644" },
    ]);
    expect(await workspaces.read(judged, "test/vendor", 100)).toBeNull();
  });

  it("counts from the project, and from the top of the repository that holds it", async () => {
    const files = { ".github/ci.yml": plain("ci\n"), "app/test/a.js": plain("a\n"), "other/test/b.js": plain("b\n") };
    const root = projectOf(files);
    const paths = { dir: `${root}/.pawl/workspaces`, vault: vaultOf(root) };
    const workspaces = createGitWorkspaces({ root, ...paths, project: "app", sandbox: realSandbox() });
    const base = await workspaces.base(CLONE, 1);
    const where = placeOf();
    const { folder, save } = await workspaces.enter(where, base, LABEL);
    for (const path of Object.keys(files)) putFile(folder, path, plain("weakened\n"));
    const candidate = await save(LABEL);
    const protect = ["test/**", ".github/**"];
    const judged = await workspaces.compose(where.run, { candidate, base, protect, at: 1 });
    const checkout = await workspaces.checkout(where, judged);
    expect(checkout.project).toBe("app");
    expect(filesOf(checkout.folder)).toEqual({ ...files, "other/test/b.js": plain("weakened\n") });
    expect(Object.keys(await workspaces.hashes(judged, protect))).toEqual([".github/ci.yml", "app/test/a.js"]);
  });

  it("is restored in a repository with long ids, too", async () => {
    const { checkout, judged } = await judge(projectOf(PROJECT, "--object-format=sha256"), {
      plant: (folder) => putFile(folder, "test/all.js", plain("// passes\n")),
    });
    expect([judged.length, filesOf(checkout.folder)]).toEqual([64, PROJECT]);
  });
});

describe("what is read of a tree", () => {
  it("follows no link, and tells every mode", async () => {
    const { workspaces, base, candidate } = await judge(projectOf(), {
      plant(folder) {
        putFile(folder, "test/sum.test.js", { ...PROJECT["test/sum.test.js"], mode: "100644" });
        putFile(folder, "src/sum.js", link("/etc/passwd"));
        putFile(folder, "up", link("test"));
      },
    });
    const { read, hashes, changes } = workspaces;
    for (const path of ["src/sum.js", "up", "up/all.js"]) expect(await read(candidate, path, 100)).toBeNull();
    expect(await hashes(candidate, ["up", "src/*"])).toEqual({
      "src/sum.js": sha256("/etc/passwd"),
      up: sha256("test"),
    });
    expect(await changes(base, candidate)).toEqual([
      {
        ...{ status: "type_changed", path: "src/sum.js", oldMode: "100644", newMode: "120000" },
        ...{ addedLines: 1, deletedLines: 1 },
      },
      {
        ...{ status: "modified", path: "test/sum.test.js", oldMode: "100755", newMode: "100644" },
        ...{ addedLines: 0, deletedLines: 0 },
      },
      { status: "added", path: "up", oldMode: "000000", newMode: "120000", addedLines: 1, deletedLines: 0 },
    ]);
  });

  it("hides no file behind another whose name looks the same", async () => {
    const bytes = (folder: string, byte: number): Buffer =>
      Buffer.concat([Buffer.from(`${folder}/test/`), Buffer.from([byte])]);
    const digest = async (second: string): Promise<string | undefined> => {
      const { workspaces, candidate } = await judge(projectOf(), {
        plant(folder) {
          writeFileSync(bytes(folder, 0xfe), "first");
          writeFileSync(bytes(folder, 0xff), second);
        },
      });
      return (await workspaces.hashes(candidate, ["test/*"]))["test/\ufffd"];
    };
    expect(await digest("second")).not.toBe(await digest("other"));
  });

  it("is at most 100,000 files", async () => {
    const root = projectOf();
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(CLONE, 1);
    const blob = git(root, "rev-parse", "HEAD:package.json");
    const lines = Array.from({ length: 100_001 }, (_, index) => `100644 ${blob}\tmany/${index}\n`);
    execFileSync("git", ["update-index", "--index-info"], { cwd: root, input: lines.join("") });
    git(root, "commit", "-q", "-m", "many");
    const many = await workspaces.base(CLONE, 1);
    const tooLarge = { code: "WORKSPACE_TREE_TOO_LARGE" };
    await expect(workspaces.changes(base, many)).rejects.toMatchObject(tooLarge);
    await expect(workspaces.hashes(many, ["many/**"])).rejects.toMatchObject(tooLarge);
    expect(Object.keys(await workspaces.hashes(many, ["many/1"]))).toEqual(["many/1"]);
  });
});

describe("a sweep", () => {
  it("keeps what was judged while its run is open, and a checkout of a living host", async () => {
    const { workspaces, judged, base, checkout } = await judge(projectOf(), {
      plant: (folder) => {
        putFile(folder, "test/all.js", plain("// passes\n"));
        putFile(folder, "src/new.js", plain("new\n"));
      },
    });
    const before = Date.now() + 60_000;
    await workspaces.sweep({ known: async () => "open", before, at: 1 });
    expect(await workspaces.changes(base, judged)).toHaveLength(1);
    expect(Object.keys(filesOf(checkout.folder))).toHaveLength(6);
    await workspaces.sweep({ known: async () => "ended", before, at: 1 });
    await expect(workspaces.changes(base, judged)).rejects.toMatchObject({ code: "WORKSPACE_TREE_MISSING" });
    expect(existsSync(dirname(checkout.folder))).toBe(false);
  });

  it("finds nothing of a checkout that could not be made", async () => {
    const root = projectOf();
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(CLONE, 1);
    const place = { run: nextRun(), spec: { ...CLONE, share: [".git"] } };
    await expect(workspaces.checkout(place, base)).rejects.toMatchObject({ code: "WORKSPACE_SHARE_UNFIT" });
    expect(readdirSync(join(root, ".pawl/workspaces", place.run))).toEqual([]);
  });
});

/** apply_patch and generate_diff_report: trees in the vault, and no file anywhere. */
import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ActionReport } from "../../src/ports/actions.ts";
import { type ActionRepository, actionRepository, RUN } from "../support/action-repository.ts";
import { tempDir } from "../support/temp-dir.ts";

const errorOf = (report: ActionReport): string => (report.ok ? "no error" : report.error);
const GOOD = `diff --git a/src/a.txt b/src/a.txt
--- a/src/a.txt
+++ b/src/a.txt
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
diff --git a/new/file b/new/file
new file mode 100755
--- /dev/null
+++ b/new/file
@@ -0,0 +1 @@
+hello
`;

function addition(path: string, content: string, mode = "100644"): string {
  const lines = content.split("\n").map((line) => `+${line}\n`);
  return `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1${lines.length > 1 ? `,${lines.length}` : ""} @@\n${lines.join("")}\\ No newline at end of file\n`;
}

const filesOf = (repository: ActionRepository, tree: string): string =>
  repository.inVault("ls-tree", "-r", "--name-only", tree);

/** Where temporary files of this process go until the test is over: other suites use the common place at the same time. */
function ownTemporary(): string {
  const folder = tempDir();
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  });
  return folder;
}

describe("apply_patch", () => {
  it("gives the tree with the patch, the same one every time, and touches the project nowhere", async () => {
    const repository = actionRepository();
    const state = repository.state();
    const start = repository.save({ x: "1" });
    const temporary = ownTemporary();
    const report = await repository.perform("apply_patch", { patch: GOOD }, { tree: start, level: "L1" });
    if (!report.ok) throw new Error(report.error);
    const tree = report.tree ?? "";
    expect(report.output).toEqual({ files: 2 });
    expect(filesOf(repository, tree)).toBe("new/file\nreadme\nsrc/a.txt\nx");
    expect(repository.inVault("show", `${tree}:src/a.txt`)).toBe("one\nTWO\nthree");
    expect(repository.inVault("ls-tree", tree, "new/file")).toMatch(/^100755 /);
    expect(repository.inVault("rev-parse", `${tree}^`)).toBe(start);
    expect(repository.inVault("for-each-ref", `--points-at=${tree}`, "--format=%(refname)")).toMatch(
      `refs/pawl/${RUN}/patched/`,
    );
    expect(await repository.perform("apply_patch", { patch: GOOD }, { tree: start })).toEqual(report);
    expect(repository.state()).toBe(state);
    expect(repository.inVault("fsck", "--strict")).not.toContain("error");
    expect(readdirSync(temporary)).toEqual([]);
  });

  it.each([
    ".claude/settings.json",
    "packages/a/.mcp.json",
    ".Husky/pre-commit",
    "pawl.yaml",
    ".vscode/tasks.json",
    "tools/hooks/x",
  ])("refuses a patch that makes, changes, moves or removes what is sealed: %s", async (path) => {
    const repository = actionRepository();
    const hooksFolders = async (): Promise<readonly string[]> => ["tools/hooks"];
    const told = `it changes ${path}, and `;
    const made = await repository.perform(
      "apply_patch",
      { patch: addition(path, "x") },
      { tree: repository.save({}) },
      { hooksFolders },
    );
    expect(errorOf(made)).toContain(told);
    const tree = repository.save({ [path]: "one\n" });
    const changes = [
      `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-one\n+two\n`,
      `diff --git a/${path} b/${path}\ndeleted file mode 100644\n--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n`,
      `diff --git a/${path} b/free\nsimilarity index 100%\nrename from ${path}\nrename to free\n`,
    ];
    for (const patch of changes)
      expect(errorOf(await repository.perform("apply_patch", { patch }, { tree }, { hooksFolders }))).toContain(told);
  });

  it("takes a patch from an input of the stage, and can be committed and reported", async () => {
    const repository = actionRepository();
    const ref = await repository.artifacts.put(Buffer.from(GOOD));
    const start = repository.save({ x: "1" });
    const report = await repository.perform(
      "apply_patch",
      { artifact: "make.diff" },
      { tree: start, inputs: { "make.diff": ref } },
    );
    const tree = report.ok ? (report.tree ?? "") : "";
    expect(await repository.perform("git.commit", { message: "w" }, { tree, stage: "c" })).toMatchObject({ ok: true });
    expect(repository.git("diff", "--stat", "main", `pawl/${RUN}`)).toContain("3 files changed");
  });

  it.each([
    ["nothing", ""],
    ["no patch", "hello"],
    ["a tree that differs", GOOD.replace("-two", "-zwei")],
    ["a file that is not there", GOOD.replaceAll("src/a.txt", "src/none.txt")],
    ["a file that is there", addition("readme", "x")],
    ["a path outside", addition("../x", "x")],
    ["a path outside, deeper", addition("src/../../x", "x")],
    ["the git folder", addition(".git/config", "x")],
    ["the git folder, deeper", addition("src/.git/hooks/pre-commit", "x")],
    ["the git folder in capitals", addition(".GIT/config", "x")],
    ["the git folder for another system", addition("git~1/config", "x")],
    ["the git folder with what is not seen", addition(".g\u200cit/config", "x")],
    ["the git folder with a dot", addition(".git./config", "x")],
    ["a link to a file outside", addition("link", "/etc/passwd", "120000")],
    ["a link that climbs out", addition("src/link", "../../x", "120000")],
    ["a link into the git folder", addition("link", ".git/hooks", "120000")],
    ["a link into the git folder, around", addition("src/link", "../src/../.git", "120000")],
    ["a file behind a link", `${addition("src/link", ".", "120000")}${addition("src/link/x", "x")}`],
    [
      "a submodule",
      `diff --git a/sub b/sub\nnew file mode 160000\n--- /dev/null\n+++ b/sub\n@@ -0,0 +1 @@\n+Subproject commit ${"1".repeat(40)}\n`,
    ],
    [
      "a rename out of the tree",
      "diff --git a/readme b/../readme\nsimilarity index 100%\nrename from readme\nrename to ../readme\n",
    ],
    [
      "a copy into the git folder",
      "diff --git a/readme b/.git/x\nsimilarity index 100%\ncopy from readme\ncopy to .git/x\n",
    ],
    ["half of it", `${GOOD}${addition("../x", "x")}`],
  ])("refuses %s, and then changes nothing at all", async (_what, patch) => {
    const repository = actionRepository();
    const [state, tree] = [repository.state(), repository.save({ x: "1" })];
    const vault = repository.inVault("for-each-ref");
    expect(errorOf(await repository.perform("apply_patch", { patch }, { tree }))).toContain(
      "The patch was not applied: ",
    );
    expect([repository.state(), repository.inVault("for-each-ref")]).toEqual([state, vault]);
  });

  it("reads an absolute path as one inside", async () => {
    const repository = actionRepository();
    const tree = repository.save({});
    const patch = addition("etc/x", "x").replaceAll(/[ab]\/etc/g, "/etc");
    const report = await repository.perform("apply_patch", { patch }, { tree });
    expect(filesOf(repository, report.ok ? (report.tree ?? "") : "")).toBe("etc/x\nreadme\nsrc/a.txt");
  });

  it("takes links that stay inside", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const patch = addition("src/link", "../readme", "120000");
    expect(await repository.perform("apply_patch", { patch }, { tree })).toMatchObject({ ok: true });
  });

  it("refuses malformed input", async () => {
    const repository = actionRepository();
    const tree = repository.save({ x: "1" });
    const inputs = { big: { sha256: "0".repeat(64), bytes: 1 << 30 } };
    for (const input of [
      {},
      { patch: 5 },
      { patch: "x", artifact: "y" },
      { artifact: "none" },
      { artifact: "toString" },
      { artifact: "big" },
    ]) {
      expect(await repository.perform("apply_patch", input, { tree, inputs })).toMatchObject({ ok: false });
    }
    expect(await repository.perform("apply_patch", { patch: "x".repeat(33 << 20) }, { tree })).toMatchObject({
      ok: false,
    });
    expect(errorOf(await repository.perform("apply_patch", { patch: GOOD }, { tree, level: "L0" }))).toContain(
      "needs level L1",
    );
  });
});

describe("generate_diff_report", () => {
  it("tells every change since the run started, in figures and as a patch that can be applied", async () => {
    const repository = actionRepository();
    const one = repository.save({ "src/a.txt": "one\nthree\nfour\n", bin: "\0\u0001\0", "with\ttab\u001b": "x\n" });
    const tree = repository.save({ readme: null, "docs/readme": "hello\n", ".gitattributes": "* -diff\n" }, one);
    const report = await repository.perform("generate_diff_report", {}, { tree, level: "L0" });
    if (!report.ok) throw new Error(report.error);
    const plain = { oldMode: "000000", newMode: "100644" };
    expect(report.output).toEqual({
      base: repository.base,
      files: 5,
      added: 3,
      removed: 1,
      changes: [
        { status: "A", path: ".gitattributes", ...plain, added: 1, removed: 0 },
        { status: "A", path: "bin", ...plain, added: null, removed: null },
        { status: "R", path: "docs/readme", from: "readme", added: 0, removed: 0 },
        { status: "M", path: "src/a.txt", added: 1, removed: 1 },
        { status: "A", path: "with\\ttab\\x1b", ...plain, added: 1, removed: 0 },
      ],
    });
    const diff = report.artifacts?.["diff"];
    const patch = Buffer.from(await repository.artifacts.get(diff?.sha256 ?? "")).toString("latin1");
    expect(patch).toContain("+four");
    const again = await repository.perform("apply_patch", { patch }, { tree: repository.save({}) });
    const tip = again.ok ? (again.tree ?? "") : errorOf(again);
    expect(repository.inVault("rev-parse", `${tip}^{tree}`)).toBe(repository.inVault("rev-parse", `${tree}^{tree}`));
  });

  it("is empty when nothing changed, and names the first thousand of very many", async () => {
    const repository = actionRepository();
    const none = await repository.perform("generate_diff_report", {}, { tree: repository.save({}) });
    expect(none).toMatchObject({ ok: true, output: { files: 0, added: 0, removed: 0, changes: [] } });
    const patch = Array.from({ length: 1001 }, (_, n) => addition(`many/${n}`, "x")).join("");
    const many = await repository.perform("apply_patch", { patch }, { tree: repository.save({}) });
    const report = await repository.perform("generate_diff_report", {}, { tree: many.ok ? (many.tree ?? "") : "" });
    const output = (report.ok ? report.output : {}) as { files: number; changes: unknown[] };
    expect([output.files, output.changes.length]).toEqual([1001, 1000]);
  });
});

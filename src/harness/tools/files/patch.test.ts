import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { assertProperty } from "../../../../test/support/property.ts";
import { slowness } from "../../../../test/support/slowness.ts";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { benchOf, rulesOf } from "../../../../test/support/tools/toolbox-fixture.ts";
import { patched, readPatch } from "./patch.ts";

const ONE = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";

function workspace(files: Readonly<Record<string, string>>): string {
  const root = tempDir();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function git(root: string, ...args: readonly string[]): string {
  const quiet = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"];
  return execFileSync("git", [...quiet, ...args], { cwd: root, encoding: "utf8" });
}

describe("T4: apply_patch", () => {
  test("T4: changes a file of very many lines", () => {
    const [file] = readPatch("--- a/x\n+++ b/x\n@@ -1000001,1 +1000001,1 @@\n-z\n+q\n");
    const before = "\n".repeat(1_000_000);
    expect(patched(`${before}z\n`, file?.hunks ?? [], "x") === `${before}q\n`).toBe(true);
  });

  test("T4: looks for the place of a hunk only so long: nothing else happens in the process meanwhile", () => {
    const many = 10_000;
    const hunk = `@@ -1,${many + 1} +1,${many} @@\n${" \n".repeat(many)}-y\n`;
    const [file] = readPatch(`--- a/x\n+++ b/x\n${hunk}`);
    const began = Date.now();
    expect(() => patched("\n".repeat(many * 10), file?.hunks ?? [], "x")).toThrow(
      "it takes too long to find where the patch fits x",
    );
    expect(Date.now() - began).toBeLessThan(5000 * slowness());
    // One that is where it says, or nearly, is found however long it is.
    const shifted = `0\n${"\n".repeat(many)}y\n${"\n".repeat(many * 10)}`;
    expect(patched(shifted, file?.hunks ?? [], "x")).toHaveLength(shifted.length - 2);
  });

  test("T4: does what git's patch says: changes, new files, removed files, renamed files, missing line ends", async () => {
    const before = {
      "a.txt": "one\ntwo\nthree",
      "gone.txt": "x\n",
      "old/name.txt": "1\n2\n3\n4\n5\n6\n7\n",
      "same.txt": "s\n",
    };
    const after = {
      "a.txt": "zero\none\ntwo\nthree\n",
      "new/b.txt": "b",
      "new/name.txt": "1\n2\n3\n4\n5\n6\nseven\n",
      "moved.txt": "s\n",
    };
    const root = workspace(before);
    git(root, "init", "-q");
    git(root, "add", "-A");
    git(root, "commit", "-qm", "before");
    for (const path of Object.keys(before)) rmSync(join(root, path));
    for (const [path, text] of Object.entries(after)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    git(root, "add", "-A");
    const patch = git(root, "diff", "--cached", "-M");
    expect(patch).toContain("rename from old/name.txt");
    const target = workspace(before);
    const { output } = benchOf({ root: target });
    await output("apply_patch", { patch });
    for (const [path, text] of Object.entries(after)) expect(readFileSync(join(target, path), "utf8")).toBe(text);
    for (const path of ["gone.txt", "old/name.txt", "same.txt"]) expect(existsSync(join(target, path))).toBe(false);
  });

  test("finds lines that have moved, and takes nothing that is only similar", async () => {
    const root = workspace({ "a.txt": `${"x\n".repeat(20)}one\ntwo\n` });
    const { output, error } = benchOf({ root });
    await output("apply_patch", { patch: ONE });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(`${"x\n".repeat(20)}one\n2\n`);
    expect(await error("apply_patch", { patch: ONE })).toBe(
      "apply_patch failed: the patch does not fit a.txt at line 1.",
    );
  });

  test("changes all files or none", async () => {
    const root = workspace({ "a.txt": "one\ntwo\n", "b.txt": "b\n" });
    const { error } = benchOf({ root });
    for (const [second, problem] of [
      ["--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-other\n+c\n", "does not fit b.txt"],
      ["--- /dev/null\n+++ b/b.txt\n@@ -0,0 +1 @@\n+c\n", "b.txt is there already"],
      ["--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-a\n+c\n", "none.txt does not exist"],
      ["--- a/b.txt\n+++ /dev/null\n@@ -0,0 +1 @@\n+more\n", "leaves something of b.txt"],
      ["--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+c\n", "names a file twice"],
      ["--- /dev/null\n+++ b/a.txt/x\n@@ -0,0 +1 @@\n+c\n", "is a link or no folder"],
    ])
      expect(await error("apply_patch", { patch: `${ONE}${second}` })).toContain(problem);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(readFileSync(join(root, "b.txt"), "utf8")).toBe("b\n");
  });

  it.each([
    ["hello", "it is no patch: it has no line that begins with ---"],
    ["@@ -1 +1 @@\n-a\n+b\n", "line 1 of the patch belongs to no file"],
    ["--- a/x\n+++ b/x\nhello\n", "line 3 of the patch should begin with @@"],
    ["--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n", "line 5 of the patch should begin with a blank, + or -"],
    ["--- a/x\n+++ b/x\n@@ -1 +1,0 @@\n a\n", "the counts in line 3 of the patch do not fit"],
    ["--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "line 1 of the patch names no file"],
    ["new file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n", "line 1 of the patch is not about text"],
    ["Binary files a/x and b/x differ\n", "line 1 of the patch is not about text"],
    ["old mode 100644\nnew mode 100755\n", "line 2 of the patch is not about text"],
    ['--- "a/x"\n+++ "b/x"\n@@ -1 +1 @@\n-a\n+b\n', "the patch quotes a path"],
  ])("refuses %j before anything is asked or run", async (patch, problem) => {
    const { call, events } = benchOf({ root: "/nowhere" });
    expect(await call("apply_patch", { patch })).toMatchObject({
      code: "TOOL_INPUT_INVALID",
      error: expect.stringContaining(problem),
    });
    expect(events.map(({ type }) => type)).toEqual(["tool.ended"]);
  });

  test("is denied when policy denies one of its files, the old name of a renamed one too", async () => {
    const rules = rulesOf(["allow", { edit: "**" }], ["deny", { edit: "kept/**" }]);
    const root = workspace({ "kept/a.txt": "a\n", "a.txt": "one\ntwo\n" });
    const { call } = benchOf({ root, rules });
    const moved = "diff --git a/kept/a.txt b/b.txt\nsimilarity index 100%\nrename from kept/a.txt\nrename to b.txt\n";
    for (const patch of [`${ONE}${moved}`, "--- a/kept/a.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-a\n+b\n"])
      expect(await call("apply_patch", { patch })).toMatchObject({ status: "denied" });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(existsSync(join(root, "kept/a.txt"))).toBe(true);
  });

  test("does to any text what the patch between two texts says", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(""));
    assertProperty(
      fc.property(text, text, (before, after) => {
        const old = before.split("\n").slice(0, -1);
        const fresh = after.split("\n").slice(0, -1);
        const body = [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)].join("\n");
        if (body === "") return;
        const head = `@@ -${old.length === 0 ? 0 : 1},${old.length} +1,${fresh.length} @@`;
        const [file] = readPatch(`--- a/x\n+++ b/x\n${head}\n${body}\n`);
        expect(patched(before, file?.hunks ?? [], "x")).toBe(after);
      }),
    );
  });
});

import { describe, expect, it } from "vitest";
import { readPatch } from "./read-patch.ts";
import { type ChangedPath, shownChange } from "./shown-change.ts";

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const MODIFIED: ChangedPath = { status: "modified", path: "a", oldMode: "100644", newMode: "100644" };
const HEAD = "diff --git a/a b/a\nindex 1111..2222 100644\n--- a/a\n+++ b/a\n";

function show(patch: string | Uint8Array, files: readonly ChangedPath[] = [MODIFIED], most?: number) {
  const change = { files, patch: typeof patch === "string" ? utf8(patch) : patch, truncated: false };
  return most === undefined ? shownChange(change) : shownChange(change, most);
}

describe("shownChange", () => {
  it("shows every line of a change, and counts them", () => {
    expect(show(`${HEAD}@@ -1,2 +1,2 @@ fn\n one\n-two\n+TWO\n`)).toEqual({
      files: [
        {
          ...{ status: "modified", path: "a", oldPath: null, oldMode: "100644", newMode: "100644" },
          ...{ flags: [], link: null, submodule: null, binary: null },
          hunks: [{ head: "@@ -1,2 +1,2 @@ fn", lines: [" one", "-two", "+TWO"] }],
        },
      ],
      ...{ entries: 1, added: 1, removed: 1, complete: true, reasons: [] },
    });
    expect(show("", [])).toMatchObject({ files: [], complete: true });
  });

  it("makes visible what hides, steers or looks like something else, and keeps long lines whole", () => {
    const evil = "\u202e\u200b\u{e0041}\u001b[2J\ufeff\u00a0\u2800\ue000x\ty\r";
    const { files } = show(`${HEAD}@@ -0,0 +1 @@ \u202e\n+${evil}\n`);
    expect(files[0]?.flags).toEqual(["hidden"]);
    expect(files[0]?.hunks[0]).toEqual({
      head: "@@ -0,0 +1 @@ \\u202e",
      lines: ["+\\u202e\\u200b\\u{e0041}\\x1b[2J\\ufeff\\u{a0}\\u{2800}\\u{e000}x\ty\\r"],
    });
    const long = "x".repeat(100_000);
    expect(show(`${HEAD}@@ -0,0 +1 @@\n+${long}\n`).files[0]).toMatchObject({
      flags: ["long_line"],
      hunks: [{ lines: [`+${long}`] }],
    });
  });

  it("shows names, modes and renames", () => {
    const renamed = {
      ...{ status: "renamed", path: "b\u202e\n", oldPath: "a", oldMode: "100644", newMode: "100755" },
    };
    const patch =
      "diff --git a/a b/b\nold mode 100644\nnew mode 100755\nsimilarity index 100%\nrename from a\nrename to b\n";
    expect(show(patch, [renamed])).toMatchObject({
      complete: true,
      files: [{ path: "b\\u202e\\n", oldPath: "a", flags: ["name", "mode", "renamed"] }],
    });
    expect(show(patch, [{ ...renamed, path: "b", oldPath: "\u200ba" }]).files[0]?.flags).toContain("name");
    expect(show(patch, [{ ...renamed, path: "b\ufffd" }]).reasons).toEqual(["the name of b\ufffd cannot be read"]);
  });

  it("says where links lead and which commits submodules have", () => {
    const links: readonly (readonly [ChangedPath, string, object])[] = [
      [
        { status: "added", path: "l", oldMode: "000000", newMode: "120000" },
        "diff --git a/l b/l\nnew file mode 120000\nindex 0000..1111\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n",
        { link: { from: null, to: "/etc/passwd" }, flags: ["link"] },
      ],
      [
        { status: "deleted", path: "l", oldMode: "120000", newMode: "000000" },
        "diff --git a/l b/l\ndeleted file mode 120000\nindex 1111..0000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n\\ No newline at end of file\n",
        { link: { from: "old", to: null } },
      ],
      [
        { status: "type_changed", path: "l", oldMode: "100644", newMode: "120000" },
        "diff --git a/l b/l\ndeleted file mode 100644\nindex 1111..0000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\ndiff --git a/l b/l\nnew file mode 120000\nindex 0000..1111\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+to\n\\ No newline at end of file\n",
        { link: { from: null, to: "to" }, flags: ["mode", "link"], hunks: [{}, {}] },
      ],
      [
        { status: "renamed", path: "m", oldPath: "l", oldMode: "120000", newMode: "120000" },
        "diff --git a/l b/m\nsimilarity index 100%\nrename from l\nrename to m\n",
        { link: { from: null, to: null }, flags: ["link", "renamed"] },
      ],
      [
        { status: "modified", path: "s", oldMode: "160000", newMode: "160000" },
        "diff --git a/s b/s\nindex 1111..2222 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-Subproject commit 1111\n+Subproject commit 2222\n",
        { submodule: { from: "1111", to: "2222" }, flags: ["submodule"] },
      ],
    ];
    for (const [file, patch, expected] of links)
      expect(show(patch, [file])).toMatchObject({ complete: true, files: [expected] });
    const odd = bytes(
      "diff --git a/l b/l\nnew file mode 120000\nindex 0000..1111\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+\xff\n\\ No newline at end of file\n",
    );
    expect(show(odd, [{ status: "added", path: "l", oldMode: "000000", newMode: "120000" }])).toMatchObject({
      complete: false,
      files: [{ link: { to: "\ufffd" } }],
    });
  });

  it("marks what is binary with its size, and refuses text that is none", () => {
    expect(show(bytes(`${HEAD}@@ -1 +1 @@\n-a\x00b\n+a\x00\xff\n\\ No newline at end of file\n`))).toMatchObject({
      complete: true,
      files: [{ flags: ["binary"], binary: { removed: 4, added: 3 }, hunks: [] }],
    });
    // Text with a zero byte in it can be read, so it is shown as well.
    expect(show(`${HEAD}@@ -0,0 +1 @@\n+rm -rf\u0000x\n`)).toMatchObject({
      complete: true,
      files: [{ flags: ["hidden", "binary"], hunks: [{ lines: ["+rm -rf\\x00x"] }] }],
    });
    expect(show(bytes(`${HEAD}@@ -0,0 +1 @@\n+caf\xe9\n`)).reasons).toEqual([
      "a is not UTF-8 and cannot be read as text",
    ]);
  });

  it.each([
    ["a patch that is no patch", "nonsense\n"],
    ["a hunk that ends too early", `${HEAD}@@ -1,2 +1,2 @@\n one\n`],
    ["a hunk without counts", `${HEAD}@@ nonsense @@\n`],
    ["a line without a mark", `${HEAD}@@ -1,2 +1,2 @@\nodd\n`],
    ["an empty line in a hunk", `${HEAD}@@ -1,2 +1,2 @@\n\n`],
    ["more lines than a hunk says", `${HEAD}@@ -1 +1 @@\n-a\n+b\n+c\n`],
    ["more deletions than a hunk says", `${HEAD}@@ -1 +1 @@\n-a\n-b\n+c\n`],
    ["a section that no file has", `${HEAD}@@ -1 +1 @@\n-a\n+b\n${HEAD}`],
    ["no section at all", ""],
    ["another mode", "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"],
    ["another beginning", "diff --git a/a b/a\nnew file mode 100644\n"],
  ])("is incomplete with %s", (_, patch) => {
    expect(show(patch)).toMatchObject({
      complete: false,
      entries: 1,
      reasons: ["the patch does not fit the list of changed files"],
    });
  });

  it("is incomplete when something changed and no line of it is there", () => {
    expect(show("diff --git a/a b/a\nindex 1111..2222 100644\nBinary files a/a and b/a differ\n").reasons).toEqual([
      "no line of a is shown",
    ]);
    const added: ChangedPath = { status: "added", path: "a", oldMode: "000000", newMode: "100644" };
    const empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    expect(show(`diff --git a/a b/a\nnew file mode 100644\nindex 0000..${empty}\n`, [added]).complete).toBe(true);
    expect(show("diff --git a/a b/a\nnew file mode 100644\nindex 0000..1111\n", [added]).complete).toBe(false);
  });

  it("is incomplete when it is too long", () => {
    const patch = utf8(`${HEAD}@@ -1 +1 @@\n-a\n+b\n`);
    expect(show(patch, [MODIFIED], 10).reasons).toEqual([`the patch has ${patch.length} bytes, and 10 can be shown`]);
    const link: ChangedPath = { status: "added", path: "l", oldMode: "000000", newMode: "120000" };
    expect(shownChange({ files: [MODIFIED, link], patch: utf8(HEAD), truncated: true })).toMatchObject({
      complete: false,
      files: [
        { path: "a", hunks: [] },
        { path: "l", link: { from: null, to: null } },
      ],
      reasons: ["the patch is longer than what could be read"],
    });
  });
});

describe("readPatch", () => {
  it("is not led astray by lines that look like a patch", () => {
    const text = `${HEAD}@@ -0,0 +1,3 @@\n+diff --git a/x b/x\n+@@ -1 +1 @@\n+-x`;
    expect(readPatch(utf8(text))?.map(({ hunks }) => hunks.map(({ lines }) => lines.length))).toEqual([[3]]);
  });
});

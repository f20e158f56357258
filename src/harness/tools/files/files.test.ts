import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import { benchOf, rulesOf, type ToolBench } from "../../../../test/support/tools/toolbox-fixture.ts";

interface Place extends ToolBench {
  readonly root: string;
  readonly outside: string;
  text(path: string): string;
}

function place(files: Readonly<Record<string, string>> = {}, rules?: ReturnType<typeof rulesOf>): Place {
  const top = tempDir();
  const root = join(top, "work");
  const outside = join(top, "outside");
  for (const [path, text] of Object.entries({ ...files, "../outside/secret.txt": "outside secret\n", ".keep": "" })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const bench = benchOf({ root, ...(rules === undefined ? {} : { rules }) });
  return { ...bench, root, outside, text: (path) => readFileSync(join(root, path), "utf8") };
}

describe("T5: tools for files", () => {
  test("read a file, whole or in part", async () => {
    const { output } = place({ "a/b.txt": "one\ntwo\nthree" });
    expect(await output("read_file", { path: "./a//b.txt" })).toEqual({
      path: "a/b.txt",
      text: "one\ntwo\nthree",
      from_line: 1,
      total_lines: 3,
      truncated: false,
    });
    expect(await output("read_file", { path: "a/b.txt", from_line: "2", lines: 1 })).toMatchObject({
      text: "two",
      truncated: true,
    });
  });

  test("show what is hidden in a file", async () => {
    const { output } = place({ "a.txt": "safe\u202E\u200btext\r\nnext" });
    expect(await output("read_file", { path: "a.txt" })).toMatchObject({ text: "safe\\u202e\\u200btext\nnext" });
  });

  test("T5: refuse what is too large, no text, no file or not there", async () => {
    const { root, error } = place({ "large.txt": "x".repeat(1024 * 1024 + 1), bin: "a\0b", "folder/x": "" });
    writeFileSync(join(root, "just.txt"), "x".repeat(1024 * 1024));
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await error("read_file", { path: "large.txt" })).toBe(
      "read_file failed: large.txt has 1048577 bytes, more than 1048576.",
    );
    expect(await error("read_file", { path: "bin" })).toContain("bin is no text");
    expect(await error("read_file", { path: "folder" })).toContain("folder is no file");
    expect(await error("read_file", { path: "pipe" })).toContain("pipe is no file");
    expect(await error("read_file", { path: "none" })).toContain("none does not exist");
    expect(await error("read_file", { path: "." })).toContain("the workspace itself is no file");
    expect(await error("read_file", { path: "a\0b" })).toContain("is no path");
    const { output } = benchOf({ root });
    expect(await output("read_file", { path: "just.txt" })).toMatchObject({ truncated: true });
  });

  test("write a file whole, make its folders and keep its rights", async () => {
    const { root, output, error, text } = place({ "run.sh": "old" });
    chmodSync(join(root, "run.sh"), 0o755);
    expect(await output("write_file", { path: "run.sh", content: "new" })).toEqual({ path: "run.sh", bytes: 3 });
    expect(statSync(join(root, "run.sh")).mode & 0o777).toBe(0o755);
    await output("write_file", { path: "new/deep/x.txt", content: "x" });
    expect(text("new/deep/x.txt")).toBe("x");
    expect(await error("write_file", { path: "new", content: "" })).toContain("new is there and is no file");
    expect(await error("write_file", { path: "big", content: "x".repeat(1024 * 1024 + 1) })).toContain("are more than");
    expect(readdirSync(root).sort()).toEqual([".keep", "new", "run.sh"]);
  });

  test("edit a text that stands once, or everywhere when told", async () => {
    const { output, error, text } = place({
      "a.txt": "one two one",
      "win.txt": "a\r\nb\r\n",
      "many.txt": "a".repeat(2000),
    });
    expect(await error("edit_file", { path: "a.txt", old_text: "one", new_text: "1" })).toContain("stands 2 times");
    expect(await error("edit_file", { path: "a.txt", old_text: "three", new_text: "1" })).toContain("does not have");
    const huge = { path: "many.txt", old_text: "a", new_text: "b".repeat(400_000), all: true };
    // It is refused before it is made: as a text it would be longer than there can be one.
    expect(await error("edit_file", huge)).toContain("800000000 bytes are more than 1048576");
    await output("edit_file", { path: "a.txt", old_text: "two", new_text: "$&" });
    await output("edit_file", { path: "a.txt", old_text: "one", new_text: "1", all: true });
    expect(text("a.txt")).toBe("1 $& 1");
    await output("edit_file", { path: "win.txt", old_text: "a\nb", new_text: "c\nd" });
    expect(text("win.txt")).toBe("c\r\nd\r\n");
  });

  test("list a folder with what each name is", async () => {
    const { root, outside, output } = place({ "a.txt": "", "sub/b.txt": "" });
    symlinkSync(outside, join(root, "link"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await output("list_directory", {})).toEqual({
      path: ".",
      entries: [
        { name: ".keep", kind: "file" },
        { name: "a.txt", kind: "file" },
        { name: "link", kind: "link" },
        { name: "pipe", kind: "other" },
        { name: "sub", kind: "folder" },
      ],
      truncated: false,
    });
    expect(await output("list_directory", { path: "sub" })).toMatchObject({
      entries: [{ name: "b.txt", kind: "file" }],
    });
  });

  test("find files by glob and lines by pattern, without git's own and without links", async () => {
    const { root, outside, output, error } = place({
      "src/a.ts": "const secret = 1;\nother",
      "src/deep/b.ts": "Secret",
      "b.md": "secret",
      ".git/config": "secret",
      "node_modules/x/i.ts": "secret",
      bin: "secret\0",
      "back\\slash.ts": "secret",
    });
    symlinkSync(outside, join(root, "src/link"));
    symlinkSync(join(outside, "secret.txt"), join(root, "src/link.ts"));
    expect(await output("glob", { pattern: "**/*.ts" })).toEqual({
      files: ["src/a.ts", "src/deep/b.ts"],
      denied: 0,
      truncated: false,
    });
    expect(await output("grep", { pattern: "^const \\w+", glob: "src/**" })).toEqual({
      matches: [{ path: "src/a.ts", line: 1, text: "const secret = 1;" }],
      denied: 0,
      truncated: false,
    });
    expect(await output("grep", { pattern: "SECRET", ignore_case: true, path: "src/deep" })).toMatchObject({
      matches: [{ path: "src/deep/b.ts", line: 1 }],
    });
    expect(await error("grep", { pattern: "(" })).toContain("the pattern cannot be used");
    expect(await error("glob", { pattern: "[a]" })).toContain("the glob cannot be used");
    expect(await error("glob", { pattern: "**", path: "none" })).toContain("none does not exist");
    const many = await output("grep", { pattern: ".", path: "src" });
    expect(many).toMatchObject({ truncated: false });
  });

  test("tell no more matches than anybody reads", async () => {
    const { output } = place({ "a.txt": "x\n".repeat(500), "b.txt": "x\n" });
    const found = (await output("grep", { pattern: "x" })) as { matches: unknown[]; truncated: boolean };
    expect([found.matches.length, found.truncated]).toEqual([200, true]);
  });

  test("search only what policy lets them read, and tell nothing of what is in the rest", async () => {
    const files = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`src/${index}.txt`, "found"]));
    const rules = rulesOf(["allow", { read: "**" }], ["deny", { read: "{secret,src/7.txt,src/31.txt}{,/**}" }]);
    const { output } = place({ ...files, "secret/key.txt": "found" }, rules);
    for (const pattern of ["found", "nowhere"]) {
      const { matches, denied } = (await output("grep", { pattern })) as {
        matches: { path: string }[];
        denied: number;
      };
      expect(denied).toBe(3);
      expect(matches).toHaveLength(pattern === "found" ? 38 : 0);
      expect(matches.filter(({ path }) => /secret|[/](7|31)[.]/.test(path))).toEqual([]);
    }
    expect(await output("glob", { pattern: "secret/**" })).toEqual({ files: [], denied: 1, truncated: false });
  });

  test("cite only what stands there", async () => {
    const { output, error } = place({ "a.txt": "one\ntwo\nthree" });
    expect(await output("cite", { path: "a.txt", quote: "two\nthree" })).toEqual({
      path: "a.txt",
      line: 2,
      to_line: 3,
      quote: "two\nthree",
    });
    expect(await error("cite", { path: "a.txt", quote: "four" })).toContain("a.txt does not have this text");
  });
});

describe("no tool leaves the workspace", () => {
  const lax = rulesOf(["allow", { read: "{,/,../}**" }], ["allow", { edit: "{,/,../}**" }], ["allow", { tool: "*" }]);

  it.each([
    "../outside/secret.txt",
    "a/../../outside/secret.txt",
    "..\\outside\\secret.txt",
    "/etc/hostname",
    "//etc/hostname",
  ])("by %s, even when policy would let it", async (path) => {
    const { outside, error } = place({}, lax);
    for (const [tool, more] of [
      ["read_file", {}],
      ["cite", { quote: "o" }],
      ["list_directory", {}],
      ["write_file", { content: "x" }],
      ["edit_file", { old_text: "o", new_text: "x" }],
    ] as const)
      expect(await error(tool, { path, ...more })).toContain("is outside the workspace");
    for (const tool of ["glob", "grep"]) expect(await error(tool, { path, pattern: "x" })).toContain("is outside");
    expect(await error("apply_patch", { patch: patchOf(path) })).toContain("is outside the workspace");
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("outside secret\n");
  });

  it.each(["link/secret.txt", "link.txt", "in/../link/secret.txt"])("by the link in %s", async (path) => {
    const { root, outside, error } = place({}, lax);
    symlinkSync(outside, join(root, "link"));
    symlinkSync(join(outside, "secret.txt"), join(root, "link.txt"));
    for (const [tool, more] of [
      ["read_file", {}],
      ["write_file", { content: "x" }],
      ["edit_file", { old_text: "o", new_text: "x" }],
    ] as const)
      expect(await error(tool, { path, ...more })).toMatch(/links are not followed|is there and is no file/);
    expect(await error("apply_patch", { patch: patchOf(path) })).toContain("links are not followed");
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("outside secret\n");
  });

  test("by a link inside it either: policy has judged the path as it is written", async () => {
    const rules = rulesOf(["allow", { read: "public/**" }], ["allow", { edit: "public/**" }]);
    const { root, error, text } = place({ "private/a.txt": "private", "public/x": "" }, rules);
    symlinkSync("../private", join(root, "public/door"));
    expect(await error("read_file", { path: "public/door/a.txt" })).toContain("links are not followed");
    expect(await error("write_file", { path: "public/door/a.txt", content: "x" })).toContain("links are not followed");
    expect(text("private/a.txt")).toBe("private");
  });

  test("a file with two names is replaced under one", async () => {
    const { root, outside, output } = place();
    linkSync(join(outside, "secret.txt"), join(root, "hard.txt"));
    await output("write_file", { path: "hard.txt", content: "changed" });
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("outside secret\n");
  });

  it.each([".git/config", ".claude/settings.json", "sub/.GIT/hooks/x", ".mcp.json", "pawl.yaml", ".pawl/pawl.db"])(
    "and none writes %s",
    async (path) => {
      const { root, error } = place({}, lax);
      expect(await error("write_file", { path, content: "x" })).toContain("is sealed");
      expect(await error("edit_file", { path, old_text: "x", new_text: "y" })).toContain("is sealed");
      const fresh = `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+evil\n`;
      expect(await error("apply_patch", { patch: fresh })).toContain("is sealed");
      expect(existsSync(join(root, path))).toBe(false);
    },
  );
});

function patchOf(path: string): string {
  return `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-outside secret\n+changed\n`;
}

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { joinIgnoreRules } from "./ignore-rules.ts";

const FILES: Record<string, string> = {
  "": "*.log\n/only-top\nbuild/\n!keep.log\n# comment\n\\#hash\n\nsp\\ \na/*.tmp\n",
  sub: "foo\n/bar\nx/y\n!deep.log\n**/any\nnode_modules/\r\n",
  "sub/deeper": "!foo\nfoo/\n*\n!.gitignore\n!ok\n",
  "odd [dir]*": "foo\n",
};
const PATHS = [
  ...["a.log", "keep.log", "only-top", "d/only-top", "build/x", "d/build/x", "#hash", "sp ", "a/b.tmp", "d/a/b.tmp"],
  ...["sub/foo", "sub/z/foo", "foo", "sub/bar", "sub/z/bar", "sub/x/y", "sub/z/x/y", "sub/deep.log", "sub/o.log"],
  ...["sub/z/any", "sub/node_modules/q", "sub/deeper/foo", "sub/deeper/ok", "sub/deeper/no", "sub/deeper/e/ok"],
  ...["odd [dir]*/foo", "odd [dir]*/z/foo", "odd d/foo", "plain"],
];

describe("joinIgnoreRules", () => {
  it("hides exactly what the ignore files hide where they lie", () => {
    const dir = mkdtempSync(join(tmpdir(), "pawl-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const git = (...args: string[]): string[] =>
      execFileSync("git", args, { cwd: dir, encoding: "utf8" })
        .split("\0")
        .filter((path) => path !== "");
    git("init", "-q");
    for (const path of PATHS) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), "");
    }
    for (const [folder, text] of Object.entries(FILES)) writeFileSync(join(dir, folder, ".gitignore"), text);
    const rules = joinIgnoreRules(
      Object.entries(FILES)
        .map(([folder, text]) => ({ folder, text }))
        .reverse(),
    );
    writeFileSync(join(dir, ".git/rules"), rules);
    const expected = git("ls-files", "-o", "-z", "--exclude-standard");
    expect(git("ls-files", "-o", "-z", "-X", ".git/rules")).toEqual(expected);
    expect(expected.length).toBeGreaterThan(10);
    expect(expected.length).toBeLessThan(PATHS.length);
  });
});

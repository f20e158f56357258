import { describe, expect, it } from "vitest";
import { compileProtection, type Difference, restoredPaths } from "./protected-paths.ts";

const isProtected = (globs: readonly string[], path: string, project = ""): boolean =>
  compileProtection(globs, project)(path, "file");

describe("what is protected", () => {
  it("is what a glob covers, counted from the top or from the project", () => {
    expect(isProtected(["test/**"], "test/deep/a.js")).toBe(true);
    expect(isProtected(["test/**"], "src/test/a.js")).toBe(false);
    expect(isProtected(["test/**"], "packages/a/test/x", "packages/a")).toBe(true);
    expect(isProtected(["test/**"], "packages/b/test/x", "packages/a")).toBe(false);
    expect(isProtected([".github/**"], ".github/ci.yml", "packages/a")).toBe(true);
    expect(isProtected([], "test/a.js")).toBe(false);
  });

  it("is also a name that some file system takes for the same", () => {
    expect(isProtected(["test/**"], "Test/a.js")).toBe(true);
    expect(isProtected(["Test/**"], "teſt/a.js")).toBe(true);
    expect(isProtected(["caf\u00e9/*"], "cafe\u0301/a.js")).toBe(true);
    expect(isProtected(["a?"], "a\u00e9")).toBe(true);
    expect(isProtected(["test/**"], "Packages/A/Test/x", "packages/a")).toBe(true);
  });

  it("takes a name as it is: no part of it leads elsewhere", () => {
    expect(isProtected(["test/**"], "test/x\\..\\..\\..\\src\\a.js")).toBe(true);
    expect(isProtected(["test/*"], "test/new\nline")).toBe(true);
  });

  it("is a link or a submodule where a folder would be that a glob reaches into", () => {
    const covers = compileProtection(["test/*.js", "**/spec/**/*.ts", "{ci,gates}/{a,b}.yml", "../up/*.js"], "");
    const kinds = ["file", "link", "submodule"] as const;
    const asFolder = ["test", "a/spec", "a/spec/deep/er", "ci", "gates"];
    for (const path of asFolder)
      expect([path, kinds.map((kind) => covers(path, kind))]).toEqual([path, [false, true, true]]);
    for (const path of ["a", "a/b", "up", "ci/a", "test2"]) expect(covers(path, "link")).toBe(false);
  });
});

describe("the tree that is judged", () => {
  const protection = compileProtection(["test/**", "package.json", "lib/*.js"], "");
  const restored = (...list: Difference[]): string[] => [...restoredPaths(list, protection)].sort();
  const made = (path: string, candidate: Difference["candidate"] = "file"): Difference => ({
    path,
    candidate,
    base: null,
  });
  const lost = (path: string, base: Difference["base"] = "file"): Difference => ({ path, candidate: null, base });

  it("is that of the maker where nothing protected differs", () => {
    expect(restored()).toEqual([]);
    expect(
      restored(made("src/new.js"), lost("src/old.js"), { path: "README.md", candidate: "file", base: "link" }),
    ).toEqual([]);
  });

  it("has protected files back that were changed or deleted, and none that is new", () => {
    expect(
      restored(made("test/new.js"), lost("test/gone.js"), { path: "package.json", candidate: "file", base: "file" }),
    ).toEqual(["package.json", "test/gone.js", "test/new.js"]);
  });

  it("has a folder back in whose place the maker put a link or a file", () => {
    expect(restored(made("lib", "link"), lost("lib/a.js"), lost("lib/data/b.txt"), lost("other/c"))).toEqual([
      "lib",
      "lib/a.js",
      "lib/data/b.txt",
    ]);
    expect(restored(made("test"), lost("test/a.js"))).toEqual(["test", "test/a.js"]);
  });

  it("has what is protected back although something else is in the way", () => {
    expect(restored(made("package.json/a"), made("package.json/deep/b"), lost("package.json"))).toEqual([
      "package.json",
      "package.json/a",
      "package.json/deep/b",
    ]);
    expect(restored(made("lib"), lost("lib/a.js"), lost("lib/b.txt"))).toEqual(["lib", "lib/a.js"]);
  });

  it("has a link of the base back, whatever took its place", () => {
    expect(restored(lost("lib", "link"), made("lib/a.txt"))).toEqual(["lib", "lib/a.txt"]);
    expect(restored({ path: "lib", candidate: "link", base: "file" })).toEqual(["lib"]);
  });
});

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { findRepository } from "./find-repository.ts";

describe("findRepository", () => {
  it("is the project itself where that has a git folder, or a file that names one", () => {
    const root = tempDir();
    mkdirSync(join(root, ".git"));
    expect(findRepository(root)).toEqual({ top: root, folder: "" });
    mkdirSync(join(root, "sub"));
    writeFileSync(join(root, "sub/.git"), "gitdir: ../elsewhere\n");
    expect(findRepository(join(root, "sub"))).toEqual({ top: join(root, "sub"), folder: "" });
  });

  it("is the nearest folder above that has one, whatever links lead to the project", () => {
    const top = realpathSync(tempDir());
    mkdirSync(join(top, ".git"));
    mkdirSync(join(top, "packages/a b"), { recursive: true });
    symlinkSync(join(top, "packages/a b"), join(top, "link"));
    for (const path of ["packages/a b", "link"])
      expect(findRepository(join(top, path))).toEqual({ top, folder: "packages/a b" });
  });

  it("is nowhere when no folder has one", () => {
    const root = tempDir();
    expect(findRepository(root)).toEqual({ top: root, folder: "" });
  });
});

import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFolder } from "../../../../test/support/project-folder.ts";
import { findWorkspace } from "./find-workspace.ts";

describe("where a project can work", () => {
  it("is a clone where there is a repository, with the dependencies that lie there", async () => {
    const root = projectFolder({ ".git/HEAD": "", "node_modules/a/index.js": "", "vendor/bundle/x": "" });
    expect(await findWorkspace(root)).toEqual({ isRepository: true, share: ["node_modules", "vendor/bundle"] });
    const below = projectFolder({ ".git/HEAD": "", "packages/a/package.json": "" });
    expect(await findWorkspace(join(below, "packages", "a"))).toEqual({ isRepository: true, share: [] });
  });

  it("is the folder itself where there is none, and no link is taken for a folder", async () => {
    const root = projectFolder({ "node_modules/a/index.js": "" });
    expect(await findWorkspace(root)).toEqual({ isRepository: false, share: [] });
    const linked = projectFolder({ ".git/HEAD": "" });
    symlinkSync("/usr", join(linked, "node_modules"));
    expect(await findWorkspace(linked)).toEqual({ isRepository: true, share: [] });
  });
});

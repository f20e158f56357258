/** Files that the ignore rules hide: in no tree, and yet with every workspace of a run and of the runs that it starts. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { GitWorkspaces } from "../../src/adapters/git/workspaces.ts";
import type { Place, Workspace } from "../../src/ports/workspaces.ts";
import { CLONE, commitFiles, filesOf, LABEL, placeOf, putFile, workspacesAt } from "../support/git-project.ts";
import { tempDir } from "../support/temp-dir.ts";

const RULES = { a: "a\n", ".gitignore": "node_modules/\n*.log\nbuild\n" };

interface Stand {
  readonly root: string;
  readonly base: string;
  readonly workspaces: GitWorkspaces;
  readonly where: Place;
  readonly workspace: Workspace;
}

async function stand(share: readonly string[] = []): Promise<Stand> {
  const root = join(tempDir(), "project");
  commitFiles(root, RULES);
  for (const path of share) putFile(root, `${path}/shared.js`, { mode: "100644", text: "of the project\n" });
  const workspaces = workspacesAt(root);
  const spec = { ...CLONE, share };
  const where = placeOf(spec);
  const base = await workspaces.base(spec, 1);
  return { root, base, workspaces, where, workspace: await workspaces.enter(where, base, LABEL) };
}

function install(folder: string): void {
  putFile(folder, "node_modules/dep/index.js", { mode: "100755", text: "dep\n" });
  putFile(folder, "node_modules/.bin/dep", { mode: "120000", text: "../dep/index.js" });
  putFile(folder, "deep/er/odd\nname.log", { mode: "100644", text: "log\n" });
}

const INSTALLED = ["deep/er/odd\nname.log", "node_modules/.bin/dep", "node_modules/dep/index.js"];
const ignoredIn = (folder: string): string[] =>
  Object.keys(filesOf(folder))
    .filter((path) => !["a", ".gitignore", "new"].includes(path))
    .sort();

describe("ignored files", () => {
  it("of a run are with each member, as copies of its own", async () => {
    const { base, workspaces, where, workspace } = await stand();
    install(workspace.folder);
    writeFileSync(join(workspace.folder, "new"), "new\n");
    const tree = await workspace.save(LABEL);
    const members = ["m[0]", "m[1]"].map((name) => placeOf(CLONE, name, where.run));
    const entered = await Promise.all(members.map((place) => workspaces.enter(place, tree, LABEL)));
    for (const [index, { folder, save }] of entered.entries()) {
      expect(ignoredIn(folder)).toEqual(INSTALLED);
      expect(filesOf(folder)["new"]?.text).toBe("new\n");
      expect(lstatSync(join(folder, "node_modules/dep/index.js")).mode & 0o777).toBe(0o755);
      writeFileSync(join(folder, "node_modules/dep/index.js"), `changed ${index}`);
      expect(await save(LABEL)).toBe(tree);
    }
    expect(readFileSync(join(workspace.folder, "node_modules/dep/index.js"), "utf8")).toBe("dep\n");
    expect(existsSync(join(entered[0]!.folder, ".pawl"))).toBe(false);
    // Nobody else's: not those of another run that stands on the same tree.
    expect(ignoredIn((await workspaces.enter(placeOf(), base, LABEL)).folder)).toEqual([]);
    expect(ignoredIn((await workspaces.enter(placeOf(), tree, LABEL)).folder)).toEqual([]);
  });

  it("that are shared do not hold the state of another project", async () => {
    const root = join(tempDir(), "project");
    commitFiles(root, RULES);
    const files = { "vendor/it.js": "it", "vendor/lib/.pawl/pawl.db": "theirs", "vendor/.pawl/artifacts/a": "theirs" };
    for (const [path, text] of Object.entries(files)) putFile(root, path, { mode: "100644", text });
    putFile(root, "vendor/way/.pawl", { mode: "120000", text: "../.pawl" });
    const workspaces = workspacesAt(root);
    const spec = { ...CLONE, share: ["vendor"] };
    const { folder } = await workspaces.enter(placeOf(spec), await workspaces.base(spec, 1), LABEL);
    expect(Object.keys(filesOf(folder)).filter((path) => path.startsWith("vendor/"))).toEqual(["vendor/it.js"]);
    expect(readFileSync(join(root, "vendor/lib/.pawl/pawl.db"), "utf8")).toBe("theirs");
  });

  it("of a parent are with the run that it starts, also when no tree has changed", async () => {
    const { base, workspaces, where, workspace } = await stand(["vendor"]);
    install(workspace.folder);
    writeFileSync(join(workspace.folder, "vendor/shared.js"), "of the run\n");
    expect(await workspace.save(LABEL)).toBe(base);
    const child = placeOf(where.spec);
    await workspaces.keep(child.run, base, where.run);
    const { folder } = await workspaces.enter(child, base, LABEL);
    expect(ignoredIn(folder)).toEqual([...INSTALLED, "vendor/shared.js"]);
    expect(readFileSync(join(folder, "vendor/shared.js"), "utf8")).toBe("of the run\n");
    // A parent without a workspace has nothing to give; shared folders then come from the project.
    await workspaces.leave(where.run, 1);
    const late = placeOf(where.spec);
    await workspaces.keep(late.run, base, where.run);
    const entered = await workspaces.enter(late, base, LABEL);
    expect(ignoredIn(entered.folder)).toEqual(["vendor/shared.js"]);
    expect(readFileSync(join(entered.folder, "vendor/shared.js"), "utf8")).toBe("of the project\n");
  });

  it("are copied as they are, whatever they are, and through no link", async () => {
    const { workspaces, where, workspace, root } = await stand();
    const { folder } = workspace;
    const outside = join(root, "../outside");
    mkdirSync(outside);
    install(folder);
    symlinkSync("/etc", join(folder, "node_modules/etc"));
    spawnSync("mkfifo", [join(folder, "node_modules/pipe")]);
    execFileSync("/bin/sh", ["-c", "mkdir .pawl; echo x > .pawl/x; git init -q node_modules/nested"], { cwd: folder });
    // The tree has a link where the workspace has a folder with an ignored file.
    symlinkSync(outside, join(folder, "build-link"));
    const tree = await workspace.save(LABEL);
    execFileSync("/bin/sh", ["-c", "rm build-link; mkdir build-link; echo x > build-link/x.log"], { cwd: folder });
    const member = await workspaces.enter(placeOf(CLONE, "m", where.run), tree, LABEL);
    expect(lstatSync(join(member.folder, "build-link")).isSymbolicLink()).toBe(true);
    expect(filesOf(outside)).toEqual({});
    expect(lstatSync(join(member.folder, "node_modules/etc")).isSymbolicLink()).toBe(true);
    expect(lstatSync(join(member.folder, "node_modules/pipe")).isFIFO()).toBe(true);
    expect(existsSync(join(member.folder, ".pawl"))).toBe(false);
    expect(await member.save(LABEL)).toBe(tree);
    await workspaces.leave(where.run, 1);
  });
});

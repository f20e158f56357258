/** What a project is to a run: its commit, its level, its place in a larger repository. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

let project: Project;
afterEach(() => project.remove());

function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("git", ["-C", project.root, ...args], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

function commitAll(): void {
  git("add", "--all");
  git("-c", "user.name=ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message=begin");
}

function committed(files: Readonly<Record<string, string>>): void {
  project = createProject(files);
  git("init", "--quiet", "--initial-branch=main");
  commitAll();
}

const blueprint = (stages: string, workspace = "clone"): string =>
  `version: 1\nname: look\nworkspace: ${workspace}\npolicy: { allow: [{ shell: "**" }, { action: "git.*" }] }\nstages:\n${stages}`;
const LOOK = "  - { id: look, command: 'cat *.txt', capture: text }\n";

interface Line {
  readonly kind: string;
  readonly leftOut?: number;
  readonly event?: { readonly type: string; readonly output?: unknown; readonly error?: string };
}

/** What its stages gave, in the order they ended, and how many changed files it did not see. */
async function follow(
  ...args: string[]
): Promise<{ readonly ends: readonly unknown[]; readonly leftOut?: number | undefined }> {
  const { stdout } = await project.pawl(...args, "--jsonl");
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  const ends = lines.flatMap(({ event }) => (event?.type === "stage.finished" ? [event.output ?? event.error] : []));
  return { ends, leftOut: lines.at(-1)?.leftOut };
}

describe("an action that needs a higher level", () => {
  beforeEach(() =>
    committed({
      "low.yaml": blueprint(
        "  - { id: work, command: 'true' }\n  - { id: merge, action: git.merge, with: { into: main } }\n",
      ),
      "cut.yaml": blueprint(
        "  - { id: work, command: 'true' }\n  - { id: save, level: L2, action: git.commit, with: { message: x } }\n",
      ),
    }),
  );

  it("is refused with its place before anything runs", async () => {
    const { code, stdout, stderr } = await project.pawl("run", "low.yaml", "--level", "L2");
    expect([code, stdout]).toEqual([3, ""]);
    expect(stderr).toContain("PLAN_ACTION_LEVEL");
    expect(stderr).toContain("low.yaml:7:11");
    expect(stderr).toContain("write `level: L3` on the stage");
    expect(existsSync(join(project.root, ".pawl"))).toBe(false);
    expect((await project.pawl("plan", "low.yaml", "--level", "L3")).code).toBe(0);
  });

  it("is left out where its stage says from which level on it belongs to the run", async () => {
    expect((await project.pawl("run", "cut.yaml")).code).toBe(0);
  });
});

describe("changed files", () => {
  beforeEach(() => {
    committed({
      "head.yaml": blueprint(LOOK),
      "tree.yaml": blueprint(LOOK, "{ from: working_tree }"),
      "folder.yaml": blueprint(LOOK, "directory"),
      "a.txt": "old\n",
      ".gitignore": "ignored*\n",
    });
    project.write("ignored.txt", "ignored\n");
  });

  it("are none in a project as it was committed, but for what is ignored and the blueprint itself", async () => {
    project.write("head.yaml", `${blueprint(LOOK)}# edited\n`);
    expect(await project.pawl("run", "head.yaml")).toMatchObject({ code: 0, stderr: "" });
    expect(await follow("run", "head.yaml")).toEqual({ ends: ["old"] });
  });

  it("that a run does not see are told, with what to write to include them", async () => {
    project.write("a.txt", "new\n");
    project.write("b.txt", "more\n");
    project.write("sub/staged.txt", "staged\n");
    git("add", "sub/staged.txt");
    const { code, stdout, stderr } = await project.pawl("run", "head.yaml");
    expect(code).toBe(0);
    expect(stdout).not.toContain("changed file");
    expect(stderr).toMatch(/^3 changed files are not in this run, .*: a\.txt, [^\n]*from: working_tree[^\n]*\n$/);
    expect((await project.json("run", "head.yaml")).value).toMatchObject({ leftOut: 3 });
    expect(await follow("run", "head.yaml")).toEqual({ ends: ["old"], leftOut: 3 });
  });

  it("that a run sees are not told", async () => {
    project.write("a.txt", "new\n");
    expect((await project.pawl("run", "tree.yaml")).stderr).toBe("");
    expect(await follow("run", "tree.yaml")).toEqual({ ends: ["new"] });
    expect(await follow("run", "folder.yaml")).toEqual({ ends: ["new\nignored"] });
  });
});

describe("a project that is a folder of a larger repository", () => {
  const STAGES = `  - { id: where, command: "pwd; cat a.txt ../b/b.txt; find /workspace -name pawl.db", capture: lines }
  - { id: change, command: "echo new > new.txt; echo x > ../b/c.txt; mkdir .claude && echo x > .claude/settings.json || true" }
  - { id: below, cwd: deep, command: "pwd; ls ..", capture: lines }
  - { id: check, gate: { command: "test -f new.txt" } }
  - { id: save, level: L2, action: git.commit, with: { message: "work" } }
`;
  const inside = (name: string): string => join("packages/a", name);
  const pawl = (...args: string[]) => project.pawl("-C", "packages/a", ...args);
  const followed = (...args: string[]) => follow("-C", "packages/a", ...args);

  beforeEach(() => {
    committed({
      [inside("run.yaml")]: blueprint(STAGES),
      [inside("dirty.yaml")]: blueprint(LOOK, "{ from: working_tree }"),
      [inside("share.yaml")]: blueprint("  - { id: look, command: 'cat modules/x' }\n", "{ share: [modules] }"),
      [inside("steal.yaml")]: blueprint("  - { id: look, command: 'ls -R' }\n", "{ share: [.pawl] }"),
      [inside("a.txt")]: "a\n",
      [inside("deep/file")]: "deep\n",
      "packages/b/b.txt": "b\n",
      ".gitignore": "modules\n",
    });
  });

  it("works in its folder of the whole repository, and leaves it as it was", async () => {
    expect(await pawl("run", "run.yaml", "--level", "L2")).toMatchObject({ code: 0, stderr: "" });
    const [where, , below] = (await followed("run", "run.yaml")).ends as readonly string[][];
    expect(where).toEqual(["/workspace/packages/a", "a", "b"]);
    expect(below?.[0]).toBe("/workspace/packages/a/deep");
    expect(below).toContain("new.txt");
    expect(git("status", "--porcelain")).toBe("");
    expect(existsSync(join(project.root, inside(".pawl/pawl.db")))).toBe(true);
    expect(existsSync(join(project.root, ".pawl"))).toBe(false);
    const { stdout: diff } = await pawl("diff", "@last", "--json");
    const { files } = JSON.parse(diff) as { readonly files: readonly { readonly path: string }[] };
    expect(files.map(({ path }) => path)).toEqual(["packages/a/new.txt", "packages/b/c.txt"]);
    const branch = git("for-each-ref", "--format=%(refname)", "refs/heads/pawl").trim();
    expect(git("show", `${branch}:packages/a/new.txt`)).toBe("new\n");
  });

  it("counts changed files of the whole repository, and takes them along when it shall", async () => {
    project.write(inside("a.txt"), "changed\n");
    project.write("packages/b/b.txt", "changed\n");
    const { stderr } = await pawl("run", "run.yaml");
    expect(stderr).toMatch(/^2 changed files are not in this run, .*: a\.txt, \.\.\/b\/b\.txt\. /);
    expect(await followed("run", "dirty.yaml")).toEqual({ ends: ["changed"] });
  });

  it("shares folders of its own, and never our state", async () => {
    project.write(inside("modules/x"), "shared\n");
    expect(await pawl("run", "share.yaml")).toMatchObject({ code: 0 });
    expect((await followed("run", "steal.yaml")).ends).toEqual([
      expect.stringContaining("it belongs to git or to Pawl"),
    ]);
  });

  it("is refused when the commit does not hold it", async () => {
    mkdirSync(join(project.root, "packages/new"));
    writeFileSync(join(project.root, "packages/new/run.yaml"), blueprint(LOOK));
    const { code, stderr } = await project.pawl("-C", "packages/new", "run", "run.yaml");
    expect([code, stderr.includes("WORKSPACE_PROJECT_BELOW")]).toEqual([3, true]);
    expect(stderr).toContain("packages/new");
  });
});

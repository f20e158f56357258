/** Whoever ends a run while its workspace is saved does not wait for that, and no file is lost. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CliProcess, createProject, type Project } from "../support/cli.ts";

const BLUEPRINT = `version: 1
name: large
workspace: { kind: clone, max_size: 900g }
policy: { allow: [{ run: ["sh", "**"] }] }
stages:
  - { id: make, command: [sh, make.sh], effect: idempotent, timeout: 1h }
`;
const COUNT = 40;
/** More than any machine saves while a test looks. */
const MAKE = `echo hours > work
[ -e done ] && exit 0
touch done
for n in $(seq ${COUNT}); do truncate -s 3G large$n; done
`;

let project: Project;
beforeEach(() => {
  project = createProject({ "large.yaml": BLUEPRINT, "make.sh": MAKE, ".gitignore": "done\n" });
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "x"],
  ])
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project.root });
});
afterEach(() => project.remove());

const treeOf = (): string => {
  const runs = join(project.root, ".pawl/workspaces");
  return join(runs, readdirSync(runs)[0] ?? "", "run/tree");
};

/** Git that works on the files of the project. */
function gits(): readonly string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const isGit = /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/comm`, "utf8") === "git\n";
      return isGit && readFileSync(`/proc/${pid}/mountinfo`, "utf8").includes(project.root);
    } catch {
      return false;
    }
  });
}

/** Resolves when git reads what the stage has made. */
async function saving(): Promise<CliProcess> {
  const run = project.start("run", "large.yaml");
  const isMade = (): boolean =>
    existsSync(join(project.root, ".pawl/workspaces")) && existsSync(join(treeOf(), `large${COUNT}`));
  await expect.poll(() => isMade() && gits().length > 0, { timeout: 120_000 }).toBe(true);
  return run;
}

/** What is left of the files is quickly saved. */
function shrink(): void {
  for (let at = 1; at <= COUNT; at += 1) truncateSync(join(treeOf(), `large${at}`), at);
}

const shown = async (): Promise<Record<string, unknown>> =>
  (await project.json("show", "@last")).value as Record<string, unknown>;

describe("a run that is ended while its workspace is saved", () => {
  it("leaves on a terminate signal, and is resumed with every file", async () => {
    const run = await saving();
    run.child.kill("SIGTERM");
    expect(await run.ended).toMatchObject({ code: 130 });
    await expect.poll(gits).toEqual([]);
    expect(await shown()).toMatchObject({
      status: "running",
      unsaved: [{ folder: treeOf(), why: "cut_off", stage: "make" }],
    });
    shrink();
    expect(await project.pawl("resume", "@last")).toMatchObject({ code: 0 });
    expect(await shown()).toMatchObject({ status: "succeeded", unsaved: [] });
  });

  it.each([
    ["cancelled", (run: CliProcess) => run.child.kill("SIGINT")],
    ["killed", () => project.pawl("kill", "@last")],
  ] as const)("says where its files are when it was %s, and the sweep saves them", async (status, end) => {
    const run = await saving();
    await end(run);
    await run.ended;
    await expect.poll(gits).toEqual([]);
    const story = await shown();
    expect(story).toMatchObject({ status, unsaved: [{ folder: treeOf(), why: "cut_off" }] });
    expect(JSON.stringify(story["attempts"])).toContain("Saving the workspace was cut off");
    const { stdout } = await project.pawl("show", "@last");
    expect(stdout).toContain(`they are only in ${treeOf()}. Save them:\n  pawl gc`);
    expect(readFileSync(join(treeOf(), "work"), "utf8")).toBe("hours\n");
    shrink();
    expect(await project.pawl("gc")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("1 workspaces removed"),
    });
    const vault = join(project.root, ".pawl/vault.git");
    const [left] = execFileSync("git", [
      "--git-dir",
      vault,
      "for-each-ref",
      "--format=%(refname)",
      "refs/pawl/*/left/*",
    ])
      .toString()
      .split("\n");
    expect(execFileSync("git", ["--git-dir", vault, "show", `${left}:work`]).toString()).toBe("hours\n");
  });
});

it("refuses what is too large before it is read, and says so in a sentence that names the setting", async () => {
  project.write("large.yaml", BLUEPRINT.replace(", max_size: 900g", ""));
  const { code, stdout } = await project.pawl("run", "large.yaml");
  expect(code).toBe(1);
  expect(stdout).toContain(
    `There is too much to save: 120 GiB in ${COUNT + 1} files, and \`workspace.max_size\` is 4 GiB.`,
  );
  expect(stdout).toContain(`delete the folder:\n  ${treeOf()}`);
  expect((await project.pawl("gc")).code).toBe(1);
  expect(existsSync(join(treeOf(), "large1"))).toBe(true);
});

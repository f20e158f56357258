/** The way up and down by evidence: what a blueprint with a gate of its own for merging earns, keeps and loses. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createProject, type Project } from "../support/cli.ts";
import { commitFiles, git } from "../support/git-project.ts";

/** Only L3 meets the merge gate. */
const BLUEPRINT = `version: 1
name: notes
policy: { allow: [{ run: ["**"] }, { action: "git.*" }] }
protect: ["good.txt"]
stages:
  - { id: fix, command: [cp, good.txt, docs/notes.txt] }
  - { id: check, gate: { command: [cmp, good.txt, docs/notes.txt] } }
  - { id: commit, level: L2, action: git.commit, with: { message: "Make it good" } }
  - { id: mergeable, level: L3, gate: { merge: { allow: ["docs/**", "README.md"] } } }
  - { id: merge, level: L3, action: git.merge, with: { into: main } }
`;

/** With it each run has something to do. */
const WORK = { "docs/notes.txt": "bad\n" };

let project: Project;
beforeEach(() => {
  project = createProject();
  const files = { "good.txt": "good\n", "docs/notes.txt": "good\n", "README.md": "# Notes\n" };
  commitFiles(project.root, { "blueprint.yaml": BLUEPRINT, ...files }, "--initial-branch=main");
});
afterEach(() => project.remove());

const codeOf = async (...args: string[]): Promise<number | null> => (await project.pawl(...args)).code;
const earned = async (): Promise<unknown> =>
  ((await project.json("level", "blueprint.yaml")).value as { readonly earned: unknown }).earned;

async function ran(level: string, times: number): Promise<void> {
  for (let i = 0; i < times; i += 1) expect(await codeOf("run", "blueprint.yaml", "--level", level)).toBe(0);
}

describe("a blueprint whose merge gate is part of L3 only", () => {
  test("L13: earns L3 by runs at L2 and a drill, loses it and L2 by incidents, and earns both again", async () => {
    expect(await codeOf("drill", "blueprint.yaml")).toBe(0);
    commitFiles(project.root, WORK);
    await ran("L2", 4);
    expect(await earned()).toBe("L2");
    await ran("L2", 1);
    expect(await earned()).toBe("L3");
    await ran("L3", 1);
    expect(git(project.root, "log", "-1", "--format=%s", "main").trim()).toBe("Make it good");
    const incident = (why: string) => project.pawl("level", "blueprint.yaml", "--incident", "@last", "--why", why);
    commitFiles(project.root, WORK);
    expect((await incident("it was wrong")).stdout).toContain("notes has earned L2");
    expect(await codeOf("run", "blueprint.yaml", "--level", "L3")).toBe(3);
    await ran("L2", 1);
    expect((await incident("so was this")).stdout).toContain("notes has earned L1");
    expect(await codeOf("run", "blueprint.yaml", "--level", "L2")).toBe(3);
    await ran("L1", 5);
    expect(await earned()).toBe("L1");
    commitFiles(project.root, { "docs/notes.txt": "good\n" });
    expect(await codeOf("drill", "blueprint.yaml")).toBe(0);
    expect(await earned()).toBe("L2");
    commitFiles(project.root, WORK);
    await ran("L2", 5);
    expect(await earned()).toBe("L3");
  }, 600_000);
});

describe("an incident", () => {
  test("L13: tells why and by whom, and names what is still under way at a level that is lost", async () => {
    project.write(
      "waits.yaml",
      'version: 1\nname: waits\npolicy: { allow: [{ run: ["**"] }] }\nstages:\n  - { id: look, command: ["true"], on_success: paused }\n  - { id: more, gate: { command: ["true"] } }\n',
    );
    commitFiles(project.root, {});
    expect(await codeOf("run", "waits.yaml", "--level", "L2")).toBe(2);
    expect(await codeOf("run", "waits.yaml", "--level", "L1")).toBe(2);
    const { runs } = (await project.json("status")).value as { readonly runs: readonly { readonly run: string }[] };
    const [report, proposal] = runs.map(({ run }) => run) as [string, string];
    expect(await codeOf("level", "waits.yaml", "--kind", "revert")).toBe(3);
    const told = await project.pawl(
      "level",
      "waits.yaml",
      "--incident",
      proposal,
      "--kind",
      "revert",
      "--why",
      "it lied",
    );
    expect(told.stdout).toMatch(/newest incident, e_\w+: revert of run r_\w+ at L2; tester: it lied\n/);
    const named = `${proposal} began at L2 and is paused: nothing resumes it, what is under way goes on; pawl cancel ${proposal}`;
    expect(told.stdout).toContain(`${named}\n`);
    expect(told.stdout).not.toContain(report);
    const { value } = await project.json("level", "waits.yaml", "--incident", proposal, "--why", "again");
    expect(value).toMatchObject({
      recorded: { what: "other" },
      underWay: [{ run: proposal, level: "L2", status: "paused" }],
    });
    expect((await project.json("resume", proposal)).value).toMatchObject({
      error: { code: "RUN_LEVEL_LOST", exit: 3 },
    });
    expect(await codeOf("cancel", proposal)).toBe(0);
    expect((await project.json("resume", report)).value).not.toMatchObject({ error: { code: "RUN_LEVEL_LOST" } });
  }, 600_000);
});

describe("a loop above its earned level", () => {
  test("L13: is named by doctor, since none of its runs would begin, and not below it", async () => {
    const loops = (level: string): string => `loops:\n  night: { blueprint: tools/x.yaml, level: ${level} }\n`;
    project.write("tools/x.yaml", BLUEPRINT);
    project.write("pawl.yaml", loops("L3"));
    const { stdout, code } = await project.pawl("doctor");
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /fail {2}loop night +pawl\.yaml:2:3 L3 is not earned, and no run of it begins: the earned level is L2\n/,
      ),
    ]);
    project.write("pawl.yaml", loops("L2"));
    expect((await project.pawl("doctor")).stdout).toMatch(/ok {4}loop night +L2/);
    expect((await project.pawl("why", "night")).stdout).toMatch(/^notes +never_ran/);
  }, 600_000);
});

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
  }, 120_000);
});

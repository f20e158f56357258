import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blueprintText, makePipe, ONE_STAGE, pathsBelow, projectFolder } from "../../../test/support/project-folder.ts";
import type { CompileOptions } from "../runtime.ts";
import { compileFile } from "./compile-file.ts";

const compiled = (root: string, path: string, options: CompileOptions = {}) => {
  const nowhere = { value: "/nowhere/policy.yaml", origin: "default" } as const;
  const contextPack = (): Promise<never> => Promise.reject(new Error("no agent is told anything here"));
  return compileFile(root, path, options, {
    ...{ actions: [], policyFiles: { organisation: nowhere, user: nowhere }, contextPack },
  });
};

async function problemsOf(root: string, path: string): Promise<readonly string[]> {
  const { plan } = await compiled(root, path);
  return plan.ok ? [] : plan.problems.map(({ code, where }) => `${code} ${where?.file ?? "-"}:${where?.line ?? 0}`);
}

const GOOD = blueprintText("good", ONE_STAGE);
const runs = (file: string): string => `stages:\n  - { id: child, run: { blueprint: ${file} } }\n`;

describe("compileFile", () => {
  it("gives the plan and the text it was made from, and writes nothing", async () => {
    const root = projectFolder({ "a.yaml": GOOD });
    const { plan, sources } = await compiled(root, "a.yaml");
    expect(plan).toMatchObject({ ok: true, value: { name: "good", level: "L1" } });
    expect(sources).toEqual({ "a.yaml": GOOD });
    expect(pathsBelow(root)).toEqual(["a.yaml"]);
  });

  it("takes level and parameters, and gives the same plan for the same input", async () => {
    const text = blueprintText("good", `params: { to: { type: string } }\n${ONE_STAGE}`);
    const root = projectFolder({ "a.yaml": text });
    const options = { level: "L2", params: { to: "x" } } as const;
    const [one, two] = [await compiled(root, "a.yaml", options), await compiled(root, join(root, "a.yaml"), options)];
    expect(one.plan).toMatchObject({ ok: true, value: { level: "L2", params: { to: "x" } } });
    expect(two.plan).toEqual(one.plan);
    expect((await compiled(root, "a.yaml")).plan.ok).toBe(false);
  });

  it("refuses what is not there, or is not a file", async () => {
    const root = projectFolder();
    mkdirSync(join(root, "folder.yaml"));
    makePipe(join(root, "pipe.yaml"));
    for (const path of ["none.yaml", "folder.yaml", "pipe.yaml", "", "a\0b", "none.yaml/x"]) {
      expect(await problemsOf(root, path), path).toEqual(["BLUEPRINT_FILE_UNREADABLE -:0"]);
    }
  });

  it.runIf(existsSync("/proc/self/mem"))("refuses a file that cannot be read", async () => {
    expect(await problemsOf(projectFolder(), "/proc/self/mem")).toEqual(["BLUEPRINT_FILE_UNREADABLE -:0"]);
  });

  it("refuses a huge file before it reads it, and a large one by its exact limit", async () => {
    const root = projectFolder({
      "huge.yaml": "#".repeat((1 << 20) + 1),
      "large.yaml": `${GOOD}#${"#".repeat(300_000)}`,
    });
    expect(await problemsOf(root, "huge.yaml")).toEqual(["BLUEPRINT_FILE_HUGE -:0"]);
    expect((await compiled(root, "huge.yaml")).sources).toEqual({});
    const large = await problemsOf(root, "large.yaml");
    expect(large).toHaveLength(1);
    expect(large[0]).toMatch(/^BLUEPRINT_\w+ large\.yaml/);
  });

  it("refuses bytes that are not UTF-8", async () => {
    const root = projectFolder({ "a.yaml": Buffer.concat([Buffer.from(GOOD), Buffer.from([0x23, 0xff, 0xfe])]) });
    expect(await problemsOf(root, "a.yaml")).toEqual(["BLUEPRINT_FILE_NOT_TEXT -:0"]);
  });

  it("gives every problem of every file at once, each once and with its own place", async () => {
    const child = blueprintText("child", 'stages:\n  - { id: x, command: ["true"], on_success: nowhere }\n');
    const parent = blueprintText(
      "parent",
      "stages:\n  - { id: one, run: { blueprint: ./child.yaml } }\n  - { id: two, run: { blueprint: ./child.yaml } }\n",
    );
    const root = projectFolder({ "parent.yaml": parent, "child.yaml": child });
    const problems = await problemsOf(root, "parent.yaml");
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/ child\.yaml:5$/);
    expect(Object.keys((await compiled(root, "parent.yaml")).sources).sort()).toEqual(["child.yaml", "parent.yaml"]);
  });
});

describe("child blueprints", () => {
  it("are found relative to the file that names them", async () => {
    const root = projectFolder({
      "loops/parent.yaml": blueprintText("parent", runs("./parts/child.yaml")),
      "loops/parts/child.yaml": blueprintText("child", runs("./leaf.yaml")),
      "loops/parts/leaf.yaml": blueprintText("leaf", ONE_STAGE),
      "parts/child.yaml": blueprintText("decoy", ONE_STAGE),
      "leaf.yaml": blueprintText("decoy", ONE_STAGE),
      "loops/leaf.yaml": blueprintText("decoy", ONE_STAGE),
    });
    const { plan, sources } = await compiled(root, "loops/parent.yaml");
    if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
    expect(plan.value.children.map((child) => child.name)).toEqual(["child"]);
    expect(plan.value.children[0]?.children.map((leaf) => leaf.name)).toEqual(["leaf"]);
    expect(Object.keys(sources)).toEqual(["loops/parent.yaml", "loops/parts/child.yaml", "loops/parts/leaf.yaml"]);
  });

  it("that are missing are reported where they are named", async () => {
    const member =
      "stages:\n  - id: both\n    group:\n      parallel:\n        - { id: c, run: { blueprint: ./none.yaml } }\n";
    const root = projectFolder({
      "a.yaml": blueprintText("a", runs("./none.yaml")),
      "b.yaml": blueprintText("b", member),
    });
    for (const [file, line] of [
      ["a.yaml", 5],
      ["b.yaml", 8],
    ] as const) {
      const problems = await problemsOf(root, file);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toMatch(new RegExp(` ${file}:${line}$`));
    }
  });

  it("that lead back to themselves are refused", async () => {
    const root = projectFolder({
      "a.yaml": blueprintText("a", runs("./b.yaml")),
      "b.yaml": blueprintText("b", runs("./a.yaml")),
      "self.yaml": blueprintText("self", runs("./self.yaml")),
    });
    for (const file of ["a.yaml", "self.yaml"]) expect((await problemsOf(root, file)).length).toBeGreaterThan(0);
  });

  it("that are huge or not text are refused like their parent would be", async () => {
    const root = projectFolder({
      "a.yaml": blueprintText("a", runs("./huge.yaml")),
      "b.yaml": blueprintText("b", runs("./bytes.yaml")),
      "huge.yaml": "#".repeat((1 << 20) + 1),
      "bytes.yaml": Buffer.from([0xff]),
    });
    expect(await problemsOf(root, "a.yaml")).toEqual(["BLUEPRINT_FILE_HUGE -:0"]);
    expect(await problemsOf(root, "b.yaml")).toEqual(["BLUEPRINT_FILE_NOT_TEXT -:0"]);
  });
});

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectFolder } from "../../../../test/support/project-folder.ts";
import { openexecDoor } from "./openexec-door.ts";

const FLOW = ".openexec/blueprints/flow.yaml";
const POLICY = ".openexec/policy.json";
const flowOf = (type: string): string => `name: My_flow\nstages:\n  - { id: a, type: ${type}, commands: [ls] }\n`;

async function codesOf(root: string, text: string): Promise<readonly string[]> {
  const at = { path: join(root, FLOW), shown: FLOW, isFolder: false, text, root };
  const { text: made } = await openexecDoor.read(at);
  return made.ok ? [] : made.problems.map(({ code, where }) => `${code} ${where?.file ?? ""}`.trim());
}

describe("the door of OpenExec", () => {
  it("S1: never takes a policy that is there and cannot be read for none", async () => {
    const root = projectFolder({ [FLOW]: flowOf("deterministic") });
    expect(await codesOf(root, flowOf("deterministic"))).toEqual([]);
    for (const lead of [
      () => symlinkSync("nowhere", join(root, POLICY)),
      () => symlinkSync("policy.json", join(root, POLICY)),
      () => mkdirSync(join(root, POLICY)),
    ]) {
      lead();
      expect(await codesOf(root, flowOf("deterministic"))).toEqual(["BLUEPRINT_FILE_UNREADABLE"]);
      rmSync(join(root, POLICY), { recursive: true });
    }
    expect(await codesOf(root, flowOf("deterministic"))).toEqual([]);
  });

  it("K4: tells the problems of a blueprint and of its project at once", async () => {
    const root = projectFolder({ [POLICY]: '{"default_decision":"allow"}', "openexec.yaml": "quality: []\n" });
    expect(await codesOf(root, flowOf("magic"))).toEqual([
      `BLUEPRINT_VALUE_INVALID ${FLOW}`,
      "BLUEPRINT_VALUE_TYPE openexec.yaml",
      `BLUEPRINT_VALUE_INVALID ${POLICY}`,
    ]);
  });

  it("K4: lists a broken blueprint by its own name, or by that of its file", async () => {
    const broken = ".openexec/blueprints/other.yaml";
    const root = projectFolder({ [FLOW]: flowOf("magic"), [broken]: "name: [" });
    const listed = await openexecDoor.list(root);
    expect(listed.map(({ name, path, problems }) => [name, path, problems.length > 0])).toEqual([
      ["My_flow", FLOW, true],
      ["other", broken, true],
    ]);
  });
});

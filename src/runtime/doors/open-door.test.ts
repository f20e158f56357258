import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { blueprintText, ONE_STAGE, projectFolder } from "../../../test/support/project-folder.ts";
import { failed, ok } from "../../base/result.ts";
import { compileFile } from "../blueprints/compile-file.ts";
import type { Door, DoorAt, LoadDoor } from "./door.ts";
import { doorOf, foreignFiles, openDoor } from "./open-door.ts";

const NATIVE = blueprintText("native", ONE_STAGE);
const MADE = blueprintText("made", ONE_STAGE);

interface Asked {
  readonly load: LoadDoor;
  readonly seen: DoorAt[];
}

/** A door that claims what `claims` says, and notes what it was asked about. */
function door(claims: (at: DoorAt) => boolean, text: Door["read"] | string = MADE): Asked {
  const seen: DoorAt[] = [];
  const made: Door = {
    name: "openexec",
    claims(at) {
      seen.push(at);
      return claims(at);
    },
    read: async (at) =>
      typeof text === "string"
        ? { text: ok(text), origin: { door: "openexec", path: at.shown }, sources: { "other.txt": "x" } }
        : text(at),
    list: async () => [{ path: "a", name: "a", description: null, problems: [], door: "openexec" }],
  };
  return { load: async () => made, seen };
}

function compiled(root: string, path: string, doors: readonly LoadDoor[]) {
  const nowhere = { value: "/nowhere/policy.yaml", origin: "default" } as const;
  const contextPack = (): Promise<never> => Promise.reject(new Error("no agent is told anything here"));
  return compileFile(
    root,
    path,
    {},
    {
      ...{ actions: [], policyFiles: { organisation: nowhere, user: nowhere }, contextPack, doors },
    },
  );
}

describe("doors", () => {
  it("are not asked about a native blueprint, nor about a child that is one", async () => {
    const child = blueprintText("top", "stages:\n  - { id: child, run: { blueprint: ./a.yaml } }\n");
    const root = projectFolder({ "a.yaml": NATIVE, "top.yaml": child });
    const never: LoadDoor = () => Promise.reject(new Error("a door was asked"));
    const { plan, sources } = await compiled(root, "top.yaml", [never]);
    expect(plan).toMatchObject({ ok: true, value: { name: "top" } });
    expect(Object.keys(sources)).toEqual(["top.yaml", "a.yaml"]);
  });

  it("P1: tell a plan that is broken as a text at its place, and never as another format", async () => {
    const told = async (text: string): Promise<unknown> => {
      const root = projectFolder({ "plan.json": text });
      const opened = await openDoor(root, join(root, "plan.json"), text);
      return opened?.text.ok === false
        ? opened.text.problems.map(({ code, where }) => `${code} ${where?.line}:${where?.column}`)
        : opened;
    };
    expect(await told('{"assistant_id":"a","assistant_id":"b","steps":[]}')).toEqual(["BLUEPRINT_KEY_DUPLICATE 1:21"]);
    expect(await told('{"assistant_id":"a","steps":[{"name":"x"},]}')).toEqual(["EXECUTION_PLAN_INVALID 1:1"]);
    expect(await told('{"a":1}')).toBeNull();
  });

  it("give a plan that says where it came from, compiled from the translated text", async () => {
    const root = projectFolder({ "in/plan.json": '{"steps":[]}' });
    const { load, seen } = door(({ text }) => text?.includes("steps") ?? false);
    const { plan, sources } = await compiled(root, "in/plan.json", [load]);
    expect(plan).toMatchObject({
      ok: true,
      value: { name: "made", origin: { door: "openexec", path: "in/plan.json" } },
    });
    expect(sources).toEqual({
      "in/plan.json": '{"steps":[]}',
      "in/plan.json (as a blueprint)": MADE,
      "other.txt": "x",
    });
    const at = {
      path: join(root, "in/plan.json"),
      shown: "in/plan.json",
      isFolder: false,
      options: {},
      text: '{"steps":[]}',
      root,
    };
    expect(seen).toEqual([at]);
  });

  it("open for a folder, whose text finds its files in it, and for a name that is no file", async () => {
    const root = projectFolder({ "work/gate.yaml": "version: 1\ndenylist: [x]\n" });
    const text = blueprintText("made", "stages:\n  - { id: a, gate: { change: { from: gate.yaml } } }\n").replace(
      "directory",
      "clone",
    );
    const { load, seen } = door(({ isFolder, path }) => isFolder || path === "pattern:x", text);
    expect((await compiled(root, "work", [load])).plan).toMatchObject({
      ok: true,
      value: { origin: { door: "openexec", path: "work" } },
    });
    const { plan } = await compiled(root, "pattern:x", [load]);
    expect(plan.ok ? [] : plan.problems.map(({ code }) => code)).toEqual(["GATE_FILE_MISSING"]);
    expect(seen.map(({ path, shown, isFolder }) => [path, shown, isFolder])).toEqual([
      [join(root, "work"), "work", true],
      ["pattern:x", "pattern:x", false],
    ]);
  });

  it("leave the problems of a blueprint as they are when none claims it", async () => {
    const root = projectFolder({ "a.yaml": `${NATIVE}stagess: []\n` });
    const { load, seen } = door(() => false);
    const { plan } = await compiled(root, "a.yaml", [load]);
    expect(plan.ok ? [] : plan.problems.map(({ code }) => code)).toEqual(["BLUEPRINT_KEY_UNKNOWN"]);
    expect(seen).toHaveLength(1);
  });

  it("give their problems, and those that the translated text has", async () => {
    const root = projectFolder({ "a.json": "{}" });
    const refusing = door(
      () => true,
      async ({ shown }) => ({
        text: failed([{ code: "X", what: "w", why: "y", hint: "h", data: {}, retry: "never" } as never]),
        origin: { door: "openexec", path: shown },
        sources: {},
      }),
    );
    const first = await compiled(root, "a.json", [refusing.load]);
    expect(first.plan.ok ? [] : first.plan.problems.map(({ code }) => code)).toEqual(["X"]);
    const wrong = await compiled(root, "a.json", [door(() => true, `${NATIVE}stagess: []\n`).load]);
    expect(wrong.plan.ok ? [] : wrong.plan.problems.map(({ where }) => where?.file)).toEqual([
      "a.json (as a blueprint)",
    ]);
  });

  it("are asked in order, and the first that claims is the one", async () => {
    const root = projectFolder({ "a.json": "{}" });
    const [first, second] = [door(() => false), door(() => true)];
    const third: LoadDoor = () => Promise.reject(new Error("asked too late"));
    expect(await openDoor(root, "a.json", "{}", { doors: [first.load, second.load, third] })).toMatchObject({
      origin: { path: "a.json" },
    });
    expect(await openDoor(root, "a.json", "{}", { doors: [first.load] })).toBeNull();
  });

  it("say whose a folder or a name is, and what the project has of theirs", async () => {
    const root = projectFolder();
    mkdirSync(join(root, "work"));
    const { load } = door(({ isFolder }) => isFolder);
    expect(await doorOf(root, "work", [load])).toBe("openexec");
    expect(await doorOf(root, ".", [load])).toBe("openexec");
    expect(await doorOf(root, "none", [load])).toBeNull();
    expect(await foreignFiles(root, [load, load])).toHaveLength(2);
    expect(await foreignFiles(root, [])).toEqual([]);
  });
});

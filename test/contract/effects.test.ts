/** Runs the contracts of executor, artifacts, actions and clock against their adapters, and what each adapter adds. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createFileActions } from "../../src/adapters/files/actions.ts";
import { createFileArtifacts } from "../../src/adapters/files/artifacts.ts";
import { storeError } from "../../src/adapters/files/store-errors.ts";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { createActions } from "../../src/adapters/system/actions.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { createPolicyGate } from "../../src/adapters/system/policy-gate.ts";
import { randomBytes } from "../../src/adapters/system/random.ts";
import { sha256 } from "../../src/base/digest.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { Action, ActionContext, ActionReport } from "../../src/ports/actions.ts";
import type { Artifacts } from "../../src/ports/artifacts.ts";
import { executorIn, makeFolder, removeFolders } from "../support/process-fixture.ts";
import { actionsContract, contextOf } from "./actions.contract.ts";
import { artifactsContract, MAX_BYTES } from "./artifacts.contract.ts";
import { clockContract } from "./clock.contract.ts";
import { executorContract } from "./executor.contract.ts";

const fileArtifacts = (dir = join(makeFolder(), "artifacts")): Artifacts =>
  createFileArtifacts({ dir, maxBytes: MAX_BYTES });

artifactsContract("files", () => fileArtifacts());
artifactsContract("memory", () => createMemoryArtifacts({ maxBytes: MAX_BYTES }));
actionsContract("files", () => createActions([createFileActions({ root: makeFolder(), artifacts: fileArtifacts() })]));
clockContract("system", () => ({
  clock: createSystemClock(),
  advance: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}));
const executorUnderTest = (root: string, baseEnv: Record<string, string>, redact: (text: string) => string) => {
  const artifacts = createFileArtifacts({ dir: join(makeFolder(), "artifacts"), maxBytes: 3_000_000 });
  return { artifacts, executor: executorIn(root, { artifacts, redact, baseEnv, graceMs: 500 }) };
};
executorContract("process", "danger_full_access", executorUnderTest);
executorContract("process behind a wall", "workspace_write", executorUnderTest);
afterEach(removeFolders);

describe("file artifacts", () => {
  const placeOf = (dir: string, digest: string): string => join(dir, digest.slice(0, 2), digest);

  it("are kept for the owner only, under their digest, and nothing else is left", async () => {
    const dir = join(makeFolder(), "artifacts");
    const { sha256: digest } = await fileArtifacts(dir).put(Buffer.from("x"));
    expect(
      [dir, join(dir, digest.slice(0, 2)), placeOf(dir, digest)].map((path) => statSync(path).mode & 0o777),
    ).toEqual([0o700, 0o700, 0o600]);
    expect(readdirSync(dir)).toEqual([digest.slice(0, 2)]);
  });

  it("are refused when their bytes were changed, cut or replaced by a link, and stored anew by the next put", async () => {
    const dir = join(makeFolder(), "artifacts");
    const bytes = Buffer.from("precious");
    const { sha256: digest } = await fileArtifacts(dir).put(bytes);
    for (const damage of ["preciouz", "prec", ""]) {
      chmodSync(placeOf(dir, digest), 0o600);
      writeFileSync(placeOf(dir, digest), damage);
      await expect(fileArtifacts(dir).get(digest)).rejects.toMatchObject({ code: "ARTIFACT_DAMAGED" });
      await expect(fileArtifacts(dir).copyTo(digest, join(dir, "copy"))).rejects.toMatchObject({
        code: "ARTIFACT_DAMAGED",
      });
      expect(existsSync(join(dir, "copy"))).toBe(false);
      await fileArtifacts(dir).put(bytes);
      expect(Buffer.from(await fileArtifacts(dir).get(digest)).toString()).toBe("precious");
    }
  });

  it("are stored again when someone deleted them", async () => {
    const dir = join(makeFolder(), "artifacts");
    const artifacts = fileArtifacts(dir);
    const { sha256: digest } = await artifacts.put(Buffer.from("x"));
    const other = createFileArtifacts({ dir, maxBytes: MAX_BYTES });
    rmSync(placeOf(dir, digest));
    await expect(other.get(digest)).rejects.toMatchObject({ code: "ARTIFACT_MISSING" });
    await artifacts.put(Buffer.from("x"));
    expect(Buffer.from(await other.get(digest)).toString()).toBe("x");
  });

  it("are not disturbed by what a crash left, and clear it away when it is old", async () => {
    const dir = join(makeFolder(), "artifacts");
    mkdirSync(dir);
    for (const name of [".tmp-1-old", ".tmp-2-new"]) writeFileSync(join(dir, name), "part");
    utimesSync(join(dir, ".tmp-1-old"), new Date(0), new Date(0));
    const { sha256: digest } = await fileArtifacts(dir).put(Buffer.from("x"));
    expect(readdirSync(dir).sort()).toEqual([".tmp-2-new", digest.slice(0, 2)].sort());
  });

  it("name the problem of a store that cannot be written", async () => {
    const file = join(makeFolder(), "file");
    writeFileSync(file, "");
    await expect(fileArtifacts(join(file, "artifacts")).put(Buffer.from("x"))).rejects.toMatchObject({
      code: "ARTIFACT_STORE_FAILED",
    });
  });

  it.runIf(existsSync("/dev/full"))("say when the disk is full", async () => {
    let full: unknown;
    try {
      writeFileSync("/dev/full", "x");
    } catch (error) {
      full = error;
    }
    expect(storeError(full, "/some/dir")).toMatchObject({ code: "ARTIFACT_DISK_FULL" });
  });
});

describe("file actions", () => {
  const artifacts = createMemoryArtifacts({ maxBytes: MAX_BYTES });
  const perform = (
    root: string,
    name: string,
    input: JsonObject,
    change: Partial<ActionContext> = {},
  ): Promise<ActionReport> => {
    const hooksFolders = async (): Promise<readonly string[]> => ["lib/hooks"];
    const action = createFileActions({ root, artifacts, hooksFolders }).find((each) => each.name === name) as Action;
    return action.perform(input, contextOf(change));
  };

  it("write a file, also in new folders, and replace it whole with its mode kept", async () => {
    const root = makeFolder();
    const report = await perform(root, "file.write", { path: "a/b/c.txt", content: "one" });
    expect(report).toEqual({ ok: true, output: { path: "a/b/c.txt", bytes: 3, sha256: sha256("one") } });
    chmodSync(join(root, "a/b/c.txt"), 0o750);
    await perform(root, "file.write", { path: "a/b/../b/c.txt", content: "two" });
    expect(readFileSync(join(root, "a/b/c.txt"), "utf8")).toBe("two");
    expect(statSync(join(root, "a/b/c.txt")).mode & 0o777).toBe(0o750);
    expect(readdirSync(join(root, "a/b"))).toEqual(["c.txt"]);
  });

  it("write an input of the stage", async () => {
    const root = makeFolder();
    const ref = await artifacts.put(Buffer.from([0, 255]));
    expect(
      await perform(root, "file.write", { path: "x", artifact: "scan.log" }, { inputs: { "scan.log": ref } }),
    ).toMatchObject({ ok: true });
    expect([...readFileSync(join(root, "x"))]).toEqual([0, 255]);
    expect(await perform(root, "file.write", { path: "x", artifact: "toString" })).toMatchObject({ ok: false });
  });

  it.each(["../x", "/tmp/x", "link/x", "link/new/x", "link/project/x", "a/../../x", "", ".", "a/", "x\0y", "up"])(
    "write nothing outside the project: %j",
    async (path) => {
      const parent = makeFolder();
      const root = join(parent, "project");
      mkdirSync(root);
      symlinkSync(parent, join(root, "link"));
      symlinkSync(join(parent, "x"), join(root, "up"));
      for (const [action, more] of [
        ["file.write", { content: "x" }],
        ["file.append", { line: "x" }],
      ] as const) {
        expect(await perform(root, action, { path, ...more })).toMatchObject({ ok: false });
      }
      expect(readdirSync(parent)).toEqual(["project"]);
      expect(readdirSync(root).sort()).toEqual(["link", "up"]);
    },
  );

  it.each([
    ...[".pawl/pawl.db", ".git/hooks/pre-commit", ".GIT/config", "inside/config", ".git", ".claude/settings.json"],
    ...["packages/a/.mcp.json", ".husky/pre-commit", ".envrc", "tools/settings.json", "new/.VSCode/tasks.json"],
    ...["lib/hooks/pre-commit", "lib/Hooks", "way/pre-commit"],
  ])("write nothing that is sealed: %s", async (path) => {
    const root = makeFolder();
    mkdirSync(join(root, ".git"));
    mkdirSync(join(root, ".claude"));
    symlinkSync(".git", join(root, "inside"));
    symlinkSync(".claude", join(root, "tools"));
    mkdirSync(join(root, "lib/hooks"), { recursive: true });
    symlinkSync("lib/hooks", join(root, "way"));
    for (const [action, more] of [
      ["file.write", { content: "x" }],
      ["file.append", { line: "x" }],
    ] as const) {
      const report = await perform(root, action, { path, ...more });
      expect(report).toMatchObject({ ok: false, error: expect.stringMatching(/ is sealed: \S+ belongs to git/) });
      expect(report).toMatchObject({ error: expect.stringContaining(path) });
    }
    expect(readdirSync(root, { recursive: true }).sort()).toEqual([
      ...[".claude", ".git", "inside", "lib", "lib/hooks", "tools", "way"],
    ]);
  });

  it("refuse malformed input", async () => {
    const root = makeFolder();
    const bad: [string, JsonObject][] = [
      ["file.write", { path: 1, content: "x" }],
      ["file.write", { path: "x" }],
      ["file.write", { path: "x", content: "x", artifact: "x" }],
      ["file.write", { path: "x", content: { a: 1 } }],
      ["file.append", { path: "x" }],
      ["artifact.save", { name: "x" }],
    ];
    for (const [name, input] of bad) expect(await perform(root, name, input)).toMatchObject({ ok: false });
    expect(readdirSync(root)).toEqual([]);
  });

  it("add a line once per key, however often and however many at once", async () => {
    const root = makeFolder();
    const keys = ["k1", "k2", "k3"];
    const append = createFileActions({ root, artifacts }).find((each) => each.name === "file.append") as Action;
    await Promise.all(
      [...keys, ...keys, ...keys].map((key) =>
        append.perform({ path: "log", line: `line\nof ${key}` }, contextOf({ key })),
      ),
    );
    const records = readFileSync(join(root, "log"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .sort();
    expect(records.map((line) => JSON.parse(line) as unknown)).toEqual(
      keys.map((key) => ({ key, line: `line\nof ${key}` })),
    );
  });

  it("complete a line whose writer was killed at any byte, and change nothing else", async () => {
    const root = makeFolder();
    const before = '{"key":"k0","line":"earlier"}\n';
    const record = '{"key":"k1","line":"grüße"}\n';
    const bytes = Buffer.from(record);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      writeFileSync(join(root, "log"), Buffer.concat([Buffer.from(before), bytes.subarray(0, cut)]));
      utimesSync(join(root, "log"), new Date(0), new Date(0));
      expect(await perform(root, "file.append", { path: "log", line: "grüße" }, { key: "k1" })).toMatchObject({
        ok: true,
      });
      expect(readFileSync(join(root, "log"), "utf8")).toBe(before + record);
    }
  });

  it("keep what someone else wrote without a line end", async () => {
    const root = makeFolder();
    writeFileSync(join(root, "log"), 'note {"key":"k1","line":"x"}');
    utimesSync(join(root, "log"), new Date(0), new Date(0));
    await perform(root, "file.append", { path: "log", line: "x" }, { key: "k1" });
    expect(readFileSync(join(root, "log"), "utf8")).toBe('note {"key":"k1","line":"x"}\n{"key":"k1","line":"x"}\n');
  });

  it("do not take a line that is being written for one that was torn", async () => {
    const root = makeFolder();
    writeFileSync(join(root, "log"), '{"key":"k1","li');
    setTimeout(() => writeFileSync(join(root, "log"), '{"key":"k1","line":"x"}\n'), 60);
    await perform(root, "file.append", { path: "log", line: "y" }, { key: "k2" });
    expect(readFileSync(join(root, "log"), "utf8")).toBe('{"key":"k1","line":"x"}\n{"key":"k2","line":"y"}\n');
  });

  it("save values as artifacts and hand values on", async () => {
    const root = makeFolder();
    const saved = await perform(root, "artifact.save", { name: "note", content: "hello" });
    expect(saved).toEqual({
      ok: true,
      output: { name: "note", sha256: sha256("hello"), bytes: 5 },
      artifacts: { note: { sha256: sha256("hello"), bytes: 5 } },
    });
    expect(await perform(root, "artifact.save", { name: "n", content: { b: 1, a: null } })).toMatchObject({
      output: { sha256: sha256('{"a":null,"b":1}') },
    });
    expect(await perform(root, "artifact.save", { name: "n", content: "x".repeat(MAX_BYTES + 1) })).toMatchObject({
      ok: false,
    });
    expect(await perform(root, "values.set", { a: [1] })).toEqual({ ok: true, output: { a: [1] } });
  });
});

describe("createActions", () => {
  it("refuses two actions of one name", () => {
    const list = createFileActions({ root: "/", artifacts: createMemoryArtifacts({ maxBytes: 1 }) });
    expect(() => createActions([list, list.slice(0, 1)])).toThrow(
      expect.objectContaining({ code: "ACTION_NAME_TAKEN" }),
    );
  });
});

describe("policy gate", () => {
  it("passes on what the rules decide, and denies when they cannot be evaluated", () => {
    const gate = createPolicyGate();
    const rule = { id: "r", effect: "allow", pattern: { run: ["npm", "test"] } } as const;
    expect(gate.decide([rule], { kind: "run", argv: ["npm", "test"] })).toMatchObject({ effect: "allow", rule: "r" });
    expect(gate.decide([null as never], { kind: "run", argv: ["npm", "test"] })).toMatchObject({
      effect: "deny",
      rule: "default",
    });
  });
});

describe("randomBytes", () => {
  it("gives as many bytes as asked for, different each time", () => {
    expect(randomBytes(12)).toHaveLength(12);
    expect(sha256(randomBytes(32))).not.toBe(sha256(randomBytes(32)));
  });
});

/** What a process may not write in its workspace because other programs obey it, and what happens when a wall cannot be had now. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { hooksFolders } from "../../src/adapters/git/project/hooks-folders.ts";
import { NESTED_LIMITS, nestedSeals } from "../../src/adapters/process/nested-seals.ts";
import { createBlankFiles } from "../../src/adapters/sandbox/places/blank-file.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { commitFiles, git } from "../support/git-project.ts";
import { executorIn, makeFolder, removeFolders, SANDBOX, shell, wallOf } from "../support/process-fixture.ts";
import { bubblewrap, programOf, runScript } from "../support/sandbox-fixture.ts";

afterEach(removeFolders);

const WRITE = wallOf("workspace_write");
const ALIVE = new AbortController().signal;
const PATH = process.env["PATH"] ?? "";

function fill(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe("configuration below the top of a workspace", () => {
  const FILES = {
    "packages/a/.claude/settings.json": "theirs",
    "packages/a/src/x.ts": "x",
    "packages/b/.mcp.json": "theirs",
    "a/b/c/d/e/.vscode/tasks.json": "theirs",
    "a/b/c/d/e/f/.vscode/tasks.json": "too deep",
    "node_modules/it/.claude/settings.json": "passed by",
    ".claude/settings.json": "at the top",
    "lib/.git/config": "a repository of its own",
  };

  it("is found where it is, nearest first, and not beyond the limits", () => {
    const folder = fill(makeFolder(), FILES);
    symlinkSync(folder, join(folder, "packages/loop"));
    expect(nestedSeals(folder)).toEqual(["packages/a/.claude", "packages/b/.mcp.json", "a/b/c/d/e/.vscode"]);
    const many = makeFolder();
    for (let at = 0; at < NESTED_LIMITS.found + 5; at += 1) mkdirSync(join(many, `p${at}/.idea`), { recursive: true });
    mkdirSync(join(many, "x".repeat(NESTED_LIMITS.pathLength), ".idea"), { recursive: true });
    expect(nestedSeals(many)).toHaveLength(NESTED_LIMITS.found);
    expect(nestedSeals(join(many, "missing"))).toEqual([]);
    chmodSync(many, 0o000);
    expect(nestedSeals(many).length).toBeLessThanOrEqual(NESTED_LIMITS.found);
    chmodSync(many, 0o700);
  });

  it("stays as it is when it was there, and what is beside it can be written", async () => {
    const folder = fill(makeFolder(), FILES);
    const script = `
      for path in packages/a/.claude packages/a/.claude/settings.json packages/b/.mcp.json a/b/c/d/e/.vscode; do
        (echo evil >$path; echo evil >$path/evil; rm -rf $path; mv $path moved) 2>/dev/null
      done
      mv packages/a packages/away 2>/dev/null && echo moved
      echo new >packages/a/src/x.ts && mkdir packages/c && mkdir packages/c/.claude && echo free`;
    const request = shell(script, { folder, wall: WRITE, capture: "text" });
    const report = await executorIn(makeFolder()).execute(request, ALIVE, () => undefined);
    expect(report).toMatchObject({ cause: "ok", output: "free" });
    for (const path of ["packages/a/.claude/settings.json", "packages/b/.mcp.json", "a/b/c/d/e/.vscode/tasks.json"])
      expect(readFileSync(join(folder, path), "utf8")).toBe("theirs");
    expect(readFileSync(join(folder, "packages/a/src/x.ts"), "utf8")).toBe("new\n");
  });
});

describe("the hooks of the user's git", () => {
  it.each([
    [".githooks", [".githooks"]],
    ["tools/hooks", ["tools/hooks"]],
    ["web/.husky/_", ["web/.husky"]],
    ["<root>/tools/hooks", ["tools/hooks"]],
    ["/elsewhere/hooks", []],
    ["../hooks", []],
    ["", []],
  ])("are looked for where the configuration says: %s", async (named, found) => {
    const root = makeFolder();
    commitFiles(root, { "file.txt": "x" });
    if (named !== "") git(root, "config", "core.hooksPath", named.replace("<root>", root));
    expect(await hooksFolders({ root, path: PATH })).toEqual(found);
    expect(await hooksFolders({ root: makeFolder(), path: PATH })).toEqual([]);
    expect(await hooksFolders({ root, path: PATH, gitProgram: "/no/such/git" })).toEqual([]);
  });

  it("cannot be written by a stage of a run, wherever they are", async () => {
    const root = makeFolder();
    const blueprint = [
      "version: 1",
      "name: hooks",
      'policy: { allow: [{ shell: "**" }] }',
      "stages:",
      "  - id: write",
      "    command: >-",
      "      for path in tools/hooks/pre-commit .husky/pre-commit .githooks/pre-commit; do",
      '      mkdir -p "$(dirname $path)"; echo evil >$path; rm -f $path; done; echo ok >tools/free',
      "",
    ].join("\n");
    commitFiles(root, { "tools/hooks/pre-commit": "theirs", ".husky/pre-commit": "theirs", "hooks.yaml": blueprint });
    git(root, "config", "core.hooksPath", "tools/hooks");
    const runtime = await openRuntime({ root });
    try {
      const { plan } = await runtime.compile(join(root, "hooks.yaml"), {});
      if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
      const hosted = await runtime.start(plan.value);
      expect((await hosted.ended).status).toBe("succeeded");
      const { base, last } = await runtime.trees(hosted.run);
      const { files } = await runtime.diff(base, last);
      expect(files.map(({ status, path }) => `${status} ${path}`)).toEqual(["added tools/free"]);
    } finally {
      await runtime.close();
    }
  });

  it.each([
    ["", "tools/hooks", 3],
    ["web", "web/tools/hooks", 3],
    ["web", "other/hooks", 1],
  ])("cannot be written by an action of a run either: of the project '%s' in %s", async (project, hooks, refusals) => {
    const top = makeFolder();
    const root = join(top, project);
    const path = `${hooks}/pre-commit`;
    const patch = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+evil\n`;
    const blueprint = [
      "version: 1",
      "name: it",
      "policy: { allow: [{ action: file.* }, { action: apply_patch }] }",
      "stages:",
      "  - { id: write, action: file.write, with: { path: tools/hooks/x/y, content: evil }, on_failure: append }",
      "  - { id: append, action: file.append, with: { path: tools/hooks/z, line: evil }, on_failure: patch }",
      `  - { id: patch, action: apply_patch, with: { patch: ${JSON.stringify(patch)} }, on_failure: free }`,
      "  - { id: free, action: file.write, with: { path: tools/free, content: fine } }",
      "",
    ];
    commitFiles(top, { [posix.join(project, "it.yaml")]: blueprint.join("\n") });
    git(top, "config", "core.hooksPath", hooks);
    const runtime = await openRuntime({ root });
    try {
      const { plan } = await runtime.compile(join(root, "it.yaml"), {});
      if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
      const { run, ended } = await runtime.start(plan.value);
      expect((await ended).status).toBe("succeeded");
      const events = await runtime.read(run, 0, 100);
      const errors = events.flatMap(({ event }) => (event.type === "stage.finished" && event.error) || []);
      expect(errors).toEqual(Array.from({ length: refusals }, () => expect.stringContaining("is sealed: ")));
      expect(readdirSync(join(root, "tools")).includes("hooks")).toBe(refusals === 1);
    } finally {
      await runtime.close();
    }
  });
});

describe("an empty file that is shown for one that is missing", () => {
  it("is the same one every time, and never one that somebody else made or filled", () => {
    const folder = makeFolder();
    const next = createBlankFiles(folder);
    const usual = next().path;
    expect([next().path, createBlankFiles(folder)().path]).toEqual([usual, usual]);
    chmodSync(usual, 0o600);
    writeFileSync(usual, "filled");
    const other = next().path;
    expect(other).not.toBe(usual);
    expect([next().path, readFileSync(other, "utf8")]).toEqual([other, ""]);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(() => createBlankFiles(join(folder, "missing"))()).toThrow("ENOENT");
  });
});

describe("a wall that cannot be had now", () => {
  const EAGAIN = "bwrap: Creating new namespace failed: Resource temporarily unavailable";
  const starved = (version: string): string => {
    const program = join(makeFolder(), "bwrap");
    writeFileSync(program, `#!/bin/sh\n${version}\necho '${EAGAIN}' >&2\nexit 1\n`, { mode: 0o755 });
    return program;
  };

  it("is told as what it is, and is tried again", async () => {
    const sandbox = bubblewrap({ program: starved('[ "$1" = --version ] && { echo bubblewrap 0.8.0; exit 0; }') });
    expect(await sandbox.check()).toMatchObject({ hint: expect.stringContaining("Wait until this machine") });
    await expect(sandbox.enclose(programOf(["true"]))).rejects.toMatchObject({
      code: "SANDBOX_STARVED",
      message: "The sandbox cannot be built now: there are too many processes (EAGAIN).",
      problems: [{ retry: "safe" }],
    });
    const report = await executorIn(makeFolder(), { sandbox }).execute(
      shell("true", { wall: WRITE }),
      ALIVE,
      () => undefined,
    );
    expect(report).toMatchObject({ cause: "resource", error: expect.stringContaining("too many processes (EAGAIN)") });
  });

  it("is told so too when only its start fails", async () => {
    const sandbox = {
      ...SANDBOX,
      enclose: async () => ({
        argv: ["/bin/sh", "-c", `echo '${EAGAIN}' >&2; exit 1`],
        env: {},
        close: async () => [],
      }),
    };
    const report = await executorIn(makeFolder(), { sandbox }).execute(
      shell("true", { wall: WRITE }),
      ALIVE,
      () => undefined,
    );
    expect(report).toMatchObject({
      cause: "resource",
      error: "sh could not be started: there are too many processes (EAGAIN)",
    });
  });

  it("is told so when this process itself has no descriptor left", () => {
    const host = ["--import", "tsx", "test/support/sandbox-host.ts", "/bin/true"];
    const told = execFileSync("/bin/sh", ["-c", 'ulimit -n 40; exec "$0" "$@"', process.execPath, ...host], {
      encoding: "utf8",
      env: { PATH, STARVED: "1" },
    });
    expect(JSON.parse(told)).toMatchObject({ came: { code: "SANDBOX_STARVED" } });
  });
});

describe("the limits of every wall", () => {
  it("keep the number of open files, whatever this machine allows, and keep a lower one", async () => {
    const { stdout } = await runScript(SANDBOX, makeFolder(), "ulimit -Hn; ulimit -n 16385 2>/dev/null || echo kept");
    expect(stdout).toBe(`${Math.min(16_384, openFilesAllowed())}\nkept\n`);
    const script = 'ulimit -n 500; exec "$0" "$@"';
    const host = ["--import", "tsx", "test/support/sandbox-host.ts", "/bin/sh", "-c", "ulimit -Hn"];
    const told = execFileSync("/bin/sh", ["-c", script, process.execPath, ...host], {
      encoding: "utf8",
      env: { PATH },
    });
    expect(JSON.parse(told)).toMatchObject({ came: { code: 0, stdout: "500\n" } });
  });
});

function openFilesAllowed(): number {
  return Number(/^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
}

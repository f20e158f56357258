/** What the executor asks of a wall, and what it does when the wall does not stand. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { createMemoryArtifacts } from "../../src/adapters/memory/artifacts.ts";
import { sealedPaths } from "../../src/adapters/process/sealed-paths.ts";
import { pawlError } from "../../src/base/errors.ts";
import { SANDBOX_ERRORS } from "../../src/ports/errors/sandbox-errors.ts";
import type { ProcessReport, ProcessRequest } from "../../src/ports/executor.ts";
import type { EnclosedProgram, Enclosure, Sandbox } from "../../src/ports/sandbox.ts";
import {
  executorIn,
  makeFolder,
  processesWith,
  RUN,
  removeFolders,
  requestOf,
  SANDBOX,
  shell,
  wallOf,
} from "../support/process-fixture.ts";

afterEach(removeFolders);

const WRITE = wallOf("workspace_write");

interface Recorded extends Sandbox {
  readonly asked: EnclosedProgram[];
  closed: number;
}

/** A sandbox that is given as the process it starts; it counts what was asked of it. */
function sandboxOf(enclose: (program: EnclosedProgram) => Promise<Enclosure>): Recorded {
  const sandbox: Recorded = {
    asked: [],
    closed: 0,
    check: SANDBOX.check,
    enclose: async (program) => {
      sandbox.asked.push(program);
      const { argv, env, close } = await enclose(program);
      return {
        argv,
        env,
        close: () => {
          sandbox.closed += 1;
          return close();
        },
      };
    },
  };
  return sandbox;
}

const started = (argv: readonly string[]): Recorded =>
  sandboxOf(async ({ key }) => ({
    argv,
    env: { PAWL_KEY: key, PATH: "/usr/bin:/bin" },
    close: async () => [{ host: "evil.test", port: 443, why: "not listed", times: 2 }],
  }));

const run = (
  request: ProcessRequest,
  sandbox: Sandbox,
  root = makeFolder(),
  change: Parameters<typeof executorIn>[1] = {},
): Promise<ProcessReport> =>
  executorIn(root, { sandbox, ...change }).execute(request, new AbortController().signal, () => undefined);

describe("a wall", () => {
  it("is asked for with the workspace, the mounts, the inputs, the seals and little of the environment", async () => {
    const root = makeFolder();
    const folder = makeFolder();
    mkdirSync(join(folder, "a/b"), { recursive: true });
    const artifacts = createMemoryArtifacts({ maxBytes: 1000 });
    const ref = await artifacts.put(Buffer.from("x"));
    const sandbox = sandboxOf((program) => SANDBOX.enclose(program));
    const request = shell("cat $PAWL_INPUT_A_LOG", {
      ...{ folder, cwd: "a/b", inputs: { "a.log": ref }, env: { MINE: "1", PATH: "/evil" } },
      mounts: [{ from: root, to: "/run/pawl/objects", access: "read" }],
      wall: { ...wallOf("workspace_write", { fileBytes: 5000 }), network: [] },
      capture: "text",
    });
    const baseEnv = { PATH: "/usr/bin:/bin", HOME: "/root", USER: "me", LANG: "C.UTF-8", LC_ALL: "C", TZ: "UTC" };
    const report = await run(request, sandbox, root, { artifacts, baseEnv });
    expect(report).toMatchObject({ cause: "ok", output: "x" });
    expect(sandbox.asked).toEqual([
      {
        key: request.key,
        argv: request.argv,
        env: {
          ...{ LANG: "C.UTF-8", LC_ALL: "C", TZ: "UTC", MINE: "1", PATH: "/evil", PAWL_RUN: RUN, PAWL_STAGE: "build" },
          ...{
            PAWL_ATTEMPT: "1",
            PAWL_PORT_BASE: expect.stringMatching(/^\d{5}$/),
            PAWL_KEY: request.key,
            PAWL_INPUT_A_LOG: "/run/pawl/inputs/0-a.log",
          },
        },
        cwd: "/workspace/a/b",
        mounts: [
          { from: folder, to: "/workspace", access: "write", keepsPlaces: true },
          { from: root, to: "/run/pawl/objects", access: "read" },
          { from: expect.stringContaining(join(root, "temp/in-")), to: "/run/pawl/inputs", access: "read" },
        ],
        sealed: sealedPaths("workspace_write", false).map((path) => `/workspace/${path}`),
        network: [],
        fileBytes: 5000,
      },
    ]);
    expect(sandbox.closed).toBe(1);
  });

  it.each(["read_only", "workspace_write"] as const)(
    "with %s around the project itself does not show the state of a project below it",
    async (mode) => {
      const root = makeFolder();
      for (const folder of ["web/.pawl", "packages/a/.pawl"]) {
        mkdirSync(join(root, folder), { recursive: true });
        writeFileSync(join(root, folder, "pawl.db"), "theirs");
      }
      symlinkSync("../web/.pawl", join(root, "packages/.pawl"));
      const script =
        "cat web/.pawl/* packages/.pawl/* packages/a/.pawl/* 2>/dev/null; ls -d web/.pawl; touch web/.pawl/x || echo sealed";
      const report = await run(shell(script, { wall: wallOf(mode), capture: "lines" }), SANDBOX, root);
      expect(report.output).toEqual(["web/.pawl", "sealed"]);
      expect(readFileSync(join(root, "web/.pawl/pawl.db"), "utf8")).toBe("theirs");
    },
  );

  it("around the project itself shows it read-only, without our state", async () => {
    const root = makeFolder();
    mkdirSync(join(root, ".pawl"));
    writeFileSync(join(root, ".pawl/pawl.db"), "journal");
    writeFileSync(join(root, "file"), "theirs");
    const script = "cat file; ls -A .pawl; touch new || echo kept; touch .pawl/x || echo sealed";
    const report = await run(shell(script, { wall: wallOf("read_only"), capture: "lines" }), SANDBOX, root);
    expect(report.output).toEqual(["theirskept", "sealed"]);
    const write = await run(shell(`${script}; rm -rf .pawl; ls -A .pawl`, { wall: WRITE }), SANDBOX, root);
    expect(write.cause).toBe("ok");
    expect(readFileSync(join(root, ".pawl/pawl.db"), "utf8")).toBe("journal");
  });

  it.each(["workspace_write", "repo_write"] as const)("in %s seals what other programs obey", async (mode) => {
    const folder = makeFolder();
    for (const path of [".git/hooks", ".git/objects", ".claude"]) mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, ".git/config"), "[core]\n");
    const paths = [...sealedPaths(mode, true), ".git/hooks/pre-commit", ".claude/settings.json", ".vscode/tasks.json"];
    const script =
      'for p in "$@"; do (mkdir -p "$p"; echo x > "$p"; echo x > "$p/x"; rm -rf "$p"; mv "$p" y) 2>/dev/null; done';
    await run(requestOf(["/bin/sh", "-c", script, "sh", ...paths], { folder, wall: wallOf(mode) }), SANDBOX);
    expect(readFileSync(join(folder, ".git/config"), "utf8")).toBe("[core]\n");
    expect(
      [".git/hooks/pre-commit", ".claude/settings.json", ".vscode/tasks.json", ".mcp.json"].filter((path) =>
        existsSync(join(folder, path)),
      ),
    ).toEqual([]);
    // The folder is a workspace of ours: what stood for a missing folder may stay, empty.
    expect(readdirSync(join(folder, ".vscode"))).toEqual([]);
    const commit = await run(shell("touch .git/index", { folder, wall: wallOf(mode) }), SANDBOX);
    expect(commit.cause).toBe(mode === "repo_write" ? "ok" : "exit");
  });

  it("of a linked worktree seals the file that stands for its repository", () => {
    expect(sealedPaths("repo_write", false)).toContain(".git");
    expect(sealedPaths("repo_write", true)).not.toContain(".git");
    expect(sealedPaths("read_only", true)).toEqual([]);
  });

  it("passes on the hosts that were refused", async () => {
    const report = await run(shell("true", { wall: WRITE }), started(["/bin/sh", "-c", "printf . >&3; read x <&3"]));
    expect(report).toMatchObject({
      cause: "ok",
      refused: [{ host: "evil.test", port: 443, why: "not listed", times: 2 }],
    });
  });
});

describe("without a wall nothing runs:", () => {
  it("a sandbox that is not available", async () => {
    const hint = "Install bubblewrap.";
    const sandbox = sandboxOf(() =>
      Promise.reject(pawlError(SANDBOX_ERRORS, "SANDBOX_UNAVAILABLE", { missing: "there is no bwrap", hint })),
    );
    const root = makeFolder();
    expect(await run(shell("touch ran", { wall: WRITE }), sandbox, root)).toMatchObject({
      cause: "spawn_error",
      error: "sh could not be started: This machine cannot build the sandbox: there is no bwrap",
    });
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  it("a defect of the sandbox", async () => {
    const sandbox = sandboxOf(() => Promise.reject(new TypeError("defect")));
    await expect(run(shell("true", { wall: WRITE }), sandbox)).rejects.toThrow("defect");
  });

  it.each([
    ["ends at once and says why", ["/bin/sh", "-c", "echo 'bwrap: no namespaces' >&2; exit 1"], "bwrap: no namespaces"],
    ["ends at once without a word", ["/bin/sh", "-c", "exit 4"], "the sandbox could not be built (code 4)"],
    ["says 127 before it stands", ["/bin/sh", "-c", "exit 127"], "the sandbox could not be built (code 127)"],
    ["is killed", ["/bin/sh", "-c", "kill -9 $$"], "the sandbox could not be built"],
    ["is not there", ["/no/such/bwrap"], "no such program on PATH"],
  ])("a wall that %s", async (_, argv, why) => {
    const sandbox = started(argv);
    const report = await run(shell("true", { wall: WRITE }), sandbox);
    expect(report).toMatchObject({
      cause: "spawn_error",
      error: expect.stringContaining(`sh could not be started: ${why}`),
    });
    expect(sandbox.closed).toBe(1);
  });

  it("a wall that hangs is ended with its stage", async () => {
    const sandbox = started(["/bin/sh", "-c", "sleep 317.1"]);
    const report = await run(shell("true", { wall: WRITE, timeoutMs: 300 }), sandbox);
    expect(report.cause).toBe("timeout");
    expect(processesWith("317.1")).toEqual([]);
    expect(sandbox.closed).toBe(1);
  });

  it("a wall that never stands is given up", async () => {
    const sandbox = started(["/bin/sleep", "317.2"]);
    const report = await run(shell("true", { wall: WRITE }), sandbox, makeFolder(), { readyMs: 200 });
    expect(report).toMatchObject({ cause: "spawn_error", error: expect.stringContaining("not ready within 200ms") });
    expect(processesWith("317.2")).toEqual([]);
  });

  it("a stage that is ended before its wall stands does not begin", async () => {
    const root = makeFolder();
    const control = new AbortController();
    const script = "sleep 0.1; printf . >&3; read x <&3 && touch ran";
    const executor = executorIn(root, { sandbox: started(["/bin/sh", "-c", `cd ${root}; ${script}`]) });
    setTimeout(() => control.abort(), 30);
    const report = await executor.execute(shell("true", { wall: WRITE }), control.signal, () => undefined);
    expect(report.cause).toBe("killed");
    expect(existsSync(join(root, "ran"))).toBe(false);
  });
});

describe("behind a wall", () => {
  const TREE = resolve("test/support/stubborn-tree.sh");

  it.each([
    ["ended well", { timeoutMs: 20_000 }, "ok"],
    ["took too long", { timeoutMs: 700 }, "timeout"],
    ["was stuck", { stallMs: 500 }, "stall"],
    ["took too much memory", { wall: wallOf("workspace_write", { memoryBytes: 100 << 10 }) }, "oom"],
  ] as const)("nothing is left of a stage that %s", async (_, change, cause) => {
    const script = readFileSync(TREE, "utf8").replaceAll("307", "318.1") + (cause === "ok" ? "" : "\nwait; sleep 60");
    const text = cause === "ok" ? script.replace(/^wait$/m, "exit 0") : script;
    const report = await run(requestOf(["/bin/sh", "-c", text], { wall: WRITE, ...change }), SANDBOX);
    expect(report.cause).toBe(cause);
    expect(processesWith("318.1")).toEqual([]);
  });

  it("a program gets no descriptor of ours but its output, and cannot see who started it", async () => {
    const report = await run(
      shell("ls /proc/self/fd; ls /proc | grep -c '^[0-9]'", { wall: WRITE, capture: "lines" }),
      SANDBOX,
    );
    expect((report.output as string[]).slice(0, 3)).toEqual(["0", "1", "2"]);
    expect(Number((report.output as string[]).at(-1))).toBeLessThan(7);
  });

  it("an output that is a link out of the workspace is not followed by us", async () => {
    const root = makeFolder();
    writeFileSync(join(root, "secret"), "s3cret");
    const folder = join(root, "tree");
    mkdirSync(folder);
    symlinkSync(root, join(folder, "up"));
    for (const path of ["up/secret", "up/../secret", "../secret", "link"]) {
      const request = shell("ln -sf ../secret link", { folder, wall: WRITE, outputs: [{ name: "x", path }] });
      expect(await run(request, SANDBOX, root)).toMatchObject({ cause: "invalid_output", artifacts: {} });
    }
  });
});

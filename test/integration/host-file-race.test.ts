/**
 * Paths that a stage could influence are exchanged with links to the outside while the host works with them: nothing
 * outside is read, written or removed, and nothing that is no file makes the host wait.
 */
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { createFileActions } from "../../src/adapters/files/actions.ts";
import { createFileArtifacts } from "../../src/adapters/files/artifacts.ts";
import { createFileHeartbeats } from "../../src/adapters/files/heartbeats.ts";
import { liveLogPath, readLiveLog } from "../../src/adapters/process/output/live-log.ts";
import { isPawlError } from "../../src/base/errors.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { ActionContext } from "../../src/ports/actions.ts";
import type { ProcessReport } from "../../src/ports/executor.ts";
import { commitFiles, LABEL, placeOf, vaultOf, workspacesAt } from "../support/git-project.ts";
import { createOutside, OUTSIDE_TEXT, type Outside, startRacer } from "../support/hostile/race.ts";
import { executorIn, makeFolder, RUN, removeFolders, requestOf, shell, wallOf } from "../support/process-fixture.ts";
import { slowness } from "../support/slowness.ts";
import { benchOf } from "../support/tools/toolbox-fixture.ts";

const RACE_MS = process.env["PAWL_FULL"] === "1" ? 60_000 : 1500;
const PATIENCE_MS = 1000;
/** Git in the cell of a workspace may open a pipe: it is ended then, the pipe removed, and the look repeated. */
const LONGEST_SAVE_MS = 8000;
const ALIVE = new AbortController().signal;
const figures: string[] = [];

afterAll(() => {
  removeFolders();
  process.stderr.write(`${figures.join("\n")}\n0 reads, writes or removals outside\n`);
});

/** Works again and again while the folders are raced. `work` resolves to whether it came through. */
async function race(
  name: string,
  outside: Outside,
  paths: readonly string[],
  work: (time: number) => Promise<boolean>,
): Promise<void> {
  const racer = await startRacer(outside, ...paths);
  const counts = { done: 0, refused: 0 };
  let swaps = 0;
  try {
    const until = performance.now() + RACE_MS;
    for (let time = 0; performance.now() < until; time += 1) counts[(await work(time)) ? "done" : "refused"] += 1;
  } finally {
    swaps = await racer.stop();
  }
  expect(outside.changes()).toEqual([]);
  expect(swaps).toBeGreaterThan(0);
  figures.push(`${name}: ${swaps} swaps, ${counts.done} tries done, ${counts.refused} refused`);
}

function arena(): { readonly root: string; readonly outside: Outside } {
  return { root: makeFolder(), outside: createOutside(makeFolder()) };
}

function storeIn(folder: string) {
  return createFileArtifacts({ dir: join(folder, "artifacts"), maxBytes: 1 << 20 });
}

describe("a path that is exchanged with a link to the outside", () => {
  it("leads whoever looks first and opens then to the outside, so the race is a race", async () => {
    const { root, outside } = arena();
    let misled = 0;
    await race("a careless reader", outside, [join(root, "sub")], async () => {
      const text = readCarelessly(join(root, "sub"));
      if (text?.includes(OUTSIDE_TEXT) === true) misled += 1;
      return text !== undefined;
    });
    figures.push(`a careless reader was led outside ${misled} times`);
    expect(misled).toBeGreaterThan(0);
  });

  it.for([
    ["danger_full_access", "."],
    ["workspace_write", "."],
    ["workspace_write", "sub"],
  ] as const)("is never followed for an output of a process with %s that works in %s", async ([mode, cwd]) => {
    const { root, outside } = arena();
    const state = makeFolder();
    const artifacts = storeIn(state);
    const executor = executorIn(root, { artifacts, tempDir: join(state, "temp"), logsDir: join(state, "logs") });
    const path = cwd === "." ? "sub/file.txt" : "file.txt";
    await race(`output in ${cwd} with ${mode}`, outside, [join(root, "sub")], async () => {
      const request = requestOf(["/bin/true"], { cwd, wall: wallOf(mode), outputs: [{ name: "it", path }] });
      const report = await executor.execute(request, ALIVE, () => undefined);
      expect(["ok", "invalid_output", "spawn_error"], JSON.stringify(report)).toContain(report.cause);
      const ref = report.artifacts["it"];
      if (ref !== undefined) expect(Buffer.from(await artifacts.get(ref.sha256)).toString()).not.toContain("outside");
      return ref !== undefined;
    });
  });

  it.for(["workspace_write", "repo_write"] as const)(
    "is never followed for the places that a wall with %s seals",
    async (mode) => {
      const { root, outside } = arena();
      const executor = executorIn(root, { tempDir: join(makeFolder(), "temp"), logsDir: join(makeFolder(), "logs") });
      const raced = ["sub", ".claude", ".vscode", ".git"].map((name) => join(root, name));
      await race(`sealed places with ${mode}`, outside, raced, async () => {
        const request = shell(
          "echo evil >.claude/evil; echo evil >sub/evil; echo evil >.git/evil; cat sub/file.txt .claude/file.txt .git/file.txt; true",
          {
            wall: wallOf(mode),
            capture: "text",
          },
        );
        const report = await executor.execute(request, ALIVE, () => undefined);
        expect(String(report.output)).not.toContain("outside");
        return report.cause === "ok";
      });
    },
  );

  it.for(["file.write", "file.append"])("is never followed by %s", async (name) => {
    const { root, outside } = arena();
    const action = createFileActions({ root, artifacts: storeIn(makeFolder()) }).find((each) => each.name === name);
    await race(name, outside, [join(root, "sub")], async (time) => {
      const path = ["sub/file.txt", "sub/new/deeper.txt", `sub/${time % 50}.txt`][time % 3] ?? "";
      const report = await action?.perform(inputOf(name, path), contextOf(time));
      return report?.ok === true;
    });
  });

  it.for([
    ["read_file", { path: "sub/file.txt" }],
    ["cite", { path: "sub/file.txt", quote: "i" }],
    ["grep", { pattern: "." }],
    ["list_directory", { path: "sub" }],
    ["write_file", { path: "sub/new/deeper.txt", content: "written" }],
    ["edit_file", { path: "sub/file.txt", old_text: "i", new_text: "ii", all: true }],
    ["apply_patch", { patch: "--- /dev/null\n+++ b/sub/patched.txt\n@@ -0,0 +1 @@\n+written\n" }],
  ] as const)("is never followed by the tool %s", async ([name, input]) => {
    const { root, outside } = arena();
    const { call } = benchOf({ root });
    await race(name, outside, [join(root, "sub")], async () => {
      const outcome = await call(name, input);
      expect(JSON.stringify(outcome)).not.toContain(OUTSIDE_TEXT);
      if (name === "list_directory") expect(JSON.stringify(outcome)).not.toContain("config");
      return outcome.status === "success";
    });
  });

  it("is never followed when a workspace is saved, restored and removed, nor by gc", async () => {
    const { root, outside } = arena();
    commitFiles(root, { "sub/file.txt": "inside\n", "deep/sub/file.txt": "inside\n" });
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(placeOf().spec, 0);
    const place = placeOf();
    const { folder } = await workspaces.enter(place, base, LABEL);
    const raced = [join(folder, "sub"), join(folder, "deep/sub")];
    await race("workspace restore and save", outside, raced, async () =>
      cameThrough(async () => (await workspaces.enter(place, base, LABEL)).save(LABEL)),
    );
    const gone = { known: async () => "ended" as const, before: 0, at: 1, dryRun: false };
    for (const how of ["remove", "gc"] as const) await raceRemovals(how);
    expect(everyObjectOf(root)).not.toContain(OUTSIDE_TEXT);
    await workspaces.leave(place.run, 1);
    await workspaces.sweep(gone);
    expect(readdirSync(join(root, ".pawl/workspaces"))).toEqual([]);

    async function raceRemovals(how: "remove" | "gc"): Promise<void> {
      const until = performance.now() + RACE_MS;
      let tries = 0;
      let swaps = 0;
      for (; performance.now() < until; tries += 1) {
        const other = placeOf();
        const made = await workspaces.enter(other, base, LABEL);
        const racer = await startRacer(outside, join(made.folder, "sub"), join(made.folder, "deep/sub"));
        await cameThrough(() => (how === "remove" ? made.remove(LABEL) : workspaces.sweep(gone)));
        swaps += await racer.stop();
        await workspaces.leave(other.run, 1);
        expect(outside.changes()).toEqual([]);
      }
      figures.push(`workspace ${how}: ${swaps} swaps, ${tries} tries`);
    }
  });

  it("cannot be made of inputs, live logs or heartbeats by a racer behind the wall", async () => {
    const { root, outside } = arena();
    const state = join(root, ".pawl");
    const artifacts = storeIn(state);
    const input = await artifacts.put(Buffer.from("inside\n"));
    const heartbeats = createFileHeartbeats({ dir: join(state, "heartbeats"), delayMs: 1 });
    const folders = { tempDir: join(state, "tmp"), logsDir: join(state, "logs") };
    const executor = executorIn(root, { ...folders, stateDir: state, artifacts, heartbeats });
    const script = readFileSync(join(import.meta.dirname, "../support/hostile/swap.pl"), "utf8");
    writeFileSync(join(root, "swap.pl"), script);
    const until = performance.now() + RACE_MS;
    let tries = 0;
    let swaps = 0;
    const racing = `timeout 0.2 perl swap.pl ${outside.folder} ./sub /tmp/sub /run/pawl/inputs/sub .pawl/sub; cat "$PAWL_INPUT_IT"; ls -A .pawl`;
    for (; performance.now() < until; tries += 1) {
      const request = shell(racing, { wall: wallOf("workspace_write"), capture: "text", inputs: { it: input } });
      const report = await executor.execute(request, ALIVE, () => undefined);
      expect(report).toMatchObject({ cause: "ok" });
      const [, count] = /^racing\n(\d+)\ninside$/.exec(String(report.output)) ?? [];
      expect(Number(count), String(report.output)).toBeGreaterThan(0);
      swaps += Number(count);
      await heartbeats.read(RUN);
      await executor.reap(request.key);
      await heartbeats.clear(RUN);
    }
    expect(outside.changes()).toEqual([]);
    figures.push(`inputs, live log and heartbeats: ${swaps} swaps behind the wall, ${tries} tries`);
  });
});

describe("what is no file where a file is expected", () => {
  const makers: Readonly<Record<string, (path: string) => void>> = {
    "a pipe": (path) => made("mkfifo", path),
    "a folder": (path) => mkdirSync(path),
    "a link to an endless device": (path) => symlinkSync("/dev/zero", path),
    "a link to a terminal": (path) => symlinkSync("/dev/tty", path),
    "a link to itself": (path) => symlinkSync(path, path),
    "a socket": (path) => {
      const server = createServer().listen(path);
      onTestFinished(() => void server.close());
    },
  };

  it.for(Object.entries(makers))("is refused at once: %s", async ([, make]) => {
    const root = makeFolder();
    const state = makeFolder();
    const place = join(root, "it");
    make(place);
    const artifacts = storeIn(state);
    const executor = executorIn(root, { artifacts, tempDir: join(state, "temp"), logsDir: join(state, "logs") });
    const request = requestOf(["/bin/true"], { outputs: [{ name: "it", path: "it" }] });

    const report = await within<ProcessReport>(
      "an output",
      executor.execute(request, ALIVE, () => undefined),
    );
    expect(report.cause).toBe("invalid_output");
    await expect(within("an artifact", artifacts.putFile(place))).rejects.toThrow();
    for (const action of createFileActions({ root, artifacts }).filter(({ name }) => name.startsWith("file.")))
      expect(await within(action.name, action.perform(inputOf(action.name, "it"), contextOf(1)))).toMatchObject({
        ok: false,
      });

    const log = liveLogPath(join(state, "logs"), RUN, "build", 1);
    mkdirSync(join(log, ".."), { recursive: true });
    make(log);
    expect(await within("a live log", readLiveLog(log))).toBeNull();
  });

  it.for(Object.entries(makers))("takes the place of no heartbeat: %s", async ([, make]) => {
    const dir = join(makeFolder(), "heartbeats");
    const heartbeats = createFileHeartbeats({ dir, delayMs: 1 });
    mkdirSync(dir);
    make(join(dir, `${encodeURIComponent(RUN)}-0.json`));
    expect(await within("reading heartbeats", heartbeats.read(RUN))).toEqual([]);
    await within("clearing heartbeats", heartbeats.clear(RUN));
    expect(readdirSync(dir)).toEqual([]);
  });

  it.for([
    ["where files are kept", ["replaced.txt", "pipe", "deep/pipe"]],
    ["where git looks for its settings", [".gitignore", ".gitattributes", "deep/.gitignore"]],
  ] as const)("does not hold up the saving of a workspace: pipes %s", async ([where, names]) => {
    const root = makeFolder();
    commitFiles(root, { "deep/kept.txt": "kept\n", "replaced.txt": "a file\n" });
    const workspaces = workspacesAt(root);
    const base = await workspaces.base(placeOf().spec, 0);
    const place = placeOf();
    const workspace = await workspaces.enter(place, base, LABEL);
    made("rm", join(workspace.folder, "replaced.txt"));
    for (const name of names) made("mkfifo", join(workspace.folder, name));
    const from = performance.now();
    const tree = await workspace.save(LABEL);
    const tookMs = performance.now() - from;
    figures.push(`saving with pipes ${where}: ${Math.round(tookMs)} ms`);
    expect(tookMs).toBeLessThan(LONGEST_SAVE_MS * slowness());
    const saved = spawnSync("git", [`--git-dir=${vaultOf(root)}`, "ls-tree", "-r", "--name-only", tree], {
      encoding: "utf8",
    });
    expect(saved.stdout).toBe("deep/kept.txt\n");
    await workspaces.leave(place.run, 1);
  });
});

/** Looks at every step and opens the file afterwards. */
function readCarelessly(folder: string): string | undefined {
  const path = join(folder, "file.txt");
  try {
    if (!lstatSync(folder).isDirectory() || !lstatSync(path).isFile()) return undefined;
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

async function within<T>(what: string, work: Promise<T>): Promise<T> {
  const from = performance.now();
  try {
    return await work;
  } finally {
    expect(performance.now() - from, `${what} took too long`).toBeLessThan(PATIENCE_MS * slowness());
  }
}

/** A refusal is an answer too, as long as it is one of ours. */
async function cameThrough(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (isPawlError(error)) return false;
    throw error;
  }
}

function made(program: string, path: string): void {
  expect(spawnSync(program, [path]).status, `${program} ${path}`).toBe(0);
}

function inputOf(name: string, path: string): JsonObject {
  return name === "file.write" ? { path, content: "written\n" } : { path, line: "appended" };
}

function contextOf(time: number): ActionContext {
  const key = `${RUN}:write:${time}`;
  return {
    run: RUN,
    stage: "write",
    attempt: 1,
    key,
    inputs: {},
    signal: ALIVE,
    level: "L1",
    tree: null,
    verified: true,
  };
}

function everyObjectOf(root: string): string {
  const all = ["cat-file", "--batch-all-objects", "--batch"];
  return spawnSync("git", [`--git-dir=${vaultOf(root)}`, ...all], { maxBuffer: 1 << 28 }).stdout.toString("latin1");
}

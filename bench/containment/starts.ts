/** Sandboxed starts: `true` behind the wall of the sandbox, and behind one that bare bubblewrap builds with the same flags. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { sealedPaths } from "../../src/adapters/process/sealed-paths.ts";
import { DESCRIPTORS } from "../../src/adapters/sandbox/launcher.ts";
import { layOut } from "../../src/adapters/sandbox/layers.ts";
import { leakedDescriptors } from "../../src/adapters/sandbox/leaked-descriptors.ts";
import { createMountPoints } from "../../src/adapters/sandbox/places/mount-points.ts";
import { syscallFilter } from "../../src/adapters/sandbox/syscall-filter.ts";
import { readSystemView } from "../../src/adapters/sandbox/system-view.ts";
import { wallArguments } from "../../src/adapters/sandbox/wall.ts";
import { BEHIND, type Mount, type Sandbox } from "../../src/ports/sandbox.ts";
import type { FigureContext, FigureResult } from "../figure.ts";
import { withStateDir } from "../state-dir.ts";
import { median } from "../statistics.ts";
import { execute, openSandbox, requestFor, sandboxOptions, withExecutor } from "./parts.ts";
import { ratio, type Samples, takeTurn, timed } from "./turns.ts";

const BARE = "bare bubblewrap";
const OURS = "the sandbox";
const SUPERVISED = "the sandbox and its supervision";
const SEALED = sealedPaths("workspace_write", true).map((path) => `${BEHIND.workspace}/${path}`);
/** What a program finds of its wall: mounts and their flags, capabilities, filter, environment. */
const LOOK = [
  "/bin/sh",
  "-c",
  "cut -d' ' -f5,6 /proc/self/mountinfo; grep -E '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status; env | sort",
];

/** Starts a program behind a wall. Resolves to what it printed. */
type Start = (argv: readonly string[]) => Promise<string>;

export function measureStarts(context: FigureContext): Promise<FigureResult> {
  return withStateDir(context.dir, "starts", async (dir) => {
    const rounds = context.quick ? 40 : 150;
    const sandbox = await openSandbox();
    const leaked = leakedDescriptors().join(", ");
    if (leaked !== "")
      context.log(`containment: descriptors ${leaked} came from outside; closing them needs another shell`);
    const bare = bareStart(dir, workspaceIn(dir, "bare"));
    const ours = enclosedStart(sandbox, workspaceIn(dir, "ours"));
    await checkSameWall(bare, ours);
    const supervised = workspaceIn(dir, "supervised");
    const samples: Samples = {};
    await withExecutor(dir, sandbox, async (executor) => {
      const ways = {
        [BARE]: () => timed(() => bare(["true"])),
        [OURS]: () => timed(() => ours(["true"])),
        [SUPERVISED]: () => timed(() => execute(executor, requestFor(["true"], supervised, "workspace_write"))),
      };
      context.log(`containment: sandboxed starts, ${rounds} rounds`);
      for (let round = 0; round < rounds; round += 1) await takeTurn(samples, ways, round);
    });
    return resultOf(samples);
  });
}

function resultOf(samples: Samples): FigureResult {
  return {
    tables: [
      {
        title: "Start and end of `true` behind a wall (workspace_write, no network; medians)",
        columns: ["built by", "ms", "over bare"],
        rows: [BARE, OURS, SUPERVISED].map((name) => [name, median(samples[name] ?? []), ratio(samples, name, BARE)]),
      },
    ],
    bars: [
      {
        name: "sandboxed start over bare bubblewrap",
        measured: ratio(samples, OURS, BARE),
        rule: "at_most",
        limit: 1.5,
        unit: "x",
      },
    ],
    samples,
  };
}

/** A folder of its own for each: what a wall has to make in it is not there for another. */
function workspaceIn(dir: string, name: string): string {
  const folder = join(dir, name);
  mkdirSync(join(folder, ".git"), { recursive: true });
  return folder;
}

function mountsOf(folder: string): readonly Mount[] {
  return [{ from: folder, to: BEHIND.workspace, access: "write", keepsPlaces: true }];
}

function enclosedStart(sandbox: Sandbox, folder: string): Start {
  const mounts = mountsOf(folder);
  const wanted = { key: "bench", env: {}, cwd: BEHIND.workspace, mounts, sealed: SEALED, network: [], fileBytes: null };
  return async (argv) => {
    const enclosure = await sandbox.enclose({ ...wanted, argv });
    try {
      const child = start(enclosure.argv, enclosure.env, ["ignore", "pipe", "pipe", "pipe"]);
      const gate = child.stdio[3] as Duplex;
      gate.on("error", () => undefined);
      gate.once("data", () => gate.end("\n"));
      return await outputOf(child);
    } finally {
      await enclosure.close();
    }
  };
}

/** The rival gets everything ready-made: its arguments, the filter and the files that it reads from descriptors. */
function bareStart(dir: string, folder: string): Start {
  const options = sandboxOptions();
  const filter = syscallFilter(process.arch);
  if (filter === undefined) throw new Error(`there is no filter of system calls for the processor ${process.arch}`);
  const system = readSystemView(options);
  const flags = wallArguments({
    system,
    layers: layOut(mountsOf(folder), SEALED, createMountPoints()).layers,
    env: { PATH: system.path, HOME: BEHIND.home, TMPDIR: "/tmp", USER: "pawl" },
    cwd: BEHIND.workspace,
  });
  const contents: Readonly<Record<number, string | Uint8Array>> = {
    [DESCRIPTORS.passwd]: "pawl:x:1000:1000:pawl:/home/pawl:/bin/sh\n",
    [DESCRIPTORS.group]: "pawl:x:1000:\n",
    [DESCRIPTORS.hosts]: "127.0.0.1 localhost pawl\n",
    [DESCRIPTORS.switch]: "passwd: files\n",
    [DESCRIPTORS.filter]: filter,
  };
  const paths = Array.from({ length: Math.max(...Object.values(DESCRIPTORS)) + 1 }, (_, descriptor) => {
    const content = contents[descriptor];
    const path = join(dir, `descriptor-${descriptor}`);
    if (content !== undefined) writeFileSync(path, content);
    return content === undefined ? null : path;
  });
  return async (argv) => {
    const opened = paths.map((path) => (path === null ? "ignore" : openSync(path, "r")));
    const child = start([options.program ?? "bwrap", ...flags, "--", ...argv], { PATH: options.path }, [
      ...["ignore", "pipe", "pipe"],
      ...opened.slice(3),
    ]);
    for (const descriptor of opened) if (typeof descriptor === "number") closeSync(descriptor);
    return outputOf(child);
  };
}

type Stdio = readonly (string | number)[];

function start(argv: readonly string[], env: Readonly<Record<string, string>>, stdio: Stdio): ChildProcess {
  const [program, ...args] = argv;
  return spawn(program as string, args, { cwd: "/", env, detached: true, stdio: stdio as ("pipe" | number)[] });
}

async function outputOf(child: ChildProcess): Promise<string> {
  let stdout = "";
  let stderr = "";
  (child.stdout as Readable).setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  (child.stderr as Readable).setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`a program behind a wall ended with ${code}: ${stderr}`);
  return stdout;
}

/** Throws when the two walls differ: then there is nothing to compare. */
async function checkSameWall(bare: Start, ours: Start): Promise<void> {
  const [rival, own] = [await bare(LOOK), await ours(LOOK)];
  if (rival !== own) throw new Error(`bare bubblewrap built another wall:\n${rival}\nthan the sandbox:\n${own}`);
}

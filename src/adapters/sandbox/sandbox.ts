/** Sandbox with bubblewrap: a wall of namespaces, without capabilities, around one program. No wall, no program. */
import { existsSync, lstatSync, statSync } from "node:fs";
import { isPawlError, pawlError } from "../../base/errors.ts";
import { scarcityIn } from "../../base/scarcity.ts";
import type { Egress, EgressDoor } from "../../ports/egress.ts";
import { SANDBOX_ERRORS } from "../../ports/errors/sandbox-errors.ts";
import { BEHIND, type EnclosedProgram, type Enclosure, type Sandbox, type SandboxReport } from "../../ports/sandbox.ts";
import { DIRECT_VARIABLES, EGRESS_WAY, MODELS_WAY, PROXY_VARIABLES, type Way } from "./bridge.ts";
import { examine } from "./examine.ts";
import { installHint } from "./hints.ts";
import { launch } from "./launcher.ts";
import { layOut } from "./layers.ts";
import { leakedDescriptors } from "./leaked-descriptors.ts";
import { fenced } from "./places/fence.ts";
import { createMountPoints, type MountPoints } from "./places/mount-points.ts";
import { makePipes, proveLayers } from "./places/proof.ts";
import { syscallFilter } from "./syscall-filter.ts";
import { readSystemView } from "./system-view.ts";
import { idOf, type Layer, type SystemView, wallArguments } from "./wall.ts";

export interface BubblewrapOptions {
  /** Path of bubblewrap; not given: the first of the usual places. */
  readonly program?: string;
  /** Paths of this machine to show besides the system, read-only and at the same place. */
  readonly readable: readonly string[];
  /** PATH of this process. */
  readonly path: string;
  /** Where Node is: it is shown, and is the bridge to the network. */
  readonly nodeProgram: string;
  /** Without it no program gets a network. */
  readonly egress?: Egress;
  /** How long bubblewrap may take to show that it works. */
  readonly patienceMs?: number;
  readonly platform?: string;
  readonly processor?: string;
}

const PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"];
const PATIENCE_MS = 5000;
const STARVED_HINT = "Wait until this machine has less to do, or end what runs away, and try again.";

/** A bubblewrap that was tried and found good. */
interface Ready {
  readonly program: string;
  readonly system: SystemView;
  readonly filter: Uint8Array;
}

interface Verdict {
  readonly report: SandboxReport;
  readonly ready?: Ready;
  /** What there is too little of now. */
  readonly scarce?: string;
}

export function createBubblewrapSandbox(options: BubblewrapOptions): Sandbox {
  const points = createMountPoints();
  const decide = createVerdicts(options);
  return {
    check: async () => (await decide()).report,
    enclose: async (program) => {
      const { report, ready, scarce } = await decide();
      if (scarce !== undefined) throw starved(scarce);
      if (ready === undefined) throw unavailable(report.missing ?? "", report.hint ?? "");
      checkProgram(program);
      return enclose(options, ready, points, program).catch((error: unknown) => {
        const short = scarcityOf(error);
        throw short === undefined ? error : starved(short);
      });
    },
  };
}

/** A good verdict holds while the file of the program is the same; a bad one is never kept. */
function createVerdicts(options: BubblewrapOptions): () => Promise<Verdict> {
  let identity = "";
  let verdict: Promise<Verdict> | undefined;
  return async () => {
    const program = options.program ?? PLACES.find((path) => existsSync(path));
    const now = identityOf(program);
    if (verdict === undefined || now !== identity) {
      identity = now;
      verdict = judge(options, program).catch(whenStarved);
    }
    const asked = verdict;
    const found = await asked.catch((error: unknown) => {
      if (verdict === asked) verdict = undefined;
      throw error;
    });
    if (found.ready === undefined && verdict === asked) verdict = undefined;
    return found;
  };
}

function identityOf(program: string | undefined): string {
  try {
    const stats = statSync(program ?? "", { bigint: true });
    return [program, stats.dev, stats.ino, stats.size, stats.mtimeNs, stats.mode].join(" ");
  } catch {
    return "";
  }
}

async function judge(options: BubblewrapOptions, program: string | undefined): Promise<Verdict> {
  const bad = (missing: string, hint: string): Verdict => ({ report: { missing, hint, name: "bubblewrap" } });
  if ((options.platform ?? process.platform) !== "linux")
    return bad(
      "it is not Linux, and there is no sandbox for another system yet",
      "Run Pawl on Linux, or in a virtual machine with Linux.",
    );
  const processor = options.processor ?? process.arch;
  const filter = syscallFilter(processor);
  if (filter === undefined)
    return bad(`there is no filter of system calls for the processor ${processor}`, "Run Pawl on x64 or arm64.");
  if (program === undefined) return bad("bubblewrap (bwrap) is not installed", installHint());
  const system = viewOf(options);
  if (typeof system === "string") return bad(system, "Correct the paths that programs may read.");
  const report = await examine({ program, system, filter, patienceMs: options.patienceMs ?? PATIENCE_MS });
  if (report.missing === null) return { report, ready: { program, system, filter } };
  const scarce = scarcityIn(report.missing);
  return scarce === undefined ? { report } : { report: { ...report, hint: STARVED_HINT }, scarce };
}

/** This process itself can have too little of something. */
function whenStarved(error: unknown): Verdict {
  const scarce = scarcityOf(error);
  if (scarce === undefined) throw error;
  return { report: { missing: scarce, hint: STARVED_HINT, name: "bubblewrap" }, scarce };
}

/** undefined: it is another problem. */
function scarcityOf(error: unknown): string | undefined {
  return isPawlError(error) || !(error instanceof Error) ? undefined : scarcityIn(error.message);
}

function starved(scarce: string): Error {
  return pawlError(SANDBOX_ERRORS, "SANDBOX_STARVED", { scarce });
}

/** A sentence when it asks for something that cannot be shown. */
function viewOf(options: BubblewrapOptions): SystemView | string {
  try {
    return readSystemView(options);
  } catch (error) {
    if (!isPawlError(error)) throw error;
    return error.message.replace(/\.$/, "");
  }
}

async function enclose(
  options: BubblewrapOptions,
  ready: Ready,
  points: MountPoints,
  program: EnclosedProgram,
): Promise<Enclosure> {
  const leaked = leakedDescriptors();
  if (leaked.length > 0 && !existsSync("/bin/bash"))
    throw unavailable(
      `this process was given the descriptors ${leaked.join(", ")}, which the program would get too`,
      "Install bash, or start Pawl without them.",
    );
  const laid = layOut(program.mounts, program.sealed, points);
  try {
    const door = await openDoor(options.egress, program.network);
    const { modelSocket } = program;
    const open = [
      ...(door === null ? [] : [{ way: EGRESS_WAY, from: door.socketPath }]),
      ...(modelSocket === undefined ? [] : [{ way: MODELS_WAY, from: modelSocket }]),
    ];
    const layers: readonly Layer[] = [...laid.layers, ...open.map(wayLayer)];
    const wall = wallArguments({
      system: ready.system,
      layers,
      env: environment(program, ready.system, door !== null),
      cwd: program.cwd,
    });
    const { argv, env } = launch({
      program: ready.program,
      wall,
      filter: ready.filter,
      leaked,
      before: makePipes(laid.pipes),
      within: proveLayers(layers),
      key: program.key,
      argv: program.argv,
      fileBytes: program.fileBytes,
      bridge: open.length === 0 ? null : { node: options.nodeProgram, ways: open.map(({ way }) => way) },
    });
    return {
      argv: laid.fence.length === 0 ? argv : fenced(ready.program, laid.fence, argv),
      env,
      close: once(async () => {
        laid.clear();
        return door === null ? [] : door.close();
      }),
    };
  } catch (error) {
    laid.clear();
    throw error;
  }
}

async function openDoor(egress: Egress | undefined, hosts: readonly string[]): Promise<EgressDoor | null> {
  if (hosts.length === 0) return null;
  if (egress === undefined)
    throw unavailable(
      "there is no broker for the network",
      "Remove the hosts the stage may reach, or give the sandbox a broker.",
    );
  return egress.open(hosts);
}

/** The socket of this machine where the way leads to behind the wall. */
function wayLayer({ way, from }: { readonly way: Way; readonly from: string }): Layer {
  return { kind: "read", from, to: way.socket, id: idOf(lstatSync(from, { bigint: true })) };
}

/** What the wall sets comes last, so that nothing can take its place. */
function environment(program: EnclosedProgram, system: SystemView, hasNetwork: boolean): Record<string, string> {
  return {
    ...program.env,
    PATH: system.path,
    HOME: BEHIND.home,
    TMPDIR: "/tmp",
    USER: "pawl",
    ...(hasNetwork ? PROXY_VARIABLES : {}),
    ...(program.modelSocket === undefined ? {} : DIRECT_VARIABLES),
  };
}

function checkProgram({ argv, env, cwd, key }: EnclosedProgram): void {
  const unfit = (problem: string): Error => pawlError(SANDBOX_ERRORS, "SANDBOX_PROGRAM_UNFIT", { problem });
  if (argv[0] === undefined || argv[0] === "") throw unfit("there is no program");
  if (argv[0].startsWith("-")) throw unfit("its name begins with a dash");
  if ([...argv, cwd, key].some((part) => part.includes("\0"))) throw unfit("an argument contains a NUL character");
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw unfit("a variable has a name that is not made of letters, digits and _");
    if (value.includes("\0")) throw unfit(`the variable ${name} contains a NUL character`);
  }
  if (!cwd.startsWith("/")) throw unfit("its folder is not given from the root");
}

function unavailable(missing: string, hint: string): Error {
  return pawlError(SANDBOX_ERRORS, "SANDBOX_UNAVAILABLE", { missing, hint });
}

function once<T>(call: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => {
    result ??= call();
    return result;
  };
}

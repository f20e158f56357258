/** What this machine and this project can do, each with what to do where something is missing. Changes nothing. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isPawlError } from "../base/errors.ts";
import { type SharedFolder, sharedFolder } from "../base/net/file-systems.ts";
import { AGENT_POWERS } from "../plan/agents/agent-signature.ts";
import type { AgentBackend, AgentBackends } from "../ports/agents/agent-backend.ts";
import type { LoopStore } from "../ports/loops/loop-store.ts";
import type { Standing } from "../ports/loops/slots.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Store } from "../ports/store/store.ts";
import { signaturesOf } from "./agents/registry.ts";
import { findRepository } from "./find-repository.ts";
import type { DoctorCheck } from "./runtime.ts";

export interface Examined {
  readonly root: string;
  readonly statePath: string;
  readonly sandbox: Pick<Sandbox, "check">;
  readonly agents: AgentBackends;
  /** The number of the file system that a folder lies on, if not what the system says. */
  readonly fileSystem?: (dir: string) => number;
  openLoops(): Promise<Pick<LoopStore, "close" | "slots">>;
  /** Throws when a store is lost. */
  requireState(): void;
}

export async function examine(
  parts: Examined,
  open: () => Promise<{ readonly store: Store }>,
): Promise<readonly DoctorCheck[]> {
  return [
    nodeCheck(),
    rootCheck(parts.root),
    stateCheck(parts),
    await journalCheck(parts, open),
    ...(await loopsCheck(parts)),
    await sandboxCheck(parts.sandbox),
    gitCheck(parts.root),
    reaperCheck(),
    ...(await Promise.all(signaturesOf(parts.agents).map(({ name }) => agentCheck(parts.agents, name)))),
  ];
}

/** Installed or not, tested or not, and what it lets us decide. Nobody needs every agent, so that none is a failure. */
async function agentCheck(agents: AgentBackends, name: string): Promise<DoctorCheck> {
  const { probe, capabilities } = agents.get(name) as AgentBackend;
  const { version, tested, inRange, hint, program } = await probe();
  const title = `agent ${name}`;
  const { oversight } = capabilities;
  const held = (["mediated", "observed", "contained"] as const).flatMap((word) => {
    const powers = AGENT_POWERS.filter((power) => oversight[power] === word);
    return powers.length === 0 ? [] : [`${word}: ${powers.join(", ")}`];
  });
  if (version === null) return check(title, "ok", `not installed; ${held.join("; ")}`, hint);
  const range = tested === null ? "" : inRange ? `, tested ${tested}` : `, outside the tested range ${tested}`;
  const where = program === null ? "" : ` (${program})`;
  return check(title, inRange ? "ok" : "warn", `${version}${where}${range}; ${held.join("; ")}`, inRange ? null : hint);
}

function check(name: string, status: DoctorCheck["status"], detail: string, hint: string | null = null): DoctorCheck {
  return { name, status, detail, hint };
}

function nodeCheck(): DoctorCheck {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const enough = major > 20 || (major === 20 && minor >= 19);
  return check(
    "node",
    enough ? "ok" : "fail",
    `Node.js ${process.versions.node}`,
    enough ? null : "Install Node.js 20.19 or newer.",
  );
}

function rootCheck(root: string): DoctorCheck {
  if (isWritable(root)) return check("project", "ok", root);
  const hint = "Runs keep their state in .pawl/ below it: make the folder writable.";
  return check("project", "fail", `${root} cannot be written`, hint);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function stateCheck(parts: Examined): DoctorCheck {
  const { root, statePath: dir, fileSystem = (path) => statfsSync(path).type } = parts;
  const shared = existsSync(root) ? sharedFolder(fileSystem(existsSync(dir) ? dir : root)) : null;
  if (shared !== null) return sharedCheck(dir, shared);
  if (!existsSync(dir)) return check("state", "ok", "none yet: the first run creates .pawl/");
  const found = statSync(dir);
  if (!found.isDirectory())
    return check("state", "fail", `${dir} is not a folder`, "Runs keep their state there: move it away.");
  if (!isWritable(dir))
    return check(
      "state",
      "fail",
      `${dir} cannot be written`,
      "Runs are stored there: give this user write permission.",
    );
  const loose = (found.mode & 0o077) !== 0;
  return loose
    ? check("state", "warn", `${dir} can be read by other users`, `Run \`chmod 700 ${dir}\`.`)
    : check("state", "ok", dir);
}

/** A lock that another machine does not see lets two processes host one run. */
function sharedCheck(dir: string, { name, isCertain }: SharedFolder): DoctorCheck {
  const hint = "Keep the project on a disk of this machine: locks do not hold between machines.";
  return isCertain
    ? check("state", "fail", `${dir} lies on a network file system (${name}): nothing is written there`, hint)
    : check("state", "warn", `${dir} lies on a file system that other machines may share (${name})`, hint);
}

async function journalCheck(
  { statePath, requireState }: Examined,
  open: () => Promise<{ readonly store: Store }>,
): Promise<DoctorCheck> {
  try {
    requireState();
    const files = ["pawl.db", "pawl.pin"].map((name) => `${statePath}/${name}`);
    if (!files.some(existsSync)) return check("journal", "ok", "none yet: the first run creates it");
    const { store } = await open();
    const standing = await store.chain.standing();
    const problems = [...standing.problems, ...(await store.integrity())];
    const { runs, events } = standing;
    if (problems.length === 0)
      return check(
        "journal",
        "ok",
        `as many runs (${runs}) and events (${events}) as its pin says; commits survive a power cut (WAL, synchronous=FULL); chains, artifacts and saved trees were not looked at (\`pawl verify --all\`)`,
      );
    return check(
      "journal",
      "fail",
      problems.slice(0, 3).join("; "),
      "Copy .pawl/ somewhere safe, then look with `pawl verify --all`. `pawl recover` lists the work that is saved.",
    );
  } catch (error) {
    const hint = isPawlError(error) ? error.problems[0]?.hint : undefined;
    const detail = error instanceof Error ? error.message : String(error);
    // Both stores are looked at, because what one holds means nothing without the other.
    const name = isPawlError(error) && error.code === "LOOPS_LOST" ? "loops" : "journal";
    return check(name, "fail", detail, hint ?? "Copy .pawl/ somewhere safe before anything else.");
  }
}

/** Queues and schedules stand in a file of their own. Most projects have none. */
async function loopsCheck({ statePath, openLoops }: Examined): Promise<readonly DoctorCheck[]> {
  if (!existsSync(`${statePath}/loops.db`)) return [];
  try {
    await (await openLoops()).close();
    return [check("loops", "ok", "queues and schedules can be read")];
  } catch (error) {
    const hint = isPawlError(error) ? (error.problems[0]?.hint ?? null) : null;
    return [check("loops", "fail", error instanceof Error ? error.message : String(error), hint)];
  }
}

/** How loops stand. What cannot be read is told by the check above. */
export async function standingsOf({ statePath, openLoops }: Examined): Promise<readonly Standing[]> {
  if (!existsSync(`${statePath}/loops.db`)) return [];
  try {
    const store = await openLoops();
    return await store.slots.standings().finally(() => store.close());
  } catch {
    return [];
  }
}

/** Tried, not guessed. Without it a blueprint runs only where a person allows that each time. */
async function sandboxCheck(sandbox: Examined["sandbox"]): Promise<DoctorCheck> {
  const { missing, hint, name } = await sandbox.check();
  return missing === null
    ? check("sandbox", "ok", `${name}: walls can be built here`)
    : check("sandbox", "fail", missing, hint ?? "Install bubblewrap.");
}

function gitCheck(root: string): DoctorCheck {
  const git = (...args: readonly string[]) => spawnSync("git", args, { encoding: "utf8", timeout: 5000 });
  const { status, stdout } = git("--version");
  if (status !== 0)
    return check("git", "warn", "there is no git", "Install git: a run works in a clone of your repository.");
  const top = existsSync(root) ? findRepository(root).top : root;
  const isEmpty =
    existsSync(join(top, ".git")) && git("-C", top, "rev-parse", "--quiet", "--verify", "HEAD").status === 1;
  return isEmpty
    ? check("git", "warn", `${top} has no commit yet`, "Commit once: a run works in a clone of the last commit.")
    : check("git", "ok", stdout.trim());
}

function reaperCheck(): DoctorCheck {
  return existsSync("/proc/self/environ")
    ? check("processes", "ok", "what a stage leaves running is found by its key and ended")
    : check(
        "processes",
        "warn",
        "no /proc: a process that leaves its group cannot be found",
        "Use Linux for loops that run unattended.",
      );
}

/** The built-in harness as an agent: a program of ours behind the wall, which asks before every call and keeps nothing itself. */
import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { formatRunId } from "../../../base/ids.ts";
import type { Tiers } from "../../../limits/routes/route.ts";
import type { AgentBackend, AgentHost, AgentReport, AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { HostLine, ProgramTask } from "../../../ports/agents/model-program.ts";
import type { Executor, ProcessRequest } from "../../../ports/executor.ts";
import type { ModelDoor } from "../../../ports/models/model-access.ts";
import { BEHIND } from "../../../ports/sandbox.ts";
import { converse } from "../cli/converse.ts";
import { lost } from "../cli/failure.ts";
import { openRecords, readRecords } from "./records.ts";
import { MODEL } from "./signature.ts";
import { createModelSpeaker } from "./speaker.ts";
import { wireFor } from "./wire-for.ts";

export interface ModelBackendOptions {
  readonly executor: Executor;
  /** The project root, where a task without a workspace works. */
  readonly root: string;
  /** The folder of the built program. */
  readonly program: string;
  readonly nodeProgram: string;
  readonly version: string;
  /** Loaded when a task comes. */
  readonly tiers: () => Promise<Tiers>;
}

/** Where the program lies behind the wall. */
const PROGRAM = "/run/pawl/agent";
const ENTRY = "main.js";
/** For a task that names none: this tier where there is one, else this model. */
const TIER = "smart";
const MODEL_NAME = "claude-sonnet-4-5";

export function createModelBackend(options: ModelBackendOptions): AgentBackend {
  const { version, program } = options;
  return {
    ...MODEL,
    probe: async () => ({ version, program, tested: version, inRange: true, hint: null }),
    async run(task, host, signal) {
      if (signal.aborted) return unable({ kind: "cancelled" });
      const { door, home } = task;
      const url = door?.env["PAWL_GATEWAY_URL"];
      const token = door?.env["PAWL_GATEWAY_TOKEN"];
      if (door === null || url === undefined || token === undefined)
        return unable(lost("it has no way to a model: the stage must say what it may spend on models"));
      const past = task.session === null ? [] : await readRecords(home, task.session);
      const session = past === null || task.session === null ? formatRunId(randomBytes(12)) : task.session;
      const start = await startOf(options, task, session, { url, token });
      return talk(options, { task, host, signal, door, start: { type: "start", task: start, past: past ?? [] } });
    },
  };
}

function unable(outcome: AgentReport["outcome"]): AgentReport {
  return { outcome, text: "", session: null, reported: null };
}

async function startOf(
  { tiers, root }: ModelBackendOptions,
  { prompt, system, maxTurns, schema, model, goesOn, toolset, process }: AgentTask,
  session: string,
  gateway: ProgramTask["gateway"],
): Promise<ProgramTask> {
  const known = await tiers();
  const chosen = model ?? (Object.hasOwn(known, TIER) ? TIER : MODEL_NAME);
  const { wall, timeoutMs, folder, project, cwd } = process;
  const top = wall.sandbox === "danger_full_access" ? (folder ?? root) : BEHIND.workspace;
  return {
    ...{ prompt, system, maxTurns, schema, session, gateway, timeoutMs, model: chosen },
    wire: wireFor(chosen, known),
    toolset: toolset?.name ?? null,
    isRestored: goesOn === "again",
    root: posix.join(top, project, cwd),
  };
}

interface Life {
  readonly task: AgentTask;
  readonly host: AgentHost;
  readonly signal: AbortSignal;
  readonly door: ModelDoor;
  readonly start: Extract<HostLine, { type: "start" }>;
}

async function talk(options: ModelBackendOptions, { task, host, signal, door, start }: Life): Promise<AgentReport> {
  const { session } = start.task;
  const records = await openRecords(task.home, session);
  const speaker = createModelSpeaker(start, { host, records, cwd: task.process.cwd });
  try {
    const { outcome, process } = await converse(options.executor, requestOf(options, task, door), speaker, signal);
    const { text = "", output, reported = null } = speaker.report() ?? {};
    return { outcome, text, session, reported, process, ...(output === undefined ? {} : { output }) };
  } finally {
    await records.close();
  }
}

function requestOf(
  { program, nodeProgram }: ModelBackendOptions,
  { process }: AgentTask,
  door: ModelDoor,
): ProcessRequest {
  const isOpen = process.wall.sandbox === "danger_full_access";
  return {
    ...process,
    argv: [nodeProgram, posix.join(isOpen ? program : PROGRAM, ENTRY)],
    // The token is told in the talk: programs that its tools start do not find it.
    env: {},
    mounts: [...process.mounts, ...(isOpen ? [] : [{ from: program, to: PROGRAM, access: "read" as const }])],
    capture: "none",
    modelSocket: door.socket,
  };
}

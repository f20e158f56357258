/** The built-in harness as an agent: a program of ours behind the wall, which asks before every call and keeps nothing itself. */
import { randomBytes } from "node:crypto";
import { posix } from "node:path";
import { isPawlError } from "../../../base/errors.ts";
import { formatRunId } from "../../../base/ids.ts";
import type { JsonValue } from "../../../base/json.ts";
import type { Tiers } from "../../../limits/routes/route.ts";
import type { AgentBackend, AgentHost, AgentReport, AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { HostTools, OpenHostTools } from "../../../ports/agents/host-tools.ts";
import type { HostLine, ProgramTask } from "../../../ports/agents/model-program.ts";
import type { Executor, ProcessRequest } from "../../../ports/executor.ts";
import type { ModelDoor } from "../../../ports/models/model-access.ts";
import { BEHIND } from "../../../ports/sandbox.ts";
import { converse } from "../cli/converse.ts";
import { lost } from "../cli/failure.ts";
import { heedModels } from "../cli/heed-models.ts";
import { NO_HOST_TOOLS } from "./host-hands.ts";
import { openRecords, readRecords } from "./records.ts";
import { MODEL } from "./signature.ts";
import { createModelSpeaker } from "./speaker.ts";
import { wireFor } from "./wire-for.ts";

/** Where the program of the harness is, and what runs it. */
export interface ProgramPlace {
  readonly executor: Executor;
  /** The project root, where a task without a workspace works. */
  readonly root: string;
  /** The folder of the built program. */
  readonly program: string;
  readonly nodeProgram: string;
  readonly version: string;
}

export interface ModelBackendOptions extends ProgramPlace {
  /** Loaded when a task comes. */
  readonly tiers: () => Promise<Tiers>;
  /** MCP servers that a stage names. */
  readonly openHostTools: OpenHostTools;
}

/** Where the program lies behind the wall. */
const PROGRAM = "/run/pawl/agent";
const ENTRY = "main.js";
/** For a task that names none: this tier where there is one, else this model. */
const TIER = "smart";
const MODEL_NAME = "claude-sonnet-4-5";

export function createModelBackend(options: ModelBackendOptions): AgentBackend {
  const { version, program } = options;
  return heedModels({
    ...MODEL,
    probe: async () => ({ version, program, tested: version, inRange: true, hint: null }),
    async run(task, host, signal) {
      if (signal.aborted) return unable({ kind: "cancelled" });
      const { door, home } = task;
      const url = door?.env["PAWL_GATEWAY_URL"];
      const token = door?.env["PAWL_GATEWAY_TOKEN"];
      if (door === null || url === undefined || token === undefined)
        return unable(lost("it has no way to a model: the stage must say what it may spend on models"));
      const { session, past } = await sessionOf(home, task.session);
      const found = await hostToolsFor(options, task.settings["mcp"]);
      if ("outcome" in found) return unable(found.outcome);
      const { tools } = found;
      const start = { ...(await startOf(options, task, session, { url, token })), hostTools: tools.tools };
      const first = { type: "start", task: start, past } as const;
      return talk(options, { task, host, signal, door, tools, start: first }).finally(tools.close);
    },
  });
}

/** One that nothing is known of is begun anew. */
async function sessionOf(home: string, known: string | null): Promise<Pick<Start, "past"> & { session: string }> {
  const past = known === null ? null : await readRecords(home, known);
  return known === null || past === null
    ? { session: formatRunId(randomBytes(12)), past: [] }
    : { session: known, past };
}

type Start = Extract<HostLine, { type: "start" }>;

function unable(outcome: AgentReport["outcome"]): AgentReport {
  return { outcome, text: "", session: null, reported: null };
}

type Found = { readonly tools: HostTools } | { readonly outcome: AgentReport["outcome"] };

/** A server that nobody has accepted, or that is declared otherwise, is not used, and trying again does not help. */
async function hostToolsFor({ openHostTools }: ModelBackendOptions, given: JsonValue | undefined): Promise<Found> {
  if (given === undefined) return { tools: NO_HOST_TOOLS };
  if (!Array.isArray(given) || !given.every((name) => typeof name === "string"))
    return { outcome: { kind: "denied", error: "its setting `mcp` is no list of names of servers" } };
  try {
    return { tools: await openHostTools(given) };
  } catch (error) {
    if (!isPawlError(error)) throw error;
    return { outcome: { kind: "denied", error: `${error.code}: ${error.message}` } };
  }
}

async function startOf(
  { tiers, root }: ModelBackendOptions,
  { prompt, system, maxTurns, schema, model, goesOn, toolset, process }: AgentTask,
  session: string,
  gateway: ProgramTask["gateway"],
): Promise<Omit<ProgramTask, "hostTools">> {
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
  readonly tools: HostTools;
  readonly start: Start;
}

async function talk(
  options: ModelBackendOptions,
  { task, host, signal, door, tools, start }: Life,
): Promise<AgentReport> {
  const { session } = start.task;
  const records = await openRecords(task.home, session);
  const speaker = createModelSpeaker(start, { host, records, cwd: task.process.cwd, tools });
  try {
    const request = { ...programRequest(options, task), modelSocket: door.socket };
    const { outcome, process } = await converse(options.executor, request, speaker, signal);
    const { text = "", output, reported = null } = speaker.report() ?? {};
    return { outcome, text, session, reported, process, ...(output === undefined ? {} : { output }) };
  } finally {
    await records.close();
  }
}

/** The program itself, behind the wall of its stage. */
export function programRequest({ program, nodeProgram }: ProgramPlace, { process }: AgentTask): ProcessRequest {
  const isOpen = process.wall.sandbox === "danger_full_access";
  return {
    ...process,
    argv: [nodeProgram, posix.join(isOpen ? program : PROGRAM, ENTRY)],
    // The token is told in the talk: programs that its tools start do not find it.
    env: {},
    mounts: [...process.mounts, ...(isOpen ? [] : [{ from: program, to: PROGRAM, access: "read" as const }])],
    capture: "none",
  };
}

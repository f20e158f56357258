/** Claude Code as an agent: behind the wall, models only through the gateway, every call of a tool ruled on before it happens. */
import { randomUUID } from "node:crypto";
import { posix } from "node:path";
import type { AgentBackend, AgentHost, AgentReport, AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { Executor } from "../../../ports/executor.ts";
import type { ModelDoor } from "../../../ports/models/model-access.ts";
import { BEHIND } from "../../../ports/sandbox.ts";
import { heedModels } from "../cli/heed-models.ts";
import { createConversation } from "./conversation.ts";
import { textAt } from "./fields.ts";
import { createGate, type Gate } from "./gate.ts";
import { requestOf } from "./launch.ts";
import { outcomeOf } from "./outcome.ts";
import { findProgram, type ProgramOptions, probeProgram } from "./program.ts";
import { type Gateway, keepPutOff, layGate, readPutOff } from "./put-off.ts";
import { CLAUDE } from "./signature.ts";

export interface ClaudeOptions extends ProgramOptions {
  readonly executor: Pick<Executor, "execute">;
  /** The project root, where a task without a workspace works. */
  readonly root: string;
}

/** After its result it has this long to end by itself. */
const FAREWELL_MS = 10_000;

export function createClaudeAgent(options: ClaudeOptions): AgentBackend {
  return heedModels({
    ...CLAUDE,
    probe: () => probeProgram(options),
    run: async (task, host, signal) => {
      const program = findProgram(options);
      if (program === null) return unable("Claude Code is not installed");
      if (task.door === null) return unable("there is no way to a model");
      if (task.process.wall.sandbox === "danger_full_access") return unable("it is only run behind a wall");
      const workspace = { seenAt: BEHIND.workspace, folder: task.process.folder ?? options.root };
      const cwd = posix.join(BEHIND.workspace, task.process.project, task.process.cwd);
      const gate = createGate({ host, workspace, cwd });
      return takeUp(options, { task, host, signal, program, door: task.door, gate });
    },
  });
}

/**
 * A session that was left at a call begins with that call, whether it is to be made or not. What nobody knows the beginning of is
 * not gone on with, and any other passes no call before it has taken the hook.
 */
async function takeUp(options: ClaudeOptions, life: Life): Promise<AgentReport> {
  const { task, gate } = life;
  if (task.session === null) return talk(options, life, null);
  const putOff = await readPutOff(task.home, task.session).catch(() => "torn" as const);
  if (putOff === null) return talk(options, life, await layGate(task.home, null, false));
  if (putOff === "torn" || task.goesOn !== "deferred")
    return talk(options, { ...life, task: { ...task, session: null } }, null);
  const ruling = await gate.rule(putOff);
  const call = gate.deferred();
  if (call !== null) return { outcome: { kind: "deferred", call }, text: "", session: task.session, reported: null };
  return talk(options, life, await layGate(task.home, putOff, ruling.answer === "allow"));
}

function unable(why: string): AgentReport {
  const outcome = { kind: "failed", why: "lost", error: `Claude Code could not be started: ${why}` } as const;
  return { outcome, text: "", session: null, reported: null };
}

interface Life {
  readonly task: AgentTask;
  readonly host: AgentHost;
  readonly signal: AbortSignal;
  readonly program: string;
  readonly door: ModelDoor;
  readonly gate: Gate;
}

/** `ahead`: what lies before a session that goes on. */
async function talk(options: ClaudeOptions, life: Life, ahead: Gateway | null): Promise<AgentReport> {
  const { task, host, signal, program, door, gate } = life;
  const own = new AbortController();
  const end = (): void => own.abort("kill");
  let farewell: NodeJS.Timeout | undefined;
  const { dialogue, heard } = createConversation({
    ...{ host, gate, system: task.system, stop: end },
    prompt: (ahead?.call ?? null) === null ? task.prompt : null,
    onReady: async () => ahead?.open(),
    onResult: () => {
      farewell ??= setTimeout(end, FAREWELL_MS);
    },
  });
  const request = await requestOf(task, { program, newSession: randomUUID(), door, ahead });
  const both = AbortSignal.any([signal, own.signal]);
  const process = await options.executor.execute({ ...request, dialogue }, both, () => undefined);
  clearTimeout(farewell);
  const { result, usage, breach, ...said } = heard();
  const session = said.session ?? task.session;
  const isEnded = signal.aborted && process.cause === "killed";
  const outcome = outcomeOf({ result, breach, deferred: gate.deferred(), report: process, isEnded });
  // Where it has not come to its last line, it may still stand at that call.
  const stands = gate.deferred() ?? (result === null ? (ahead?.call ?? null) : null);
  if (session !== null) await keepPutOff(task.home, session, stands);
  if (usage !== null) host.onEvent({ type: "usage", usage });
  const output = result?.["structured_output"];
  return {
    ...{ outcome, session, reported: usage, process },
    text: textAt(result ?? {}, "result") ?? "",
    ...(output === undefined ? {} : { output }),
  };
}

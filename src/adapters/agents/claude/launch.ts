/** How Claude Code is started for one task: its program, its settings and its variables, and where it finds them behind the wall. */
import { lstat, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../../../base/json.ts";
import type { AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { ProcessRequest } from "../../../ports/executor.ts";
import type { ModelDoor } from "../../../ports/models/model-access.ts";
import type { Gateway } from "./put-off.ts";

const PROGRAM = "/run/pawl/agent/claude";
const CONFIG = "/run/pawl/agent/home";

/** Its own traffic and updates off, and no retries: the gateway tries again, and then whoever started it. */
const QUIET: Readonly<Record<string, string>> = {
  CLAUDE_CONFIG_DIR: CONFIG,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  DISABLE_AUTOUPDATER: "1",
  DISABLE_TELEMETRY: "1",
  DISABLE_ERROR_REPORTING: "1",
  CLAUDE_CODE_MAX_RETRIES: "0",
  CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
  // A name in the task must not make it read the file: no hook is asked about that.
  CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
  // A command that changes the folder must not change what the paths of the next one mean.
  CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1",
};

/** What a repository brings along is not read: no settings, hooks, servers, plugins, skills. */
const ALONE = ["--setting-sources=", "--strict-mcp-config", "--disable-slash-commands"];

const TALK = [
  ...["-p", "--verbose", "--output-format", "stream-json", "--input-format", "stream-json"],
  // What no hook has decided is asked about, and then denied.
  ...["--permission-mode", "default", "--permission-prompt-tool", "stdio"],
];

/** Tools that ask a person, or that outlive the attempt. */
const UNFIT = [
  ...["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree", "SendMessage", "ListAgents"],
  ...["CronCreate", "CronDelete", "CronList", "ScheduleWakeup", "RemoteTrigger", "PushNotification", "Workflow"],
];

const SETTINGS: JsonObject = { skipWebFetchPreflight: true, includeCoAuthoredBy: false, autoMemoryEnabled: false };

const SESSION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface Launch {
  readonly program: string;
  /** Of a session that begins now; a session that goes on has its own. */
  readonly newSession: string;
  readonly door: ModelDoor;
  /** What lies before a session that goes on; null: it is new. */
  readonly ahead: Gateway | null;
}

export async function requestOf(task: AgentTask, launch: Launch): Promise<Omit<ProcessRequest, "dialogue">> {
  const config = configFolder(task);
  const { ahead } = launch;
  await mkdir(config, { recursive: true, mode: 0o700 });
  const settings = JSON.stringify(ahead === null ? SETTINGS : { ...SETTINGS, hooks: ahead.hooks });
  return {
    ...task.process,
    argv: [
      ...ageing(ahead),
      PROGRAM,
      ...TALK,
      ...ALONE,
      "--settings",
      settings,
      ...(await sessionOf(task, launch)),
      ...optionsOf(task),
    ],
    env: { ...QUIET, ...modelVariables(task.model), ...launch.door.env },
    mounts: [
      ...task.process.mounts,
      { from: launch.program, to: PROGRAM, access: "read" },
      { from: config, to: CONFIG, access: "write" },
      ...(ahead === null ? [] : [ahead.mount]),
    ],
    capture: "none",
    modelSocket: launch.door.socket,
  };
}

/**
 * It writes no file that looks younger than its reading of it, and the workspace may have been made anew while a person was
 * thinking, with the same content: behind the wall, that one file is made old first.
 */
function ageing(ahead: Gateway | null): readonly string[] {
  if (ahead === null || ahead.file === null) return [];
  return ["/bin/sh", "-c", 'touch -c -h -d @1 -- "$1" 2>/dev/null; shift; exec "$@"', "sh", ahead.file];
}

/** All that the program itself keeps; what is beside it in the home of the task it never sees. */
function configFolder({ home }: AgentTask): string {
  return join(home, "claude");
}

/** A session that was cut off before anything of it was kept begins again under its name; what is torn, under a new one. */
async function sessionOf(task: AgentTask, { newSession, ahead }: Launch): Promise<readonly string[]> {
  const { session } = task;
  if (session === null || !SESSION.test(session)) return ["--session-id", newSession];
  const kept = await keptOf(configFolder(task), session);
  const beginsWith = ahead?.call ?? null;
  if (beginsWith !== null || kept === "whole") return ["--resume", session];
  return ["--session-id", kept === "none" ? session : newSession];
}

async function keptOf(config: string, session: string): Promise<"whole" | "torn" | "none"> {
  const projects = join(config, "projects");
  for (const name of await readdir(projects).catch(() => [])) {
    const path = join(projects, name, `${session}.jsonl`);
    const found = await lstat(path).catch(() => null);
    if (found === null) continue;
    const text = found.isFile() ? await readFile(path, "utf8").catch(() => "") : "";
    return /^\{.*"type":"user"/m.test(text) ? "whole" : "torn";
  }
  return "none";
}

function optionsOf({ model, maxTurns, schema }: AgentTask): readonly string[] {
  return [
    ...(model === null ? [] : ["--model", model]),
    ...(maxTurns === null ? [] : ["--max-turns", String(maxTurns)]),
    ...(schema === null ? [] : ["--json-schema", JSON.stringify(schema)]),
    ...["--disallowedTools", UNFIT.join(",")],
  ];
}

/** Whatever it asks of a model besides goes to the same one. */
function modelVariables(model: string | null): Readonly<Record<string, string>> {
  if (model === null) return {};
  return {
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_SMALL_FAST_MODEL: model,
    CLAUDE_CODE_SUBAGENT_MODEL: model,
  };
}

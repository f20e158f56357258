/** One attempt of an agent program: its home, its settings, its place behind the wall, and the talk with it. */
import type { AgentOutcome, AgentReport, AgentTask } from "../../../ports/agents/agent-backend.ts";
import type { Executor } from "../../../ports/executor.ts";
import { BEHIND, type Mount } from "../../../ports/sandbox.ts";
import { converse, type Speaker } from "./converse.ts";
import { lost } from "./failure.ts";
import { behindWall, findProgram, type ProgramPlaces, type ProgramSpec } from "./find-program.ts";
import { hideFolders } from "./hidden.ts";
import { type HomeSpec, prepareHome } from "./home.ts";
import { workPlaceOf } from "./work-place.ts";

export interface CliOptions extends ProgramPlaces {
  readonly executor: Executor;
  /** The project. */
  readonly root: string;
}

/** How it is told what to do, and where its model is. */
export interface CliSettings extends HomeSpec {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Folders of the repository that it must not see. */
  readonly hidden?: readonly string[];
}

/** The way to models, as a program finds it behind the wall. */
export interface ModelAddress {
  /** Without a path. */
  readonly url: string;
  readonly token: string;
}

export interface CliRun {
  readonly spec: ProgramSpec;
  readonly settings: (models: ModelAddress) => CliSettings;
  readonly speaker: Speaker;
  readonly task: AgentTask;
}

/** Nothing of this machine: no settings of the user, no reports to anybody, no colours. */
const QUIET: Readonly<Record<string, string>> = {
  XDG_CONFIG_HOME: `${BEHIND.home}/.config`,
  XDG_DATA_HOME: `${BEHIND.home}/.local/share`,
  XDG_CACHE_HOME: `${BEHIND.home}/.cache`,
  XDG_STATE_HOME: `${BEHIND.home}/.local/state`,
  TERM: "dumb",
  NO_COLOR: "1",
  CI: "1",
  DO_NOT_TRACK: "1",
};

export async function runCli(
  { executor, path, nodeProgram, root }: CliOptions,
  { spec, settings, speaker, task }: CliRun,
  signal: AbortSignal,
): Promise<Pick<AgentReport, "outcome" | "process">> {
  const refused = (why: string): { readonly outcome: AgentOutcome } => ({ outcome: lost(why) });
  if (signal.aborted) return { outcome: { kind: "cancelled" } };
  if (task.process.wall.sandbox === "danger_full_access") return refused("it works only behind a wall");
  if (spec.name === "") return refused("`run` of the agent names no command");
  const models = addressOf(task);
  if (models === null) return refused("it has no way to a model: the stage must say what it may spend on models");
  const program = programOf(spec, path, nodeProgram);
  if (program === null) return refused(`${spec.name} is not installed on this machine`);
  const { args, env, hidden = [], ...home } = settings(models);
  const mounts = [
    ...task.process.mounts,
    ...(await hideFolders(hidden, task, { root, cwd: workPlaceOf(task.process).cwd })),
    ...program.mounts,
    ...(await prepareHome(task.home, home)),
  ];
  return converse(
    executor,
    {
      ...task.process,
      argv: [...program.argv, ...args],
      // What leads to the gateway comes last, so that nothing can take its place.
      env: { ...QUIET, ...env, ...task.door?.env },
      mounts,
      capture: "none",
      ...(task.door === null ? {} : { modelSocket: task.door.socket }),
    },
    speaker,
    signal,
  );
}

/** null: it is not installed. */
function programOf(
  spec: ProgramSpec,
  path: string,
  nodeProgram: string,
): { readonly argv: readonly string[]; readonly mounts: readonly Mount[] } | null {
  if (spec.name.includes("/")) return { argv: [spec.name], mounts: [] };
  const program = findProgram(spec, path);
  if (program === null) return null;
  const { argv, mount } = behindWall(program, nodeProgram);
  return { argv, mounts: [mount] };
}

function addressOf({ door }: AgentTask): ModelAddress | null {
  const url = door?.env["PAWL_GATEWAY_URL"];
  const token = door?.env["PAWL_GATEWAY_TOKEN"];
  return url === undefined || token === undefined ? null : { url, token };
}

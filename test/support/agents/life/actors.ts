/** The real programs as actors, where they are installed. */
import { AGENT_PROGRAMS, type AgentName, findAgent } from "../../../../scripts/agent-clis.ts";
import { createAcpBackend } from "../../../../src/adapters/agents/acp/backend.ts";
import type { CliOptions } from "../../../../src/adapters/agents/cli/run-cli.ts";
import { createCodexBackend } from "../../../../src/adapters/agents/codex/backend.ts";
import type { AgentBackend } from "../../../../src/ports/agents/agent-backend.ts";
import type { ToolUse } from "../../model-api/script.ts";
import { pathWith } from "./on-path.ts";
import type { Actor } from "./stage.ts";

type Name = Exclude<AgentName, "claude">;

const WORK = "/workspace";

interface RealWords extends Omit<Actor, "backend"> {
  read(path: string): ToolUse;
}

export const WORDS: Readonly<Record<Name, RealWords>> = {
  codex: {
    model: "gpt-5.5",
    write: (path, content) => ({
      name: "apply_patch",
      args: {},
      text: `*** Begin Patch\n*** Add File: ${WORK}/${path}\n${content.replace(/^/gm, "+")}\n*** End Patch\n`,
    }),
    run: (cmd) => ({ name: "exec_command", args: { cmd } }),
    read: (path) => ({ name: "exec_command", args: { cmd: `cat ${path}` } }),
  },
  gemini: {
    model: "gemini-2.5-flash",
    write: (path, content) => ({ name: "write_file", args: { file_path: `${WORK}/${path}`, content } }),
    run: (command) => ({ name: "run_shell_command", args: { command } }),
    read: (path) => ({ name: "read_file", args: { file_path: `${WORK}/${path}` } }),
    overloaded: 503,
    forgets: true,
  },
  opencode: {
    model: "gpt-4.1",
    write: (path, content) => ({ name: "write", args: { filePath: `${WORK}/${path}`, content } }),
    run: (command) => ({ name: "bash", args: { command, description: "It runs." } }),
    read: (path) => ({ name: "read", args: { filePath: `${WORK}/${path}` } }),
  },
  grok: {
    model: "gpt-5.5",
    sideModel: "grok-4.6",
    write: (path, content) => ({ name: "write", args: { file_path: `${WORK}/${path}`, content } }),
    run: (command) => ({ name: "run_terminal_command", args: { command, description: "It runs." } }),
    read: (path) => ({ name: "read_file", args: { target_file: `${WORK}/${path}` } }),
  },
};

/** To be called inside a test. */
function backendOf(name: Name, program: string, executor: CliOptions["executor"]): AgentBackend {
  const path = pathWith({ [name]: program });
  const options = { executor, root: "/nowhere", path, nodeProgram: process.execPath };
  return name === "codex" ? createCodexBackend(options) : createAcpBackend(name, options);
}

/** null: it is not installed. */
export function realProgram(name: Name): string | null {
  return findAgent(AGENT_PROGRAMS.find((agent) => agent.name === name) as (typeof AGENT_PROGRAMS)[number]);
}

/** null: it is not installed. */
export function realActor(name: Name): Actor | null {
  const program = realProgram(name);
  if (program === null) return null;
  return { ...WORDS[name], backend: (executor) => backendOf(name, program, executor) };
}

export const REAL_NAMES = Object.keys(WORDS) as readonly Name[];

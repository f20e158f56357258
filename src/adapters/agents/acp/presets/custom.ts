/** Any other agent that speaks ACP, by the command that a person gives. Nothing is known of it, so nothing is promised. */
import type { JsonObject } from "../../../../base/json.ts";
import type { AcpPreset } from "./preset.ts";

const CONTAINED = "contained";
const UNKNOWN = {
  title: "the agent",
  install: "name its command in `run` of the agent",
  range: null,
} as const;

/** `run`: its program and arguments, as the plan has them. */
export function customPreset(run: readonly string[]): AcpPreset {
  const [program = "", ...args] = run;
  return {
    name: "acp",
    program: { name: program },
    tested: UNKNOWN,
    // What it asks is ruled on like everything else; what it does not ask, nobody knows.
    oversight: {
      read: CONTAINED,
      edit: CONTAINED,
      run: CONTAINED,
      fetch: CONTAINED,
      mcp: CONTAINED,
      tool: CONTAINED,
    },
    resume: true,
    reportsUsage: false,
    settings: () => ({ args, env: {}, kept: [".local/share", ".sessions"], files: {} }),
  };
}

/** The command in the settings of a task; empty: there is none, and nothing can be started. */
export function commandIn({ run }: JsonObject): readonly string[] {
  return Array.isArray(run) && run.every((part) => typeof part === "string") ? run : [];
}

/** Any other agent that speaks ACP, by the command that a person gives. */
import type { JsonObject } from "../../../base/json.ts";
import type { AcpPreset } from "./preset.ts";
import { ACP_SIGNATURE } from "./signatures.ts";

/** `run`: its program and arguments, as the plan has them. */
export function customPreset(run: readonly string[]): AcpPreset {
  const [program = "", ...args] = run;
  return {
    signature: ACP_SIGNATURE,
    program: { name: program },
    tested: { title: "the agent", install: "name its command in `run` of the agent", range: null },
    settings: ({ model }) => ({
      args,
      env: model === null ? {} : { PAWL_MODEL: model },
      kept: [".local/share"],
      files: {},
    }),
  };
}

/** The command in the settings of a task; empty: there is none, and nothing can be started. */
export function commandIn({ run }: JsonObject): readonly string[] {
  return Array.isArray(run) && run.every((part) => typeof part === "string") ? run : [];
}

/** Why a wall could not be built. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const SANDBOX_ERRORS = {
  SANDBOX_UNAVAILABLE: {
    what: (d: { missing: string }) => `This machine cannot build the sandbox: ${d.missing}.`,
    why: "Without it a process could read your secrets and write anywhere. Nothing was started.",
    hint: (d: { hint: string }) => `${d.hint} \`pawl doctor\` tries it again.`,
    retry: "after_change",
    exit: 1,
  },
  SANDBOX_STARVED: {
    what: (d: { scarce: string }) => `The sandbox cannot be built now: ${d.scarce}.`,
    why: "Other programs of this machine use what it needs. Nothing was started, and nothing is wrong with the stage.",
    hint: "Wait until there is less to do, or end what runs away (`ps -eLf`), then resume the run.",
    retry: "safe",
    exit: 1,
  },
  SANDBOX_PATH_UNFIT: {
    what: (d: { path: string; problem: string }) => `The sandbox cannot protect ${d.path}: ${d.problem}.`,
    why: "A path that must stay as it is could be replaced by the process. Nothing was started.",
    hint: (d: { path: string }) =>
      `Make ${d.path} and the folders on the way to it ordinary files and folders in the project, or remove them, and commit that.`,
    retry: "after_change",
    exit: 1,
  },
  SANDBOX_PROGRAM_UNFIT: {
    what: (d: { problem: string }) => `The program cannot be started in the sandbox: ${d.problem}.`,
    why: "What is started must be exactly what was asked for. Nothing was started.",
    hint: "Correct the command or the environment of the stage.",
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;

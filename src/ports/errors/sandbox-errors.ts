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
  SANDBOX_PATH_UNFIT: {
    what: (d: { path: string; problem: string }) => `The sandbox cannot protect ${d.path}: ${d.problem}.`,
    why: "A path that must stay as it is could be replaced by the process. Nothing was started.",
    hint: "Make it an ordinary file or folder, or remove it.",
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

/** Problems of openloop.json that its shape does not tell. */
import type { Catalogue } from "../../../base/diagnostic.ts";

const INPUT = { retry: "after_change", exit: 3 } as const;

export const OPENLOOP_ERRORS = {
  OPENLOOP_VERIFY_EMPTY: {
    ...INPUT,
    what: (_: Record<string, never>) => "commands.verify is empty",
    why: "Only a check from outside completes a loop; without one nothing could ever be complete.",
    hint: "Write the command that checks the project, such as its tests.",
  },
  OPENLOOP_BASELINE_INCOMPLETE: {
    ...INPUT,
    what: (_: Record<string, never>) => "the baseline is enabled and has no command, no regex or no value",
    why: "A baseline that cannot be measured would never pass, or would look as if it had.",
    hint: "Give `command`, `regex` and `value`, or set `enabled` to false.",
  },
  OPENLOOP_REGEX_UNFIT: {
    ...INPUT,
    what: (d: { problem: string }) => `the regex of the baseline cannot be used: ${d.problem}`,
    why: "The number is its first group, and it is matched in linear time.",
    hint: "Write an expression with one group and without look-around and back references, such as score=([0-9.]+).",
  },
  OPENLOOP_VARIABLE_UNSURE: {
    ...INPUT,
    what: (d: { name: string; after: string }) =>
      `{${d.name}} stands after ${d.after}, where its quotes cannot be told`,
    why: "A value in the wrong quotes would be read by the shell.",
    hint: 'Use the environment instead: "$OPENLOOP_WORKSPACE", "$OPENLOOP_PROJECT_ROOT", "$OPENLOOP_ROUND", "$OPENLOOP_LAST_ERROR".',
  },
} as const satisfies Catalogue;

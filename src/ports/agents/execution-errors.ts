/** Problems of plans that are made at run time. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const EXECUTION_ERRORS = {
  EXECUTION_PLAN_INVALID: {
    what: (d: { at: string; problem: string }) => `runtime: invalid plan: ${d.at} ${d.problem}`,
    why: "A plan is run as a whole or not at all: nothing of it has been started.",
    hint: "Let the plan be made again, with this problem told to whoever makes it.",
    retry: "after_change",
    exit: 3,
  },
  EXECUTION_REFERENCE_EMPTY: {
    what: (d: { step: string; ref: string }) => `runtime: step ${d.step}: {{${d.ref}}} stands for nothing`,
    why: "A tool that is given the braces instead of a value does something that nobody meant. It was not called.",
    hint: "Refer to a member that the output of the earlier step has.",
    retry: "after_change",
    exit: 1,
  },
} as const satisfies Catalogue;

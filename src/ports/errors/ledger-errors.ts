/** What the ledger refuses. That a cap is reached is no error: it is an answer. */
import type { Catalogue } from "../../base/diagnostic.ts";

export const LEDGER_ERRORS = {
  LEDGER_AMOUNT_INVALID: {
    what: (d: { key: string; problem: string }) => `The ledger cannot count what ${d.key} asks for: ${d.problem}.`,
    why: "Amounts are whole numbers from 0 to a million millions, so that sums are exact.",
    hint: "Declare the cost of an action in whole tokens and whole micro-dollars.",
    retry: "after_change",
    exit: 1,
  },
  LEDGER_KEY_SPENT: {
    what: (d: { key: string }) => `${d.key} was settled already.`,
    why: "What is settled is over: spending once more under the same key would not be counted.",
    hint: "Report this: each attempt and each call has a key of its own.",
    retry: "never",
    exit: 1,
  },
} as const satisfies Catalogue;

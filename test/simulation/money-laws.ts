/** The laws of money: no cap is passed, nothing stays held, the books are the sum of their entries, and the journal tells what they do. */
import { summarize } from "../../src/run/record/run-summary.ts";
import type { Law } from "./life.ts";

export const MONEY_LAWS: Readonly<Record<string, Law>> = {
  "of no cap more is settled and held than it is": ({ world }) => world.money.passed[0] ?? null,
  "of a run that has ended nothing is held": ({ books: { held } }) =>
    held.length === 0 ? null : `${held.join(", ")} still held`,
  "what is left of a cap is what the replay of the ledger leaves": ({ books: { problems } }) => problems[0] ?? null,
  "a run says that it has spent exactly what was settled for it": ({ books, state, plan, events }) => {
    const { cost } = summarize(
      plan,
      events.map(({ event }) => event),
    );
    const { usage } = state.facts;
    const told = `${usage.tokens} tokens and ${usage.microUsd} micro-dollars`;
    const settled = `${books.settled.tokens} tokens and ${books.settled.microUsd} micro-dollars`;
    if (told !== settled) return `${settled} were settled, and it says ${told}`;
    if (state.facts.turns !== books.calls)
      return `${books.calls} calls were paid for, and it says ${state.facts.turns}`;
    return cost.tokens === usage.tokens && cost.microUsd === usage.microUsd ? null : "its summary says another amount";
  },
};

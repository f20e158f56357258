/** What a call is charged once it has ended: exactly what the answer says; what it does not say, as it was reserved. */
import type { Usage } from "../base/usage.ts";
import { amountProblem } from "../limits/ledger/cap.ts";
import { costOf, type WorstCall } from "../limits/prices/cost.ts";
import type { Price } from "../limits/prices/price.ts";
import { type Tokens, totalOf } from "../limits/prices/tokens.ts";
import type { AnswerReading } from "./wires/wire.ts";

export interface Charge {
  readonly usage: Usage;
  readonly tokens: Tokens | null;
  /** Why it is not exact; null: it is. */
  readonly estimate: string | null;
}

export const FREE: Charge = { usage: { tokens: 0, microUsd: 0 }, tokens: null, estimate: null };

export function chargeFor(reading: AnswerReading, price: Price | null, worst: WorstCall): Charge {
  const told = toldBy(reading, price, worst);
  const isCountable = amountProblem({ ...told.usage }) === undefined;
  return isCountable ? told : reserved(worst, "nobody can count what the answer says: charged what was reserved");
}

function toldBy({ tokens, isWhole }: AnswerReading, price: Price | null, worst: WorstCall): Charge {
  if (tokens === null) return reserved(worst, "the answer does not say what it took: charged what was reserved");
  const known: Tokens = isWhole ? tokens : { ...tokens, output: Math.max(tokens.output, worst.output) };
  const total = totalOf(known);
  if (price === null) {
    const usage = { tokens: total, microUsd: worst.microUsd };
    return { usage, tokens: known, estimate: "the price of the model is not known: charged what was reserved" };
  }
  const usage = { tokens: total, microUsd: costOf(price, known) };
  const cut = "the answer was cut: its output is charged as it was reserved";
  return { usage, tokens: known, estimate: isWhole ? null : cut };
}

export function reserved({ tokens, microUsd }: WorstCall, estimate: string): Charge {
  return { usage: { tokens, microUsd }, tokens: null, estimate };
}

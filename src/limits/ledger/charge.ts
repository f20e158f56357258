/** What a reservation is charged in the end. Nobody is given the benefit of a doubt: what is not known costs what was reserved. */
import { type Amounts, UNITS } from "./cap.ts";

/** What was told is booked in full, however much it is; a unit of which nothing was told is charged as reserved. */
export function chargeFor(asked: Amounts, actual: Amounts | "unknown"): Amounts {
  if (actual === "unknown") return asked;
  const told = UNITS.flatMap((unit): [string, number][] => {
    const amount = actual[unit] ?? asked[unit];
    return amount === undefined ? [] : [[unit, amount]];
  });
  return Object.fromEntries(told);
}

export function addAmounts(a: Amounts, b: Amounts): Amounts {
  const sums = UNITS.flatMap((unit): [string, number][] => {
    const sum = (a[unit] ?? 0) + (b[unit] ?? 0);
    return sum === 0 ? [] : [[unit, sum]];
  });
  return Object.fromEntries(sums);
}

/** How the processes of the simulated world end, and what they show to the gate that started them. */
import type { ProcessReport } from "../../src/ports/executor.ts";
import type { Chance } from "./random.ts";

export type Ended = Pick<ProcessReport, "cause" | "exit" | "error"> & { readonly shown: string };

/** Most ends are what the text says; some are not, and some texts say nothing. */
export function randomEnd(dice: Chance): Ended {
  const tests = Array.from({ length: 1 + dice.int(3) }, () => dice.hit(0.85));
  const ended = endOf(dice, tests.every(Boolean));
  return { ...ended, shown: dice.hit(0.05) ? "" : textOf(dice, tests) };
}

function endOf(dice: Chance, isGood: boolean): Omit<Ended, "shown"> {
  const roll = dice.next();
  if (roll < 0.06) return { cause: dice.pick(["signal", "stall", "oom", "spawn_error"] as const), error: "broken" };
  if (roll < 0.12) return { cause: "exit", exit: dice.pick([1, 2, 127]), error: "exited" };
  if (roll < 0.15) return { cause: "ok", exit: 0 };
  return isGood ? { cause: "ok", exit: 0 } : { cause: "exit", exit: 1 + dice.int(2), error: "exited" };
}

/** A report of tests, and a number. */
function textOf(dice: Chance, tests: readonly boolean[]): string {
  const lines = tests.map((passed, index) => `${passed ? "ok" : "not ok"} ${index + 1} - test ${index + 1}`);
  const plan = `1..${dice.hit(0.03) ? tests.length + 1 : tests.length}`;
  const score = dice.hit(0.03) ? "score none" : `score ${dice.int(4)}`;
  return ["TAP version 13", ...lines, plan, score, ""].join("\n");
}

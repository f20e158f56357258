/** What things cost, and who may spend how much: limits and budgets of a random blueprint, and caps of its project. */
import type { Blueprint, LeafSpec, StageSpec } from "../../src/blueprint/blueprint.ts";
import { type BudgetSpec, EACH_RUN, NO_BUDGET } from "../../src/limits/ledger/budget.ts";
import { type Account, type Cap, FLEET, type Unit, type Window } from "../../src/limits/ledger/cap.ts";
import type { Chance } from "./random.ts";

/** Micro-dollars for a token of every model. */
export const TOKEN_PRICE = 3;

/** Agents get money for their tokens, sometimes too little; the run may have a limit on money or calls. */
export function randomMoney(blueprint: Blueprint, dice: Chance): Blueprint {
  const stages = blueprint.stages.map((stage) => priced(stage, dice));
  const limits = {
    ...blueprint.limits,
    ...(dice.hit(0.15) ? { microUsd: 30 + dice.int(600) } : {}),
    ...(dice.hit(0.15) ? { turns: 5 + dice.int(20) } : {}),
  };
  return { ...blueprint, stages, limits };
}

function priced(stage: StageSpec, dice: Chance): StageSpec {
  if (stage.kind === "group") return { ...stage, members: stage.members.map((leaf) => priced(leaf, dice) as LeafSpec) };
  if (stage.kind !== "agent" || stage.models === undefined) return stage;
  const enough = stage.models.tokens * TOKEN_PRICE;
  return { ...stage, models: { ...stage.models, microUsd: dice.hit(0.7) ? enough : dice.int(enough + 1) } };
}

/** Most projects cap something. */
export function randomCaps(dice: Chance): BudgetSpec {
  const cap = (account: Account, unit: Unit, window: Window, amount: number): Cap => {
    return { account, unit, window, amount, source: "pawl.yaml:1:1" };
  };
  const caps = [
    ...(dice.hit(0.4) ? [cap(EACH_RUN, "tokens", "run", 15 + dice.int(150))] : []),
    ...(dice.hit(0.3) ? [cap(EACH_RUN, "microUsd", "run", 20 + dice.int(400))] : []),
    ...(dice.hit(0.2) ? [cap(FLEET, "tokens", "day", 20 + dice.int(80))] : []),
    ...(dice.hit(0.1) ? [cap(FLEET, "microUsd", "week", 40 + dice.int(200))] : []),
    ...(dice.hit(0.1) ? [cap(FLEET, "runs", "day", dice.int(3))] : []),
  ];
  return { ...NO_BUDGET, caps };
}

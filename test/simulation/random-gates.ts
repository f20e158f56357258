/** Random gates: every way a process or the change itself is judged. */
import type { ChangeAnswer, ChangeRules, Judge, LeafSpec, StageCommon } from "../../src/blueprint/blueprint.ts";
import type { Chance } from "./random.ts";

const ANSWERS: readonly ChangeAnswer[] = ["allow", "escalate", "fail"];
const REFUSALS = ["escalate", "fail"] as const;

export function randomJudge(dice: Chance): Judge {
  const roll = dice.next();
  if (roll < 0.4) return { by: "exit", escalateExits: dice.hit(0.5) ? [2] : [] };
  if (roll < 0.65)
    return {
      by: "tests",
      format: dice.pick(["auto", "tap"]),
      must: dice.pick(["no_regress", "no_regress", "improve", "all_pass"]),
      report: dice.hit(0.5) ? "report.tap" : null,
      reruns: dice.int(3),
      flakyMs: 1 + dice.int(60_000),
    };
  if (roll < 0.85) {
    const must = dice.pick(["no_regress", "improve", "reach"] as const);
    return {
      by: "metric",
      source: { regex: "^score ([0-9]+)$" },
      direction: dice.pick(["higher", "lower"]),
      must,
      target: must === "reach" ? dice.int(4) : null,
      tolerance: dice.hit(0.5) ? dice.int(3) : null,
      repeats: 1 + dice.int(3),
    };
  }
  return { by: "quality", tool: dice.pick(["lint", "custom"]), mode: dice.pick(["block", "warn"]) };
}

export function randomInspection(dice: Chance, common: StageCommon): LeafSpec {
  const rules: ChangeRules = {
    deny: dice.hit(0.3) ? ["data/**"] : [],
    allow: dice.hit(0.3) ? ["**"] : null,
    maxFiles: dice.hit(0.2) ? 1 + dice.int(4) : null,
    maxLines: null,
    denied: dice.pick(REFUSALS),
    beyond: dice.pick(REFUSALS),
    dotfiles: dice.pick(ANSWERS),
    modes: dice.pick(ANSWERS),
    links: dice.pick(ANSWERS),
    submodules: dice.pick(ANSWERS),
    lockfiles: dice.pick(ANSWERS),
    ci: dice.pick(ANSWERS),
    binary: dice.pick(ANSWERS),
  };
  return { ...common, kind: "inspection", by: dice.pick(["change", "change", "merge"]), rules };
}

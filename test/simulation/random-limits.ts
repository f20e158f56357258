/** Child runs, looks that change nothing, and limits on what repeats, put into a random blueprint. */
import type { Span } from "../../src/base/diagnostic.ts";
import type { Blueprint, LeafSpec, LimitsSpec, StageSpec } from "../../src/blueprint/blueprint.ts";
import type { Chance } from "./random.ts";

const where: Span = { file: "random.yaml", line: 1, column: 1, length: 1 };

export function randomLimits(blueprint: Blueprint, dice: Chance): Blueprint {
  const stages = blueprint.stages.map((stage) => changed(stage, dice));
  return { ...blueprint, stages, limits: { ...blueprint.limits, ...moreLimits(dice) } };
}

function moreLimits(dice: Chance): LimitsSpec {
  const repeats = (): number => 2 + dice.int(3);
  const stagnation = {
    sameFailure: repeats(),
    sameTree: repeats(),
    oscillation: repeats(),
    repeats: repeats(),
    testOutcomes: repeats(),
  };
  return {
    ...(dice.hit(0.5) ? { stagnation } : {}),
    ...(dice.hit(0.5) ? { spawns: 1 + dice.int(4) } : {}),
    ...(dice.hit(0.3) ? { depth: 1 + dice.int(2) } : {}),
  };
}

function changed(stage: StageSpec, dice: Chance): StageSpec {
  if (stage.kind === "group")
    return { ...stage, members: stage.members.map((leaf) => changed(leaf, dice) as LeafSpec) };
  if (stage.kind === "command" && dice.hit(0.3)) return { ...stage, sandbox: "read_only" };
  if (stage.kind !== "action" || !dice.hit(0.4)) return stage;
  const { action: _action, with: _with, effect: _effect, ...common } = stage;
  return { ...common, kind: "run", blueprint: dice.pick(["./kid.yaml", "./parent.yaml"]), params: [] };
}

/** What run stages name: a child that starts nothing, and one that starts that. */
export function childBlueprint(name: string): Blueprint | undefined {
  const common = { inputs: [], on: [], where };
  const stages: Readonly<Record<string, readonly StageSpec[]>> = {
    "./kid.yaml": [{ ...common, id: "work", kind: "action", action: "sim.keyed", with: { map: [] } }],
    "./parent.yaml": [
      { ...common, id: "one", kind: "run", blueprint: "./kid.yaml", params: [] },
      { ...common, id: "two", kind: "run", blueprint: "./kid.yaml", params: [] },
    ],
  };
  const found = stages[name];
  if (found === undefined) return undefined;
  return {
    version: 1,
    name: name.slice(2, -5),
    params: [],
    defaults: {},
    workspace: { kind: "clone", from: "head", share: [] },
    limits: {},
    use: [],
    rules: [{ id: "kid.action", effect: "allow", pattern: { action: "sim.*" } }],
    protect: [],
    unprotect: [],
    stages: found,
    file: name,
  };
}

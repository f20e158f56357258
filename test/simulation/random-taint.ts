/** The same random blueprint with third-party text in it: stages that bring it, and stages that read what others left. */
import type { Span } from "../../src/base/diagnostic.ts";
import type { Blueprint, LeafSpec, StageSpec } from "../../src/blueprint/blueprint.ts";
import type { Chance } from "./random.ts";

const where: Span = { file: "random.yaml", line: 1, column: 1, length: 1 };

export function randomTaint(blueprint: Blueprint, dice: Chance): Blueprint {
  if (dice.hit(0.5)) return blueprint;
  const logs = blueprint.stages.filter(({ kind }) => kind === "command" || kind === "gate").map(({ id }) => id);
  const taint = (spec: LeafSpec, stage: string): LeafSpec => {
    if (spec.kind !== "command" && spec.kind !== "gate") return spec;
    const others = logs.filter((id) => id !== stage);
    const reads = others.length > 0 && dice.hit(0.4) ? [{ name: `${dice.pick(others)}.log`, where }] : [];
    return { ...spec, inputs: reads, ...(dice.hit(0.25) ? { untrusted: true } : {}) };
  };
  const stages = blueprint.stages.map(
    (spec): StageSpec =>
      spec.kind === "group"
        ? { ...spec, members: spec.members.map((member) => taint(member, spec.id)) }
        : taint(spec, spec.id),
  );
  return { ...blueprint, stages };
}

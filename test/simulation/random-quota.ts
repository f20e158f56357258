/** Stages that a vendor may refuse for now, and a vendor that does. It has dice of its own: the lives of other seeds stay as they are. */
import type { Blueprint, StageSpec } from "../../src/blueprint/blueprint.ts";
import type { Chance } from "./random.ts";

export function randomQuota(blueprint: Blueprint, dice: Chance): Blueprint {
  const withQuota = <S extends StageSpec>(spec: S): S => {
    if (spec.kind === "group") return { ...spec, members: spec.members.map(withQuota) };
    return spec.kind === "command" && dice.hit(0.5) ? { ...spec, quota: "any" } : spec;
  };
  return dice.hit(0.3) ? { ...blueprint, stages: blueprint.stages.map(withQuota) } : blueprint;
}

/** What a program says last before it fails; nothing where it was not refused. */
export function randomRefusal(dice: Chance): string {
  if (!dice.hit(0.4)) return "";
  const when = dice.pick([`in ${1 + dice.int(300)} seconds`, "later", "at 3pm (America/New_York)"]);
  return `You've hit your usage limit. Try again ${when}.`;
}

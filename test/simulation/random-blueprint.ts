/** Random blueprints that compile: every kind of leaf, groups, fan-outs, cycles with caps, retries, limits. */
import type { Span } from "../../src/base/diagnostic.ts";
import type { Blueprint, EffectClass, GroupSpec, LeafSpec, StageSpec } from "../../src/blueprint/blueprint.ts";
import { outcomesOf } from "../../src/blueprint/gate/outcomes.ts";
import type { Rule } from "../../src/policy/rule.ts";
import type { Chance } from "./random.ts";
import { randomInspection, randomJudge } from "./random-gates.ts";
import { OWN_SHIELD } from "./tampering.ts";

const where: Span = { file: "random.yaml", line: 1, column: 1, length: 1 };
const EFFECTS: readonly EffectClass[] = ["idempotent", "keyed", "once"];

/** Programs by what policy says of them; `deny` is rare, because it ends the run. */
const RULES: readonly Rule[] = [
  { id: "sim.allow", effect: "allow", pattern: { run: ["do", "**"] } },
  { id: "sim.action", effect: "allow", pattern: { action: "sim.*" } },
  { id: "sim.ask", effect: "ask", pattern: { run: ["ask", "**"] } },
  { id: "sim.deny", effect: "deny", pattern: { run: ["deny", "**"] } },
];

/** A group has two outcomes, whatever its members say. */
const GROUP_OUTCOMES: Readonly<Record<string, string>> = {
  success: "success",
  failure: "failure",
  pass: "success",
  fail: "failure",
};

const COMMAND_ROLL = 0;
const GATE_ROLL = 0.5;

export function randomBlueprint(dice: Chance, name = "random"): Blueprint {
  const count = 1 + dice.int(5);
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  // Half of them end as blueprints do: something is made, and something judges it.
  const judged = count > 1 && dice.hit(0.5);
  const rollOf = (index: number): number =>
    judged && index === count - 1 ? GATE_ROLL : judged && index === count - 2 ? COMMAND_ROLL : dice.next();
  const stages = ids.map((id, index) => randomStage(dice, randomLeaf(dice, id, rollOf(index)), ids));
  return {
    version: 1,
    name,
    params: [],
    defaults: {},
    workspace: { kind: "clone", from: "head", share: [] },
    limits: {
      rounds: 1 + dice.int(4),
      ...(dice.hit(0.3) ? { stages: 2 + dice.int(20) } : {}),
      ...(dice.hit(0.2) ? { wallMs: 1000 + dice.int(60_000) } : {}),
      ...(dice.hit(0.2) ? { consecutiveFailures: 1 + dice.int(4) } : {}),
      ...(dice.hit(0.2) ? { tokens: 20 + dice.int(200) } : {}),
    },
    use: [],
    rules: RULES,
    protect: dice.hit(0.5) ? [OWN_SHIELD] : [],
    unprotect: [],
    stages,
    file: "random.yaml",
  };
}

function randomStage(dice: Chance, leaf: LeafSpec, ids: readonly string[]): StageSpec {
  const { id } = leaf;
  const targets = [...ids, "done", "fail", "paused"];
  const on: { outcome: string; target: string; where: Span }[] = [];
  const isGate = leaf.kind === "gate" || leaf.kind === "approval" || leaf.kind === "inspection";
  if (dice.hit(0.3)) on.push({ outcome: isGate ? "pass" : "success", target: dice.pick(targets), where });
  if (dice.hit(0.6)) on.push({ outcome: isGate ? "fail" : "failure", target: dice.pick(targets), where });
  for (const outcome of outcomesOf(leaf).slice(2))
    if (dice.hit(0.6)) on.push({ outcome, target: dice.pick(targets), where });
  const caps = dice.hit(0.3) ? { maxVisits: 1 + dice.int(3) } : {};
  if (dice.hit(0.2)) {
    const members = Array.from({ length: 1 + dice.int(4) }, (_, member) => randomLeaf(dice, `m${member}`, dice.next()));
    const first = members[0] as LeafSpec;
    const fanOut = dice.hit(0.5);
    const group: GroupSpec = {
      id,
      kind: "group",
      inputs: [],
      on: on.flatMap((route) => {
        const outcome = GROUP_OUTCOMES[route.outcome];
        return outcome === undefined ? [] : [{ ...route, outcome }];
      }),
      where,
      ...caps,
      members: fanOut ? [first] : members,
      ...(fanOut ? { forEach: { lit: Array.from({ length: dice.int(5) }, (_, item) => item) } } : {}),
      maxItems: 4,
      maxParallel: 1 + dice.int(3),
      failFast: dice.hit(0.4),
    };
    return group;
  }
  return { ...leaf, ...caps, on } as StageSpec;
}

/** `kind`: from 0 to 1, what it shall be. */
function randomLeaf(dice: Chance, id: string, kind: number): LeafSpec {
  const common = {
    id,
    inputs: [],
    on: [],
    where,
    maxAttempts: 1 + dice.int(3),
    timeoutMs: 500 + dice.int(5000),
    backoff: { firstMs: dice.int(2000), factor: 2, maxMs: 4000 },
  };
  const roll = dice.next();
  const program = roll < 0.02 ? "deny" : roll < 0.08 ? "ask" : "do";
  const fields = {
    program: { argv: { list: [{ lit: program }, { lit: id }] } },
    env: [],
    capture: "none",
    outputs: [],
  } as const;
  if (kind < 0.5) return { ...common, ...fields, kind: "command", effect: dice.pick(EFFECTS) };
  if (kind < 0.7) return { ...common, ...fields, kind: "gate", judge: randomJudge(dice) };
  if (kind < 0.78) return approval(dice, id);
  if (kind < 0.84) return randomInspection(dice, common);
  return { ...common, kind: "action", action: dice.pick(["sim.keyed", "sim.once"]), with: { map: [] } };
}

function approval(dice: Chance, id: string): LeafSpec {
  const expiresMs = 2 + dice.int(20_000);
  const reminds = dice.hit(0.5) ? { remindMs: 1 + dice.int(expiresMs - 1) } : {};
  return { id, inputs: [], on: [], where, kind: "approval", expiresMs, ...reminds };
}

/** Blueprints by chance: every kind of stage, routes to anywhere, caps here and there, child runs two deep. */
import fc from "fast-check";
import type { Blueprint, LeafSpec, LimitsSpec, StageSpec } from "../../src/blueprint/blueprint.ts";
import { action, blueprint, command, gate, group, ref, run } from "./blueprint-builder.ts";

const small = (most: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: most });

const backoff = fc.record({ firstMs: fc.nat(6), factor: fc.constantFrom(1, 1.5, 2), maxMs: fc.nat(9) });

const settings = fc.record(
  { maxAttempts: small(3), timeoutMs: small(20), backoff, maxVisits: small(4) },
  { requiredKeys: ["timeoutMs"] },
);

const limitsArbitrary: fc.Arbitrary<LimitsSpec> = fc.record(
  {
    stages: small(40),
    wallMs: small(200),
    rounds: small(5),
    tokens: small(60),
    microUsd: small(60),
    spawns: small(4),
    depth: small(3),
  },
  { requiredKeys: [] },
);

/** A leaf stage; `children` are the names it may run. */
function leafArbitrary(children: readonly string[]): fc.Arbitrary<(id: string) => LeafSpec> {
  const kinds = ["command", "action", "gate", ...(children.length === 0 ? [] : ["run"])];
  return fc
    .record({ kind: fc.constantFrom(...kinds), settings, child: fc.nat(9), hasTimeout: fc.boolean() })
    .map(({ kind, settings: fields, child, hasTimeout }) => (id: string): LeafSpec => {
      if (kind === "action") return action(id, fields);
      if (kind === "gate") return gate(id, { ...fields, judge: { by: "exit", escalateExits: [3] } });
      if (kind !== "run") return command(id, fields);
      const { timeoutMs, ...rest } = fields;
      return run(id, children[child % children.length] as string, hasTimeout ? { ...rest, timeoutMs } : rest);
    });
}

function stageArbitrary(children: readonly string[]): fc.Arbitrary<(id: string) => StageSpec> {
  const leaf = leafArbitrary(children);
  const groupOf = fc
    .record({
      members: fc.array(leaf, { minLength: 1, maxLength: 4 }),
      maxParallel: small(3),
      maxItems: small(5),
      isFanOut: fc.boolean(),
    })
    .map(({ members, maxParallel, maxItems, isFanOut }) => (id: string): StageSpec => {
      const built = members.map((member, index) => member(`m${index}`));
      if (!isFanOut) return group(id, built, { maxParallel });
      return group(id, built.slice(0, 1), { maxParallel, maxItems, forEach: ref("params.items") });
    });
  return fc.oneof({ weight: 4, arbitrary: leaf }, { weight: 1, arbitrary: groupOf });
}

/** A blueprint that may have cycles without a cap. */
function blueprintArbitrary(name: string, children: readonly string[]): fc.Arbitrary<Blueprint> {
  const stage = fc.record({ build: stageArbitrary(children), targets: fc.array(fc.nat(11), { maxLength: 3 }) });
  return fc
    .record({ stages: fc.array(stage, { minLength: 1, maxLength: 6 }), limits: limitsArbitrary })
    .map(({ stages, limits }) => {
      const ids = stages.map((_, index) => `s${index}`);
      const ends = [...ids, ...ids, "done", "fail", "paused"];
      const specs = stages.map(({ build, targets }, index): StageSpec => {
        const spec = build(ids[index] as string);
        const outcomes = spec.kind === "gate" ? ["fail", "pass", "escalate"] : ["failure", "success"];
        const on = targets.slice(0, outcomes.length).map((target, at) => ({
          outcome: outcomes[at] as string,
          target: ends[target % ends.length] as string,
          where: spec.where,
        }));
        return { ...spec, on };
      });
      return blueprint(specs, { name, limits });
    });
}

/** A blueprint with the children it may run, the inner ones first. */
export const familyArbitrary: fc.Arbitrary<readonly [Blueprint, ...Blueprint[]]> = fc.tuple(
  blueprintArbitrary("top", ["kid", "inner"]),
  blueprintArbitrary("kid", ["inner"]),
  blueprintArbitrary("inner", []),
);

/** Every pattern of loop-engineering plans at every level, and its plan is what it was. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { Level } from "../../src/blueprint/blueprint.ts";
import { costOfAttempt, mayCallModels } from "../../src/kernel/models.ts";
import { drillPlan } from "../../src/loops/drill/drill-plan.ts";
import type { LeafStage } from "../../src/plan/plan.ts";
import { explainPlan } from "../../src/plan/show/explain.ts";
import { shippedPatterns } from "../../src/runtime/doors/pattern-door.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { projectFolder } from "../support/project-folder.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
const LEVELS: readonly Level[] = ["L0", "L1", "L2", "L3"];

async function inProject<T>(files: Record<string, string>, work: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await openRuntime({ root: projectFolder(files), readOnly: true });
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}

const PROJECT = { "package.json": '{"scripts":{"test":"node --test"}}' };

describe("patterns", () => {
  test("L2: every pattern plans at every level, which cuts what it does not reach", async () => {
    await inProject(PROJECT, async (runtime) => {
      const ids = shippedPatterns().map(({ name }) => name);
      expect(ids).toHaveLength(8);
      for (const id of ids)
        for (const level of LEVELS) {
          const { plan, cut } = await runtime.compile(id, { level });
          if (!plan.ok) throw new Error(plan.problems.map(({ what }) => what).join("\n"));
          const text = explainPlan(plan.value, cut).replaceAll(plan.value.fingerprint.slice(0, 12), "<fingerprint>");
          await expect(text).toMatchFileSnapshot(join(HERE, "ticks", `${id}-${level}.txt`));
        }
    });
  });

  test("L2: the registry of a project plans at every level: with its test command, found or given", async () => {
    const registry = { "patterns/registry.yaml": readFileSync(join(HERE, "registry", "registry.yaml"), "utf8") };
    const planned = async (files: Record<string, string>, params: JsonObject): Promise<readonly string[]> =>
      inProject({ ...registry, ...files }, async (runtime) => {
        const found: string[] = [];
        for (const { name } of await runtime.foreign())
          for (const level of LEVELS) {
            const { plan } = await runtime.compile(name, { level, params });
            found.push(`${name} ${plan.ok ? plan.value.level : plan.problems.map(({ code }) => code).join()}`);
          }
        return found;
      });
    const all = shippedPatterns().flatMap(({ name }) => LEVELS.map((level) => `${name} ${level}`));
    expect(all).toHaveLength(32);
    expect(await planned(PROJECT, {})).toEqual(all);
    expect(await planned({}, { test: ["make", "check"] })).toEqual(all);
    // Nothing would judge a change there, and nothing is changed below L2.
    const without = all.map((line) => line.replace(/L[23]$/, "PLAN_PARAM_MISSING"));
    expect(await planned({}, {})).toEqual(without);
  });

  test("a drill of a pattern can spend nothing, so that it needs none of the daily cap", async () => {
    await inProject(PROJECT, async (runtime) => {
      for (const { name } of shippedPatterns()) {
        const { plan } = await runtime.compile(name, { level: "L3" });
        if (!plan.ok) throw new Error(plan.problems.map(({ what }) => what).join("\n"));
        const { plan: drilled } = drillPlan(plan.value);
        const leaves = (drilled?.stages ?? []) as readonly LeafStage[];
        expect(leaves.length).toBeGreaterThan(2);
        expect(leaves.filter((leaf) => costOfAttempt(leaf) !== null || mayCallModels(leaf))).toEqual([]);
        expect([drilled?.children, drilled?.bound.tokens, drilled?.bound.microUsd]).toEqual([[], 0, 0]);
      }
    });
  });

  test("L2: the level of the first week is the one that nobody has given", async () => {
    await inProject(PROJECT, async (runtime) => {
      const level = async (id: string) => {
        const { plan } = await runtime.compile(id, {});
        return plan.ok ? plan.value.level : plan.problems;
      };
      expect(await level("ci-sweeper")).toBe("L2");
      expect(await level("daily-triage")).toBe("L1");
    });
  });
});

/** Blueprints that can be read and cannot be run, with the exact text of why. UPDATE_GOLDEN=1 rewrites. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/base/diagnostic.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { Blueprint, Level } from "../../src/blueprint/blueprint.ts";
import { parseBlueprint } from "../../src/blueprint/validate.ts";
import { compile } from "../../src/plan/compile.ts";
import { PLAN_ERRORS } from "../../src/plan/errors.ts";
import type { ActionSignature } from "../../src/plan/plan.ts";
import { TEST_ACTIONS, TEST_AGENTS } from "../support/plan-from-yaml.ts";

const FOLDER = join(import.meta.dirname, "plans");
const MERGE: ActionSignature = {
  name: "test.merge",
  summary: "merges",
  effect: "once",
  cost: { tokens: 0, microUsd: 0 },
  input: { text: { required: true, summary: "what to write" } },
  level: "L3",
};

/** What no text leads to, because the blueprint is refused before: only whoever calls `compile` with other things meets them. */
const BY_HAND = [
  "PLAN_STAGES_MISSING",
  "PLAN_OUTCOME_UNKNOWN",
  "PLAN_TARGET_UNKNOWN",
  "PLAN_PARAM_NOT_JSON",
  "PLAN_EFFECT_FIXED",
  "PLAN_ACTION_INPUT_NOT_MAP",
  "PLAN_AGENT_SETTINGS_NOT_MAP",
];

const textOf = (name: string): string => generated(name) ?? readFileSync(join(FOLDER, name), "utf8");

/** Each `deep-N` runs the next one; each `wide-N` runs two. */
function generated(name: string): string | null {
  const [, form, number] = /^(deep|wide)-(\d+)\.yaml$/.exec(name) ?? [];
  if (form === undefined) return null;
  const next = form === "deep" ? [Number(number) + 1] : [Number(number) * 2 + 1, Number(number) * 2 + 2];
  const isLast = form === "wide" && Number(number) > 256;
  const stages = isLast
    ? "  - { id: a, command: [make] }"
    : next.map((to) => `  - { id: s${to}, run: { blueprint: ./${form}-${to}.yaml } }`).join("\n");
  return `version: 1\nname: ${form}-${number}\nstages:\n${stages}\n`;
}

function read(name: string): Blueprint | undefined {
  if (name === "gone.yaml") return undefined;
  const parsed = parseBlueprint(textOf(name), name);
  if (!parsed.ok) throw new Error(parsed.problems.map(({ what }) => what).join("\n"));
  return parsed.value;
}

/** `# level:` and `# params:` at the top say how the blueprint is compiled. */
function problemsOf(name: string): readonly Diagnostic[] {
  const text = textOf(name);
  const compiled = compile(read(name) as Blueprint, {
    level: (/^# level: (L\d)$/m.exec(text)?.[1] ?? "L3") as Level,
    params: JSON.parse(/^# params: (.*)$/m.exec(text)?.[1] ?? "{}") as Readonly<Record<string, JsonValue>>,
    actions: [...TEST_ACTIONS, MERGE],
    agents: TEST_AGENTS,
    rules: [],
    child: (child) => read(child.replace("./", "")),
  });
  return compiled.ok ? [] : compiled.problems;
}

const CASES = readdirSync(FOLDER)
  .filter((file) => /^\d.*\.yaml$/.test(file))
  .sort();

describe("blueprints that cannot be run", () => {
  it.each(CASES)("%s is refused, and says why", (name) => {
    const shown = problemsOf(name)
      .map(({ code, where, what, why, hint }) => {
        const place = where === undefined ? "nowhere" : `${where.file}:${where.line}:${where.column}`;
        return `${place} ${code}\n${what}\nwhy:  ${why}\nhint: ${hint}\n`;
      })
      .join("\n");
    const file = join(FOLDER, name.replace(/yaml$/, "txt"));
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, shown);
    expect(shown).toBe(readFileSync(file, "utf8"));
    expect(shown).not.toBe("");
  });

  it("show every problem a plan can have", () => {
    const seen = new Set([...CASES.flatMap((name) => problemsOf(name).map(({ code }) => code)), ...BY_HAND]);
    expect([...seen].sort()).toEqual(Object.keys(PLAN_ERRORS).sort());
  });
});

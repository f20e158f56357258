/** A plan from blueprint text, with simulated actions known to the compiler. */

import type { Level } from "../../src/blueprint/blueprint.ts";
import { parseBlueprint } from "../../src/blueprint/validate.ts";
import { compile } from "../../src/plan/compile.ts";
import type { ActionSignature, Plan } from "../../src/plan/plan.ts";

export const TEST_ACTIONS: readonly ActionSignature[] = [
  {
    name: "test.work",
    summary: "works",
    effect: "idempotent",
    cost: { tokens: 10, microUsd: 100 },
    input: { text: { required: false, summary: "any" } },
  },
  {
    name: "test.remote",
    summary: "talks to another machine",
    effect: "idempotent",
    cost: { tokens: 0, microUsd: 0 },
    input: {},
    remote: true,
  },
];

export interface PlanOptions {
  readonly level?: Level;
  readonly params?: Readonly<Record<string, string | number>>;
  /** File name → text of child blueprints. */
  readonly children?: Readonly<Record<string, string>>;
}

/** `text` is the part after `version`, `name` and a policy that allows everything named `ok`. */
export function planFrom(text: string, options: PlanOptions = {}): Plan {
  const child = (name: string) => {
    const found = options.children?.[name.replace("./", "")];
    return found === undefined ? undefined : parse(found, name);
  };
  const compiled = compile(parse(text), {
    level: options.level ?? "L1",
    params: options.params ?? {},
    actions: TEST_ACTIONS,
    rules: [],
    child,
  });
  if (!compiled.ok) throw new Error(compiled.problems.map((problem) => `${problem.code}: ${problem.what}`).join("\n"));
  return compiled.value;
}

const HEAD = `version: 1
name: test
policy:
  allow: [ { run: ["ok", "**"] }, { shell: "ok*" }, { shell: "ok | cat" }, { action: "test.*" } ]
  ask: [ { run: ["ask", "**"] } ]
`;

function parse(text: string, file = "test.yaml") {
  const parsed = parseBlueprint(text.startsWith("version:") ? text : HEAD + text, file);
  if (!parsed.ok)
    throw new Error(
      parsed.problems.map((problem) => `${problem.code} ${problem.where?.line}: ${problem.what}`).join("\n"),
    );
  return parsed.value;
}

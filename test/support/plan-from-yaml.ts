/** A plan from blueprint text, with simulated actions known to the compiler. */

import type { Level } from "../../src/blueprint/blueprint.ts";
import { parseBlueprint } from "../../src/blueprint/validate.ts";
import type { AgentPower, AgentSignature, Oversight } from "../../src/plan/agents/agent-signature.ts";
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
  { name: "git.merge", summary: "merges", effect: "keyed", cost: { tokens: 0, microUsd: 0 }, input: {} },
];

const CAPABILITIES = {
  resume: true,
  defer: true,
  structuredOutput: true,
  reportsUsage: true,
  callsModels: false,
} as const;

function oversightOf(word: Oversight): Readonly<Record<AgentPower, Oversight>> {
  return { read: word, edit: word, run: word, fetch: word, mcp: word, tool: word };
}

/** `asks` is asked about everything, `walled` about nothing, `planned` does what it was told before, `model` calls models. */
export const TEST_AGENTS: readonly AgentSignature[] = [
  {
    name: "asks",
    capabilities: { ...CAPABILITIES, oversight: oversightOf("mediated") },
    settings: {
      script: { required: false, summary: "what it does." },
      depth: { required: false, summary: "any." },
      mcp: { required: false, summary: "any." },
    },
  },
  {
    name: "walled",
    capabilities: { ...CAPABILITIES, structuredOutput: false, oversight: oversightOf("contained") },
    settings: { run: { required: true, summary: "the program." } },
  },
  {
    name: "planned",
    capabilities: { ...CAPABILITIES, oversight: oversightOf("mediated") },
    ignores: ["model", "max_turns", "skills", "context"],
  },
  {
    name: "model",
    capabilities: { ...CAPABILITIES, resume: false, callsModels: true, oversight: oversightOf("mediated") },
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
    agents: TEST_AGENTS,
    script: ({ agent }) => (agent.script === undefined ? undefined : { says: agent.script.name }),
    context: ({ agent }) =>
      agent.context && { text: `knows ${agent.context.skills.join()}`, sha256: "of what it knows" },
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

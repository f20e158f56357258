/** A blueprint of OpenExec with what its project says → a native blueprint as text: what runs, and what `init --from` writes. */
import { stringify } from "yaml";
import type { JsonObject } from "../../../base/json.ts";
import type { ExecBlueprint } from "./parse-blueprint.ts";
import type { ExecGate, KnownCommands } from "./parse-project.ts";
import { literal, ruleFor } from "./program-of.ts";
import { nativeStages, OWN_ACTIONS, ownProgram, paramOf } from "./stages-of.ts";

export interface ExecProject {
  readonly gates: readonly ExecGate[];
  /** `lint` and `test`, as far as the files of the project tell. */
  readonly commands: KnownCommands;
  /** Its policy.json as a native policy; null: there is none. */
  readonly policy: JsonObject | null;
  /** Folders that git does not keep and a run needs. */
  readonly share: readonly string[];
}

/** The engine of OpenExec begins no more than this many again. */
const MOST_ROUNDS = 10;

export function asBlueprint(blueprint: ExecBlueprint, project: ExecProject): string {
  const { stages, description, sandbox, toolset } = blueprint;
  const native: JsonObject = {
    version: 1,
    name: nativeName(blueprint.name),
    ...(description === null ? {} : { description }),
    params: paramsOf(blueprint, project),
    defaults: {
      ...(sandbox === null ? {} : { sandbox }),
      agent: { use: "model", ...(toolset === null ? {} : { toolset }) },
    },
    ...(project.share.length === 0 ? {} : { workspace: { kind: "clone", share: [...project.share] } }),
    limits: { rounds: MOST_ROUNDS },
    policy: withAgents(project.policy ?? policyFor(blueprint, project)),
    stages: stages.flatMap((stage) => nativeStages(stage, { stages, gates: project.gates })),
  };
  return stringify(native, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Small letters and digits joined by -. */
export function nativeName(name: string): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const joined = words.join("-").slice(0, 60).replace(/-$/, "");
  return /^[a-z]/.test(joined) ? joined : `x-${joined}`.replace(/-$/, "");
}

function paramsOf({ stages }: ExecBlueprint, { commands }: ExecProject): JsonObject {
  const task = { type: "string", default: "", description: "What is to be done, besides what each stage says." };
  const names = [...new Set(stages.flatMap((stage) => paramOf(stage) ?? []))];
  const params = names.map((name) => {
    const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
    const description = `The command that ${name === "lint" ? "checks the style of" : "tests"} the project.`;
    return [
      name,
      { type: "list", ...(found === undefined ? {} : { default: found.map(literal) }), description },
    ] as const;
  });
  return { task, ...Object.fromEntries(params) };
}

/** That an agent begins is no call of a tool: its policy has no word for it, and rules on each call of the agent. */
function withAgents(policy: JsonObject): JsonObject {
  return { ...policy, allow: [{ action: "agent.*" }, ...(policy["allow"] as readonly JsonObject[])] };
}

/** Without a policy of its own: what the blueprint says it runs, everyday tools, and files of the project for agents. */
function policyFor({ stages }: ExecBlueprint, { gates, commands }: ExecProject): JsonObject {
  const own = [
    ...stages.flatMap((stage) => {
      const program = ownProgram(stage);
      return program === null ? [] : [ruleFor(program)];
    }),
    ...gates.map(({ program }) => ruleFor(program)),
    ...Object.values(commands).map(ruleFor),
  ];
  const agents = stages.some(({ isAgent }) => isAgent) ? [{ read: "**" }, { edit: "**" }, { tool: "*" }] : [];
  const actions = [...Object.keys(OWN_ACTIONS), "apply_patch"].map((action) => ({ action }));
  const rules = new Map([...own, ...agents, ...actions].map((rule) => [JSON.stringify(rule), rule]));
  return { use: ["everyday"], allow: [...rules.values()] };
}

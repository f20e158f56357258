/** Who works in the stages of a blueprint that do not say: as somebody chose when the plan was made. */
import { dirname, relative, resolve } from "node:path";
import type { AgentDefaults, AgentSpec, Blueprint, LeafSpec, StageSpec } from "../../blueprint/blueprint.ts";
import type { AgentSignature } from "../../plan/agents/agent-signature.ts";

interface AgentChoice {
  /** The name of a backend. */
  readonly use: string;
  readonly script?: string;
}

function choiceOf(chosen: string): AgentChoice {
  const at = chosen.indexOf(":");
  return at < 0 ? { use: chosen } : { use: chosen.slice(0, at), script: chosen.slice(at + 1) };
}

/** The same blueprint with the choice as its default. `root`: the root of the project, which the script is relative to. */
export function withAgent(
  blueprint: Blueprint,
  chosen: string,
  root: string,
  known: readonly AgentSignature[],
): Blueprint {
  const choice = choiceOf(chosen);
  const signature = known.find(({ name }) => name === choice.use);
  const callsModels = signature?.capabilities.callsModels ?? true;
  const ignores = signature?.ignores ?? [];
  const settle = (leaf: LeafSpec): LeafSpec => {
    if (leaf.kind !== "agent" || leaf.agent.use !== undefined) return leaf;
    const { models, ...rest } = leaf;
    const script = scriptOf(choice, leaf.id, resolve(root, dirname(blueprint.file)), root);
    const own = withoutContext(withoutModel(leaf.agent, ignores), ignores);
    const agent = script === undefined ? own : { ...own, script: { name: script, where: leaf.where } };
    // Whoever calls no model needs no way to one, and no name of one.
    return { ...rest, agent, ...(callsModels && models !== undefined ? { models } : {}) };
  };
  const stages = blueprint.stages.map(
    (stage): StageSpec => (stage.kind === "group" ? { ...stage, members: stage.members.map(settle) } : settle(stage)),
  );
  return { ...blueprint, agent: { ...withoutModel(blueprint.agent ?? {}, ignores), use: choice.use }, stages };
}

type Ignored = NonNullable<AgentSignature["ignores"]>;

/** A blueprint is about whoever would work in earnest: what another does not heed is not held against it. */
function withoutModel<T extends AgentDefaults>(agent: T, ignores: Ignored): T {
  const { model: _, ...rest } = agent;
  return ignores.includes("model") ? (rest as T) : agent;
}

function withoutContext<T extends Pick<AgentSpec, "context">>(agent: T, ignores: Ignored): T {
  const { context, ...rest } = agent;
  if (context === undefined) return agent;
  const skills = ignores.includes("skills") ? [] : context.skills;
  const files = ignores.includes("context") ? [] : context.files;
  return (skills.length + files.length === 0 ? rest : { ...agent, context: { ...context, skills, files } }) as T;
}

/** As the blueprint would have to write it: a file for all stages, or one for each in a folder. */
function scriptOf({ script }: AgentChoice, stage: string, folder: string, root: string): string | undefined {
  if (script === undefined) return undefined;
  const file = /\.(?:ya?ml|json)$/.test(script) ? script : `${script}/${stage}.yaml`;
  return relative(folder, resolve(root, file));
}

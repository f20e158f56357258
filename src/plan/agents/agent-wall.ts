/** The wall around the process of a stage. Who may only look gets a wall that lets it only look. */
import type { AgentDefaults, Blueprint, LeafSpec, StageSettings, WorkspaceKind } from "../../blueprint/blueprint.ts";
import { wallOf } from "../defaults.ts";
import type { Wall } from "../plan.ts";
import { toolsetOf } from "./toolsets.ts";

export type AgentSpecOfStage = Extract<LeafSpec, { kind: "agent" }>;
type WalledSpec = Extract<LeafSpec, { kind: "command" | "gate" | "agent" }>;

interface Around {
  readonly defaults: StageSettings;
  readonly workspace: WorkspaceKind;
  readonly agent: AgentDefaults;
}

/** What its author wrote wins; a checker, and an agent whose toolset has no edits, write nothing by themselves. */
export function stageWall(spec: WalledSpec, { defaults, workspace, agent }: Around): Wall {
  const wall = wallOf(spec, defaults, workspace);
  if (spec.kind !== "agent" || spec.sandbox !== undefined) return wall;
  const { role, toolset = agent.toolset } = spec.agent;
  const edits = toolset === undefined || toolsetOf(toolset)?.powers.includes("edit") === true;
  return role === "checker" || !edits ? { ...wall, sandbox: "read_only" } : wall;
}

export function wallIn(spec: WalledSpec, { defaults, workspace, agent = {} }: Blueprint): Wall {
  return stageWall(spec, { defaults, workspace: workspace.kind, agent });
}

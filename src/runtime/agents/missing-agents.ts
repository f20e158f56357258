/** Agents that a plan names and this machine does not have. */
import { PawlError, pawlError } from "../../base/errors.ts";
import type { Plan } from "../../plan/plan.ts";
import type { AgentBackends } from "../../ports/agents/agent-backend.ts";
import { RUNTIME_ERRORS } from "../errors.ts";

export interface MissingAgent {
  readonly agent: string;
  readonly hint: string | null;
}

/** In the order of their names. */
export async function missingAgents(agents: AgentBackends, { stages }: Plan): Promise<readonly MissingAgent[]> {
  const leaves = stages.flatMap((stage) => (stage.kind === "group" ? stage.members : [stage]));
  const used = new Set(leaves.flatMap((leaf) => (leaf.kind === "agent" ? [leaf.agent.use] : [])));
  const found: MissingAgent[] = [];
  for (const agent of [...used].sort()) {
    const probe = await agents.get(agent)?.probe();
    if (probe !== undefined && probe.version === null) found.push({ agent, hint: probe.hint });
  }
  return found;
}

/** Rejects with AGENT_NOT_INSTALLED, which names every one of them. */
export async function requireAgents(agents: AgentBackends, plan: Plan): Promise<void> {
  const missing = await missingAgents(agents, plan);
  const problems = missing.map(({ agent, hint }) =>
    pawlError(RUNTIME_ERRORS, "AGENT_NOT_INSTALLED", { agent, install: hint ?? "Install it" }),
  );
  if (problems.length > 0) throw new PawlError(problems.flatMap((each) => each.problems));
}

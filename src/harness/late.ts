/** The ways into the harness. What is behind them is loaded with the first call: most programs that embed Pawl run no agent of their own. */
import type { AgentResult } from "./agent.ts";
import type { PlanReport } from "./plans/end-plan.ts";
import type { RunPlanOptions } from "./plans/run-plan.ts";
import type { RunAgentOptions } from "./run-agent.ts";
import type { SkillCatalogue, SkillFolders } from "./skills/load-skills.ts";

/** Outcomes are data; it rejects only for defects and for a journal that fails. */
export async function runAgent(options: RunAgentOptions): Promise<AgentResult> {
  return (await import("./run-agent.ts")).runAgent(options);
}

/** Outcomes are data; it rejects for a log that fails, for tools that cannot be used together, and for defects. */
export async function runPlan(options: RunPlanOptions): Promise<PlanReport> {
  return (await import("./plans/run-plan.ts")).runPlan(options);
}

/** Never rejects for what lies in a folder: a bad skill is left out, and a warning says so. */
export async function loadSkills(folders: SkillFolders): Promise<SkillCatalogue> {
  return (await import("./skills/load-skills.ts")).loadSkills(folders);
}

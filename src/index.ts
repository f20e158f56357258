/** The public API. The only barrel of the house. */
export type { Diagnostic, Span } from "./base/diagnostic.ts";
export { isPawlError, PawlError } from "./base/errors.ts";
export type { RunId } from "./base/ids.ts";
export type { JsonObject, JsonValue } from "./base/json.ts";
export type { Level } from "./blueprint/blueprint.ts";
export type {
  Agent,
  AgentLimits,
  AgentResult,
  AgentStatus,
  AgentStep,
  AgentUsage,
  ModelChoice,
  Phase,
  StepCall,
} from "./harness/agent.ts";
export { createMemoryJournal } from "./harness/journal/memory-journal.ts";
export type { AgentJournal, JournalRecord } from "./harness/journal/record.ts";
export { loadSkills, runAgent, runPlan } from "./harness/late.ts";
export type { McpToolset } from "./harness/mcp/mcp-tools.ts";
export type { PlanReport } from "./harness/plans/end-plan.ts";
export { createExecutionContext, type ExecutionContext } from "./harness/plans/execution-context.ts";
export type { ExecutionLog, ExecutionRecord } from "./harness/plans/execution-log.ts";
export { createPlanTool } from "./harness/plans/plan-tool.ts";
export type { RunPlanOptions } from "./harness/plans/run-plan.ts";
export type {
  AgentBudget,
  AgentPolicy,
  AgentPorts,
  AgentRules,
  Approvals,
  Critic,
  Delivery,
  Hooks,
  Models,
  Observer,
  Sinks,
  Steering,
} from "./harness/ports.ts";
export type { RunAgentOptions } from "./harness/run-agent.ts";
export type { SkillCatalogue } from "./harness/skills/load-skills.ts";
export type { SkillResult } from "./harness/skills/run-skill.ts";
export type { Skill } from "./harness/skills/skill.ts";
export { skillDelegates } from "./harness/skills/skill-delegates.ts";
export type { SkillExecutor, SkillRequest } from "./harness/skills/skill-executor.ts";
export { createSteering } from "./harness/steering.ts";
export { type BuiltInToolOptions, createBuiltInTools } from "./harness/tools/built-in-tools.ts";
export type { Tool, ToolContext, ToolFile, ToolResult } from "./harness/tools/tool.ts";
export { type FanOutOptions, type FanOutPlace, type FanOutResult, fanOut } from "./loops/lane/fan-out.ts";
export type { Lane, LaneOptions, LaneStats, Ticket, WorkOptions } from "./loops/lane/lane.ts";
export type { ActionSignature, Bound, Plan } from "./plan/plan.ts";
export type { Action, ActionContext, ActionReport } from "./ports/actions.ts";
export type { Hosted, HostedEnd, ReplayReport } from "./ports/engine.ts";
export type { ChainReport } from "./ports/store/journal.ts";
export type { RunPage, RunQuery, RunRow } from "./ports/store/run-index.ts";
export type { EventOf, EventType, RunEvent, StoredEvent } from "./run/events.ts";
export type { Status, StopReason, WaitReason } from "./run/reasons.ts";
export { createLane } from "./runtime/loops/create-lane.ts";
export type { Compiled, CompileOptions, OpenOptions, Runtime } from "./runtime/runtime.ts";
export { createFileJournal, openRuntime } from "./runtime/wire.ts";

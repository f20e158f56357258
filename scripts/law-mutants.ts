/** One mutant per guard, of every area. */
import { AGENT_MUTANTS } from "./mutants/agents.ts";
import { ANSWER_MUTANTS } from "./mutants/answers.ts";
import { APPROVAL_MUTANTS } from "./mutants/approvals.ts";
import { CHANGE_MUTANTS } from "./mutants/change.ts";
import { CLAUDE_MUTANTS } from "./mutants/claude.ts";
import { CLI_AGENT_MUTANTS } from "./mutants/cli-agents.ts";
import { COORDINATE_MUTANTS } from "./mutants/coordinate.ts";
import { DOOR_MUTANTS } from "./mutants/doors.ts";
import { GATEWAY_MUTANTS } from "./mutants/gateway.ts";
import { HARNESS_MUTANTS } from "./mutants/harness.ts";
import { HOSTILE_MUTANTS } from "./mutants/hostile.ts";
import { JUDGEMENT_MUTANTS } from "./mutants/judgement.ts";
import { LANDING_MUTANTS } from "./mutants/landing.ts";
import { LANE_MUTANTS } from "./mutants/lanes.ts";
import { LEDGER_MUTANTS } from "./mutants/ledger.ts";
import { LIMIT_MUTANTS } from "./mutants/limits.ts";
import { LOOP_FILE_MUTANTS } from "./mutants/loop-files.ts";
import { MONEY_MUTANTS } from "./mutants/money.ts";
import type { Mutant } from "./mutants/mutant.ts";
import { OPENLOOP_MUTANTS } from "./mutants/openloop.ts";
import { POLICY_MUTANTS } from "./mutants/policy.ts";
import { PROJECT_MUTANTS } from "./mutants/project.ts";
import { QUOTA_MUTANTS } from "./mutants/quota.ts";
import { ROUTE_MUTANTS } from "./mutants/routes.ts";
import { RUN_MUTANTS } from "./mutants/run.ts";
import { SCHEDULE_MUTANTS } from "./mutants/schedule.ts";
import { SKILL_MUTANTS } from "./mutants/skills.ts";
import { STOP_MUTANTS } from "./mutants/stop.ts";
import { TICK_MUTANTS } from "./mutants/ticks.ts";
import { TOOL_MUTANTS } from "./mutants/tools.ts";
import { TRUST_MUTANTS } from "./mutants/trust.ts";
import { VERIFY_MUTANTS } from "./mutants/verify.ts";

export const MUTANTS: readonly Mutant[] = [
  ...RUN_MUTANTS,
  ...JUDGEMENT_MUTANTS,
  ...CHANGE_MUTANTS,
  ...POLICY_MUTANTS,
  ...APPROVAL_MUTANTS,
  ...ANSWER_MUTANTS,
  ...QUOTA_MUTANTS,
  ...TRUST_MUTANTS,
  ...VERIFY_MUTANTS,
  ...ROUTE_MUTANTS,
  ...STOP_MUTANTS,
  ...COORDINATE_MUTANTS,
  ...LANDING_MUTANTS,
  ...LIMIT_MUTANTS,
  ...MONEY_MUTANTS,
  ...LOOP_FILE_MUTANTS,
  ...GATEWAY_MUTANTS,
  ...LEDGER_MUTANTS,
  ...LANE_MUTANTS,
  ...TOOL_MUTANTS,
  ...SCHEDULE_MUTANTS,
  ...SKILL_MUTANTS,
  ...HARNESS_MUTANTS,
  ...HOSTILE_MUTANTS,
  ...CLAUDE_MUTANTS,
  ...AGENT_MUTANTS,
  ...OPENLOOP_MUTANTS,
  ...TICK_MUTANTS,
  ...DOOR_MUTANTS,
  ...CLI_AGENT_MUTANTS,
  ...PROJECT_MUTANTS,
];

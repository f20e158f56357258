/** A condition of OpenExec as ours. What it means there and nothing looks at here is refused: a rule must not fall away unseen. */
import { compileCondition, conditionProblem } from "../../policy/conditions.ts";
import type { PolicyRequest } from "../../policy/request.ts";
import type { Condition, Field } from "../../policy/rule.ts";

/** Actions of its contract that run a command here; policy is asked about the command. */
const RUN_AS_COMMANDS = ["build_context_pack", "run_linters", "run_tests"];
/** Its tiers say what a process may write. */
const SANDBOX_TIERS = /^(?:read[-_]only|workspace[-_]write|danger[-_]full[-_]access)$/;
/** `NAME:VALUE`, but no address. */
const NAMED = /^[A-Za-z_]\w*:(?!\/\/)/;
const FOREIGN: Partial<Record<Field, { readonly form: RegExp; readonly problem: string }>> = {
  tier: {
    form: SANDBOX_TIERS,
    problem: "a tier is the risk of a tool here (low, medium, high), not what it may write",
  },
  env: { form: NAMED, problem: "a variable is written NAME=VALUE here, not NAME:VALUE" },
  arg: { form: NAMED, problem: "arguments have no names here: write the value alone, or ask for path or pattern" },
};

/** Why a condition of OpenExec cannot be used, or undefined. */
export function openExecProblem(condition: Condition): string | undefined {
  const { field, op, values } = condition;
  const problem = conditionProblem(condition);
  if (problem !== undefined) return problem;
  if (values.length === 0) return `${op} needs a value`;
  const foreign = FOREIGN[field];
  if (foreign !== undefined && values.some((value) => foreign.form.test(value))) return foreign.problem;
  const told = field === "action" ? RUN_AS_COMMANDS.find((action) => isToldApart(condition, action)) : undefined;
  return told === undefined
    ? undefined
    : `${told} is a command here: ask for the tool run_shell_command, or for the command as pattern`;
}

/** Whether the condition is about the name of an action, which its command does not have. */
function isToldApart({ field, op, values }: Condition, action: string): boolean {
  const holds = compileCondition({ field, op: op === "ne" ? "eq" : op, values }, "must");
  const isHeld = (request: PolicyRequest): boolean => holds({ request, isVouched: false });
  return isHeld({ kind: "action", action }) && !isHeld({ kind: "run", argv: [] });
}

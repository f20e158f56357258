/** The one key of a rule that says what it is about → a pattern. */
import { globProblem } from "../../base/match/glob.ts";
import { hostProblem } from "../../policy/patterns/host.ts";
import { textProblem } from "../../policy/patterns/text.ts";
import type { Effect, Pattern } from "../../policy/rule.ts";
import type { Given, Reading } from "../shapes/shape.ts";
import { ACTION_NAME } from "../shapes/value-shapes.ts";
import { keysOf } from "../text/tree.ts";
import { type RuleFound, SUBJECTS } from "./rule-fields.ts";

type Values = RuleFound["value"];
type Problem = (pattern: string) => string | undefined;

export function readPattern(found: RuleFound, effect: Effect, reading: Reading): Pattern | undefined {
  const { value, node } = found;
  const written = SUBJECTS.filter((key) => keysOf(node).includes(key));
  if (written.length !== 1) {
    const names = written.length === 0 ? "none" : written.join(" and ");
    reading.problems.report("BLUEPRINT_RULE_FORM", { found: names }, node);
    return undefined;
  }
  reportMisplaced(value, written[0], effect, reading);
  if (value.any !== undefined) return readAny(found, effect, reading);
  return readRun(value, reading) ?? readName(value, reading) ?? readPlace(value, reading);
}

function reportMisplaced(value: Values, subject: string | undefined, effect: Effect, { problems }: Reading): void {
  const report = (key: "args" | "unknown" | "ref" | "force", place: string, belongs: string): void => {
    const given = value[key];
    if (given !== undefined) problems.report("BLUEPRINT_KEY_MISPLACED", { key, place, belongs }, given.key);
  };
  if (subject !== "run") for (const key of ["args", "unknown"] as const) report(key, "this rule", "rules about run");
  else if (effect === "allow") report("args", "a rule that allows", "rules that ask or deny");
  if (subject === "run" && effect !== "deny") report("unknown", "this rule", "rules that deny");
  if (subject === "git") return;
  report("ref", "this rule", "rules about git");
  report("force", "this rule", "rules about git");
}

/** Without a condition it would allow everything. */
function readAny({ value, node }: RuleFound, effect: Effect, { problems }: Reading): Pattern {
  if (effect === "allow" && value.when === undefined) {
    const about = "Conditions that say which requests are allowed.";
    problems.report("BLUEPRINT_KEY_MISSING", { key: "when", place: "a rule about any request", about }, node);
  }
  return { any: true };
}

function readRun({ run, args }: Values, reading: Reading): Pattern | undefined {
  if (run === undefined) return undefined;
  run.value.forEach((item, index) => {
    const isEarly = item.value === "**" && index < run.value.length - 1;
    check(item, () => (isEarly ? "may only be the last item" : textProblem(item.value)), reading);
  });
  for (const glob of args?.value ?? []) check(glob, pathProblem, reading);
  const globs = args?.value.map(({ value }) => value);
  return { run: run.value.map(({ value }) => value), ...(globs === undefined ? {} : { args: globs }) };
}

function readName({ action, tool, mcp, git, ref, force }: Values, reading: Reading): Pattern | undefined {
  if (action !== undefined) return { action: check(action, actionProblem, reading) };
  if (tool !== undefined) return { tool: check(tool, textProblem, reading) };
  if (mcp !== undefined) return { mcp: check(mcp, mcpProblem, reading) };
  if (git === undefined) return undefined;
  return {
    git: check(git, textProblem, reading),
    ...(ref === undefined ? {} : { ref: check(ref, textProblem, reading) }),
    ...(force?.value === true ? { force: true as const } : {}),
  };
}

function readPlace({ shell, read, edit, fetch, spend }: Values, reading: Reading): Pattern | undefined {
  if (shell !== undefined) return { shell: check(shell, shellProblem, reading) };
  if (read !== undefined) return { read: check(read, pathProblem, reading) };
  if (edit !== undefined) return { edit: check(edit, pathProblem, reading) };
  if (fetch !== undefined) return { fetch: check(fetch, hostProblem, reading) };
  if (spend === undefined) return undefined;
  const { usd, tokens } = spend.value;
  if (usd === undefined && tokens === undefined) {
    reading.problems.report("BLUEPRINT_RULE_FORM", { found: "an empty spend" }, spend.node);
  }
  return {
    spend: {
      ...(usd === undefined ? {} : { microUsd: usd.value }),
      ...(tokens === undefined ? {} : { tokens: tokens.value }),
    },
  };
}

function check({ value, node }: Given<string>, problemOf: Problem, { problems }: Reading): string {
  const problem = problemOf(value);
  if (problem !== undefined) problems.report("BLUEPRINT_RULE_PATTERN", { pattern: value, problem }, node);
  return value;
}

function pathProblem(glob: string): string | undefined {
  const problem = globProblem(glob);
  return problem === undefined ? undefined : `is no glob: ${problem}`;
}

function actionProblem(pattern: string): string | undefined {
  return ACTION_NAME.test(pattern.replace(/\.\*$/, "")) ? undefined : "is neither an action nor a family of actions";
}

function mcpProblem(pattern: string): string | undefined {
  return pattern.includes("/") ? textProblem(pattern) : "is not server/tool";
}

function shellProblem(pattern: string): string | undefined {
  return pattern !== "**" && pattern.includes("**")
    ? "has **, which stands for any text only when it stands alone"
    : undefined;
}

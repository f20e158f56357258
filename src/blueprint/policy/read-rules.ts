/** A policy section → rules, in the order allow, ask, deny. A rule that cannot mean what it seems to mean is refused. */
import { conditionProblem } from "../../policy/conditions.ts";
import { failedExamples } from "../../policy/examples.ts";
import { whyNeverAllows } from "../../policy/never-allows.ts";
import { type Condition, type Effect, type Examples, OPERATORS, type Rule } from "../../policy/rule.ts";
import type { Given, Reading } from "../shapes/shape.ts";
import { keysOf } from "../text/tree.ts";
import { readPattern } from "./read-pattern.ts";
import type { ConditionFound, PolicyFound, RuleFound } from "./rule-fields.ts";

const WRITTEN: readonly Effect[] = ["allow", "ask", "deny"];

/** `layer` is where the section stands: the first word of the names of its rules. */
export function readRules(policy: PolicyFound | undefined, layer: string, reading: Reading): Rule[] {
  return WRITTEN.flatMap((effect) =>
    (policy?.[effect]?.value ?? []).flatMap((found, index) =>
      readRule(found, `${layer}.${effect}[${index}]`, effect, reading),
    ),
  );
}

function readRule(found: RuleFound, id: string, effect: Effect, reading: Reading): Rule[] {
  const { problems } = reading;
  const before = problems.count();
  const pattern = readPattern(found, effect, reading);
  const { because, when, except, unknown, shadow, examples } = found.value;
  const { file, line, column } = problems.source.span(found.node);
  const given = {
    ...(because === undefined ? {} : { because: because.value }),
    ...(when === undefined ? {} : { when: readConditions(when, reading) }),
    ...(except === undefined ? {} : { except: readConditions(except, reading) }),
    ...(unknown === undefined ? {} : { unknown: unknown.value }),
    ...(shadow?.value === true ? { shadow: true as const } : {}),
    ...(examples === undefined ? {} : { examples: examplesOf(examples.value) }),
  };
  if (pattern === undefined) return [];
  const rule: Rule = { id, effect, pattern, where: `${file}:${line}:${column}`, ...given };
  // Examples of a rule that is not sound would only say so again.
  if (problems.count() === before) {
    reportExamples(rule, found, reading);
    const why = whyNeverAllows(rule);
    if (why !== undefined) problems.report("BLUEPRINT_RULE_NEVER", { why }, found.node);
  }
  return [rule];
}

function readConditions({ value }: Given<ConditionFound[]>, { problems }: Reading): Condition[] {
  return value.flatMap(({ value: found, node }) => {
    const written = keysOf(node).filter((key) => OPERATORS.some((name) => name === key));
    const [op, ...others] = OPERATORS.filter((name) => found[name] !== undefined);
    if (written.length !== 1) {
      const known = OPERATORS.join(", ");
      problems.report("BLUEPRINT_RULE_CONDITION", { problem: `it needs exactly one of ${known}` }, node);
    }
    if (op === undefined || found.field === undefined || others.length > 0) return [];
    const condition: Condition = { field: found.field.value, op, values: valuesOf(found, op) };
    const problem = conditionProblem(condition);
    if (problem !== undefined) problems.report("BLUEPRINT_RULE_CONDITION", { problem }, node);
    return [condition];
  });
}

function valuesOf(found: ConditionFound["value"], op: Condition["op"]): readonly string[] {
  const { value } = found[op] as Given<string | Given<string>[]>;
  return typeof value === "string" ? [value] : value.map((item) => item.value);
}

type ExamplesFound = NonNullable<RuleFound["value"]["examples"]>["value"];

function examplesOf({ match, not }: ExamplesFound): Examples {
  return {
    ...(match === undefined ? {} : { match: match.value.map(({ value }) => value) }),
    ...(not === undefined ? {} : { not: not.value.map(({ value }) => value) }),
  };
}

function reportExamples(rule: Rule, found: RuleFound, { problems }: Reading): void {
  for (const { list, index, why } of failedExamples(rule)) {
    const { value: examples } = found.value.examples as Given<ExamplesFound>;
    const { node } = (examples[list] as NonNullable<ExamplesFound["match"]>).value[index] as Given<unknown>;
    problems.report("BLUEPRINT_RULE_EXAMPLE", { why }, node);
  }
}

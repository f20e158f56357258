/**
 * A policy.json of OpenExec → rules. There the first by priority decides, here the strictest: a rule that comes before a stricter one becomes
 * an exception of that where it can be one, and is refused where it cannot. What no rule mentions is denied, so a file that says
 * otherwise is refused.
 */
import { type Condition, EFFECTS, FIELDS, OPERATORS, type Rule } from "../../policy/rule.ts";
import { version } from "../dialects/openexec/version.ts";
import { type Given, integer, list, object, oneOf, type Reading, text } from "../shapes/shape.ts";
import { patternText } from "../shapes/value-shapes.ts";
import type { Tree } from "../text/tree.ts";
import { openExecProblem } from "./open-exec-condition.ts";

const words = text({ expected: "text of at most 2000 characters", max: 2000 });
const CONDITION = object(
  {
    type: { shape: oneOf(...FIELDS), about: "What is looked at.", isRequired: true },
    operator: { shape: oneOf(...OPERATORS), about: "How it is compared (eq)." },
    value: { shape: patternText(), about: "With what." },
    values: { shape: list(patternText(), { min: 1, max: 1000 }), about: "With what, for `in`." },
  },
  "a condition",
);
const conditions = list(CONDITION, { min: 0, max: 100 });
const RULE = object(
  {
    id: { shape: words, about: "Its name." },
    name: { shape: words, about: "Its name for people." },
    description: { shape: words, about: "Why it is there." },
    decision: { shape: oneOf("allow", "ask", "deny"), about: "What it decides.", isRequired: true },
    priority: {
      shape: integer(-1_000_000, 1_000_000),
      about: "Which rules come first (0); of the same, the strictest.",
    },
    conditions: { shape: conditions, about: "All of these must hold." },
    exceptions: { shape: conditions, about: "None of these may hold." },
  },
  "a rule",
);
const FILE = object(
  {
    version: { shape: version, about: "The version of the file: 1." },
    name: { shape: words, about: "Its name." },
    description: { shape: words, about: "What it is for." },
    default_decision: { shape: oneOf("deny"), about: "What no rule mentions is denied." },
    rules: { shape: list(RULE, { min: 0, max: 1000 }), about: "The rules." },
  },
  "the policy",
);

type FileFound = NonNullable<ReturnType<typeof FILE.read>>;
type RuleFound = NonNullable<FileFound["rules"]>["value"][number];
type ConditionsFound = NonNullable<RuleFound["value"]["conditions"]>;

export function readOpenExec(tree: Tree, layer: string, reading: Reading): readonly Rule[] {
  const found = FILE.read(tree, reading, "the policy");
  const rules = (found?.rules?.value ?? []).flatMap((rule, index) => {
    const read = readRule(rule, `${layer}.rules[${index}]`, reading);
    return read === null ? [] : [{ rule: read, priority: rule.value.priority?.value ?? 0, found: rule }];
  });
  return rules.map((one) => afterThoseBefore(one, rules, reading));
}

interface Ranked {
  readonly rule: Rule;
  readonly priority: number;
  readonly found: RuleFound;
}

/** The rule without what a looser one decides first. */
function afterThoseBefore({ rule, priority }: Ranked, all: readonly Ranked[], { problems }: Reading): Rule {
  const strictness = EFFECTS.indexOf(rule.effect);
  const before = all.filter((one) => one.priority > priority && EFFECTS.indexOf(one.rule.effect) > strictness);
  const exceptions = before.flatMap(({ rule: { when, except }, found }) => {
    if (when?.length === 1 && except?.length === 0) return when;
    const { value, node } = found;
    const expected = `at most ${priority}, or a rule with one condition: it comes before the stricter ${rule.id}`;
    const data = { field: "priority", expected, found: String(value.priority?.value) };
    problems.report("BLUEPRINT_VALUE_INVALID", data, value.priority?.node ?? node);
    return [];
  });
  return exceptions.length === 0
    ? rule
    : { ...rule, except: [...(rule.except as readonly Condition[]), ...exceptions] };
}

function readRule({ value, node }: RuleFound, id: string, reading: Reading): Rule | null {
  if (value.decision === undefined) return null;
  if (value.decision.value === "allow" && (value.conditions?.value ?? []).length === 0) {
    const data = { key: "conditions", place: "a rule that allows", about: "What it allows." };
    reading.problems.report("BLUEPRINT_KEY_MISSING", data, value.conditions?.node ?? node);
  }
  const because = value.description?.value ?? value.name?.value ?? value.id?.value;
  const { file, line, column } = reading.problems.source.span(node);
  return {
    id,
    effect: value.decision.value,
    pattern: { any: true },
    where: `${file}:${line}:${column}`,
    ...(because === undefined ? {} : { because }),
    when: readConditions(value.conditions, reading),
    except: readConditions(value.exceptions, reading),
  };
}

function readConditions(found: ConditionsFound | undefined, { problems }: Reading): Condition[] {
  return (found?.value ?? []).flatMap(({ value, node }) => {
    const { type: field, operator } = value;
    if (field === undefined) return [];
    const condition: Condition = {
      field: field.value,
      op: operator?.value ?? "eq",
      values: valuesOf(value.value, value.values),
    };
    const problem = openExecProblem(condition);
    if (problem !== undefined) problems.report("BLUEPRINT_RULE_CONDITION", { problem }, node);
    return [condition];
  });
}

function valuesOf(value: Given<string> | undefined, values: Given<Given<string>[]> | undefined): readonly string[] {
  return [...(value === undefined ? [] : [value.value]), ...(values?.value ?? []).map((item) => item.value)];
}

/** The table of every key that a policy and its rules may have, in a blueprint and in a file of its own. */
import { FIELDS } from "../../policy/rule.ts";
import { SET_NAMES } from "../../policy/shipped/sets.ts";
import { boolean, either, type Found, list, mapped, object, oneOf, scalar, text } from "../shapes/shape.ts";
import { dollars, patternText, tokenCount } from "../shapes/value-shapes.ts";

const CONDITION = object(
  {
    field: { shape: oneOf(...FIELDS), about: "What is looked at.", isRequired: true },
    eq: { shape: patternText(), about: "It is equal." },
    ne: { shape: patternText(), about: "None of its values is equal." },
    contains: { shape: patternText(), about: "It holds this text." },
    matches: { shape: patternText(), about: "A regular expression finds something in it." },
    in: { shape: list(patternText(), { min: 1, max: 1000 }), about: "It is one of these." },
    prefix: { shape: patternText(), about: "It begins so." },
    suffix: { shape: patternText(), about: "It ends so." },
  },
  "a condition",
);
const conditions = list(CONDITION, { min: 1, max: 100 });

const example = either<string | readonly string[]>({
  scalar: patternText(),
  list: mapped(list(patternText(), { min: 1, max: 100 }), (items) => items.map(({ value }) => value)),
});
const examples = list(example, { min: 1, max: 50 });
const EXAMPLES = object(
  {
    match: { shape: examples, about: "What the rule must match." },
    not: { shape: examples, about: "What it must not match." },
  },
  "examples",
);

const SPEND = object(
  {
    usd: { shape: dollars(), about: "Dollars." },
    tokens: { shape: tokenCount(), about: "Tokens, such as 500k." },
  },
  "spend",
);

const isTrue = scalar({
  expected: "true",
  schema: { const: true },
  convert: (value) => (value === true ? (true as const) : undefined),
});

/** What a rule may be about; a rule has exactly one of these. */
export const SUBJECT_FIELDS = {
  run: {
    shape: list(patternText(), { min: 1, max: 100 }),
    about: 'Arguments; "*" is one, "**" as the last any number, {a,b} either.',
  },
  shell: {
    shape: patternText(),
    about: "Text for a shell; * is any characters that mean nothing to a shell, ** alone any text.",
  },
  action: { shape: patternText(), about: "An action, or a family such as git.*." },
  read: { shape: patternText(), about: "Files to read, as a glob." },
  edit: { shape: patternText(), about: "Files to change, as a glob." },
  fetch: { shape: patternText(), about: "A host, *.host or host:port." },
  tool: { shape: patternText(), about: "A tool of an agent." },
  mcp: { shape: patternText(), about: "A tool of an MCP server, as server/tool." },
  git: { shape: patternText(), about: "A git operation such as push." },
  any: { shape: isTrue, about: "Every request, whatever it is about; to allow, `when` must say which." },
  spend: { shape: SPEND, about: "A ceiling: allow covers what stays within it, ask and deny what goes over it." },
} as const;

export const SUBJECTS = Object.keys(SUBJECT_FIELDS) as (keyof typeof SUBJECT_FIELDS)[];

const RULE = object(
  {
    ...SUBJECT_FIELDS,
    args: {
      shape: list(patternText(), { min: 1, max: 100 }),
      about: "With run, to ask or deny: some argument is a path that one of these globs covers.",
    },
    unknown: {
      shape: oneOf("ask"),
      about: "With run, to deny: ask where the rule matches only because an argument is not known yet.",
    },
    ref: { shape: patternText(), about: "With git: a ref it is about." },
    force: { shape: boolean(), about: "With git: only when it is forced." },
    because: {
      shape: text({ expected: "text of at most 500 characters", max: 500 }),
      about: "Shown when the rule decides.",
    },
    when: { shape: conditions, about: "All of these must hold." },
    except: { shape: conditions, about: "None of these may hold." },
    shadow: { shape: boolean(), about: "The rule never decides; what it would have decided is recorded." },
    examples: { shape: EXAMPLES, about: "What the rule must and must not match; checked when it is read." },
  },
  "a rule",
);

const rules = list(RULE, { min: 0, max: 1000 });

export const POLICY_FIELDS = {
  use: { shape: list(oneOf(...SET_NAMES), { min: 0, max: 10 }), about: "Shipped sets of rules: everyday." },
  allow: { shape: rules, about: "What may happen." },
  ask: { shape: rules, about: "What a person is asked about." },
  deny: { shape: rules, about: "What must not happen, whatever else is said." },
} as const;

export type PolicyFound = Found<typeof POLICY_FIELDS>;
export type RuleFound = NonNullable<PolicyFound["allow"]>["value"][number];
export type ConditionFound = NonNullable<RuleFound["value"]["when"]>["value"][number];

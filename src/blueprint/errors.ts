/** Every problem a blueprint text can have. */
import type { Catalogue } from "../base/diagnostic.ts";
import { visibleLine } from "../base/visible.ts";

const LONGEST = 60;

/** Text of the author inside a message: in quotes, one line, nothing a terminal would act on. */
export function quote(text: string): string {
  return visibleLine(JSON.stringify(text), LONGEST);
}

interface Value {
  field: string;
  found: string;
  expected: string;
}
type None = Record<never, never>;
interface Guess {
  nearest?: string | undefined;
  known: string;
}

const wrongValue = (d: Value): string => `${d.field} must be ${d.expected}, not ${d.found}`;
const guess = (d: Guess): string =>
  d.nearest === undefined ? `Known here: ${d.known}.` : `Did you mean ${d.nearest}?`;

const INPUT = { retry: "after_change", exit: 3 } as const;

export const BLUEPRINT_ERRORS = {
  BLUEPRINT_TEXT_TOO_LARGE: {
    ...INPUT,
    what: (d: { max: number; unit: string }) => `the text has more than ${d.max} ${d.unit}`,
    why: "A text that large is not written by a person, and reading it could stall everything else.",
    hint: "Split it: a `run` stage starts another blueprint, and loops can be those of several projects.",
  },
  BLUEPRINT_TEXT_INVALID: {
    ...INPUT,
    what: (d: { character: string }) => `the text holds the character ${d.character}, which a blueprint may not have`,
    why: "Control characters, halves of characters and marks that reverse the reading direction make a text show something other than what it means.",
    hint: "Delete the character, or save the file as UTF-8 text.",
  },
  BLUEPRINT_TEXT_EMPTY: {
    ...INPUT,
    what: (_: None) => "the blueprint is empty",
    why: "There is nothing to run.",
    hint: "Begin with `version: 1`, `name: …` and a list of `stages`.",
  },
  BLUEPRINT_YAML_SYNTAX: {
    ...INPUT,
    what: (d: { detail: string }) => `this is not valid YAML: ${d.detail}`,
    why: "The text cannot be read past this place with certainty.",
    hint: "Check indentation, quotes and brackets here and on the line above.",
  },
  BLUEPRINT_YAML_TOO_DEEP: {
    ...INPUT,
    what: (d: { max: number }) => `lists and maps are nested more than ${d.max} deep`,
    why: "Nothing in a blueprint needs that depth, and reading it could exhaust memory.",
    hint: "Flatten the value, or keep it in a file that a command reads.",
  },
  BLUEPRINT_YAML_DOCUMENTS: {
    ...INPUT,
    what: (_: None) => "the file holds more than one YAML document",
    why: "One file is one blueprint; the second would be silently left out.",
    hint: "Remove the `---` line, or move what follows to its own file.",
  },
  BLUEPRINT_YAML_DIRECTIVE: {
    ...INPUT,
    what: (_: None) => "YAML directives are not allowed",
    why: "A directive changes what the rest of the text means.",
    hint: "Delete the line that begins with `%`.",
  },
  BLUEPRINT_YAML_ANCHOR: {
    ...INPUT,
    what: (d: { text: string }) => `anchors, aliases and merge keys are not allowed: ${quote(d.text)}`,
    why: "What a stage does must stand where the stage is; aliases can also blow up a small text.",
    hint: `Write the value out, or make it a parameter and refer to it as \${params.name}. A text that begins with & or * needs quotes.`,
  },
  BLUEPRINT_YAML_TAG: {
    ...INPUT,
    what: (d: { text: string }) => `YAML tags are not allowed: ${quote(d.text)}`,
    why: "A tag changes the type of a value behind the reader's back.",
    hint: "Delete the tag. A text that begins with ! needs quotes.",
  },
  BLUEPRINT_KEY_DUPLICATE: {
    ...INPUT,
    what: (d: { key: string; line: number }) =>
      `the key ${quote(d.key)} stands here twice; the first is on line ${d.line}`,
    why: "Only one of the two could count, and which one is not visible.",
    hint: "Keep one of them.",
  },
  BLUEPRINT_KEY_FORBIDDEN: {
    ...INPUT,
    what: (d: { key: string }) => `the key ${quote(d.key)} is not allowed`,
    why: "This name has a meaning of its own inside programs that read the value.",
    hint: "Use another name.",
  },
  BLUEPRINT_KEY_INVALID: {
    ...INPUT,
    what: (d: { field: string; key: string; expected: string }) =>
      `${quote(d.key)} is not a name for ${d.field}: it must be ${d.expected}`,
    why: "Names are used in references, file names and environment variables, so their form is fixed.",
    hint: "Rename it.",
  },
  BLUEPRINT_KEY_UNKNOWN: {
    ...INPUT,
    what: (d: { key: string; place: string } & Guess) => `unknown key ${quote(d.key)} in ${d.place}`,
    why: "A key that nothing reads would be silently without effect.",
    hint: guess,
  },
  BLUEPRINT_KEY_MISSING: {
    ...INPUT,
    what: (d: { key: string; place: string; about: string }) => `${d.place} has no \`${d.key}\``,
    why: "It cannot be left out.",
    hint: (d: { key: string; about: string }) => `Add \`${d.key}\`: ${d.about}`,
  },
  BLUEPRINT_KEY_MISPLACED: {
    ...INPUT,
    what: (d: { key: string; place: string; belongs: string }) => `\`${d.key}\` has no meaning on ${d.place}`,
    why: "Every key that is accepted is executed; this one could not be.",
    hint: (d: { key: string; belongs: string }) => `\`${d.key}\` belongs to ${d.belongs}.`,
  },
  BLUEPRINT_VERSION_UNSUPPORTED: {
    ...INPUT,
    what: wrongValue,
    why: "The version says how the rest of the text is to be read.",
    hint: "Write `version: 1`.",
  },
  BLUEPRINT_VALUE_TYPE: {
    ...INPUT,
    what: wrongValue,
    why: "A value of another type would have to be guessed at.",
    hint: (d: Value) => `Write ${d.expected}.`,
  },
  BLUEPRINT_VALUE_INVALID: {
    ...INPUT,
    what: wrongValue,
    why: "The value is outside of what can be executed.",
    hint: (d: Value) => `Write ${d.expected}.`,
  },
  BLUEPRINT_NUMBER_INEXACT: {
    ...INPUT,
    what: (d: { text: string }) => `the number ${quote(d.text)} cannot be kept exactly`,
    why: "It would silently become another number.",
    hint: "Use fewer digits, or put it in quotes to pass it on as text.",
  },
  BLUEPRINT_DURATION_INVALID: {
    ...INPUT,
    what: wrongValue,
    why: "A bare number could mean seconds or milliseconds, and a wait without end is no limit.",
    hint: "Write a number with a unit: 90s, 1h30m, 500ms, 2d.",
  },
  BLUEPRINT_PATH_INVALID: {
    ...INPUT,
    what: wrongValue,
    why: "A blueprint names places inside the project only, so that it runs the same everywhere and cannot reach out.",
    hint: "Write a path relative to the project, with forward slashes and without `..`.",
  },
  BLUEPRINT_NAME_RESERVED: {
    ...INPUT,
    what: (d: { name: string; reason: string }) => `the name ${quote(d.name)} is reserved: ${d.reason}`,
    why: "One name must not have two meanings.",
    hint: "Choose another name.",
  },
  BLUEPRINT_STAGE_NO_VERB: {
    ...INPUT,
    what: (_: None) => "the stage does not say what it does",
    why: "The kind of a stage follows from its one verb.",
    hint: "Add one of: command, action, gate, group, run.",
  },
  BLUEPRINT_STAGE_TWO_VERBS: {
    ...INPUT,
    what: (d: { first: string; second: string }) => `the stage has two verbs: \`${d.first}\` and \`${d.second}\``,
    why: "A stage does one thing, so that it can be retried, limited and reported as one thing.",
    hint: "Make two stages of it.",
  },
  BLUEPRINT_STAGE_DUPLICATE: {
    ...INPUT,
    what: (d: { id: string; line: number }) => `the id ${quote(d.id)} is taken by the stage on line ${d.line}`,
    why: "Routes, references and the journal name a stage by its id.",
    hint: "Give one of the two another id.",
  },
  BLUEPRINT_STAGE_UNREACHABLE: {
    ...INPUT,
    what: (d: { id: string }) => `nothing leads to the stage ${quote(d.id)}`,
    why: "It would never run, which is hardly what it was written for.",
    hint: "Route a stage to it with `on_success`, `on_failure` or `on`, or delete it.",
  },
  BLUEPRINT_GROUP_FORM: {
    ...INPUT,
    what: (d: { problem: string }) => `the group ${d.problem}`,
    why: "A group is either a list of members that run side by side, or one member that runs once per item.",
    hint: "Use `parallel: [members]`, or `for_each: list` together with `stage: {member}`.",
  },
  BLUEPRINT_GROUP_NESTED: {
    ...INPUT,
    what: (_: None) => "a group cannot be a member of a group",
    why: "The order and the bound of a group are only clear one level deep.",
    hint: "Put the inner group into its own blueprint and start it with `run`.",
  },
  BLUEPRINT_GROUP_OVERFLOW: {
    ...INPUT,
    what: (d: { items: number; max: number }) => `the list has ${d.items} items, but max_items is ${d.max}`,
    why: "The group would fail as soon as it opened.",
    hint: "Raise `max_items` (at most 1000) or shorten the list.",
  },
  BLUEPRINT_ROUTE_DUPLICATE: {
    ...INPUT,
    what: (d: { outcome: string; line: number }) =>
      `the outcome \`${d.outcome}\` already has a route on line ${d.line}`,
    why: "One outcome leads to one place.",
    hint: "Keep one of them; `on_success` means success or pass, `on_failure` means failure or fail.",
  },
  BLUEPRINT_ROUTE_OUTCOME_UNKNOWN: {
    ...INPUT,
    what: (d: { outcome: string; place: string } & Guess) => `${d.place} has no outcome ${quote(d.outcome)}`,
    why: "The route could never be taken. A gate can only escalate when it lists `escalate` exit codes.",
    hint: guess,
  },
  BLUEPRINT_ROUTE_TARGET_UNKNOWN: {
    ...INPUT,
    what: (d: { target: string } & Guess) => `there is no stage ${quote(d.target)} to go to`,
    why: "The run would have nowhere to go.",
    hint: guess,
  },
  BLUEPRINT_PARAM_DEFAULT_MISMATCH: {
    ...INPUT,
    what: (d: { name: string; type: string; found: string }) =>
      `the default of ${quote(d.name)} is ${d.found}, but its type is ${d.type}`,
    why: "The parameter would be refused as soon as nobody sets it.",
    hint: "Change the type or the default.",
  },
  BLUEPRINT_REFERENCE_MALFORMED: {
    ...INPUT,
    what: (d: { detail: string }) => `this reference cannot be read: ${d.detail}`,
    why: "A reference is resolved exactly or not at all; nothing is guessed.",
    hint: `Write \${params.name} or \${stages.id.output}; a literal \${ is written $\${.`,
  },
  BLUEPRINT_REFERENCE_ROOT_UNKNOWN: {
    ...INPUT,
    what: (d: { root: string; nearest?: string | undefined }) => `a reference cannot begin with ${quote(d.root)}`,
    why: "References reach parameters, stages, the run and the item of a group, and nothing else: no environment, no files.",
    hint: (d: { root: string; nearest?: string | undefined }) =>
      d.nearest === undefined
        ? "Begin with params, stages, run, item or index. A variable of the shell is written with two dollar signs: $${NAME}."
        : `Did you mean ${d.nearest}?`,
  },
  BLUEPRINT_REFERENCE_PARAM_UNKNOWN: {
    ...INPUT,
    what: (d: { name: string } & Guess) => `there is no parameter ${quote(d.name)}`,
    why: "The reference would have no value when the stage begins.",
    hint: guess,
  },
  BLUEPRINT_REFERENCE_STAGE_UNKNOWN: {
    ...INPUT,
    what: (d: { stage: string } & Guess) => `there is no stage ${quote(d.stage)} to refer to`,
    why: "The reference would have no value when the stage begins. Members of a group are reached through the group's output.",
    hint: guess,
  },
  BLUEPRINT_REFERENCE_FIELD_UNKNOWN: {
    ...INPUT,
    what: (d: { reference: string; problem: string } & Guess) => `${quote(d.reference)} has no value: ${d.problem}`,
    why: "The stage that needs it could never begin.",
    hint: guess,
  },
  BLUEPRINT_REFERENCE_SELF: {
    ...INPUT,
    what: (d: { stage: string }) => `the stage ${quote(d.stage)} needs its own result`,
    why: "It could never begin: its result exists only after it ended.",
    hint: "Refer to another stage, or split this one in two.",
  },
  BLUEPRINT_REFERENCE_ITEM_OUTSIDE: {
    ...INPUT,
    what: (d: { root: string }) => `\${${d.root}} exists only inside the stage of a \`for_each\` group`,
    why: "Here there is no list to take an item from.",
    hint: "Move the stage into `group: { for_each: …, stage: … }`, or use a parameter.",
  },
  BLUEPRINT_REFERENCE_MISPLACED: {
    ...INPUT,
    what: (d: { field: string }) => `${d.field} cannot hold a reference`,
    why: "It is fixed when the blueprint is read, so the reference would stay text.",
    hint: "Write the value itself. References work in commands, `env`, `with`, `for_each` and the `params` of a `run`.",
  },
  BLUEPRINT_INPUT_UNKNOWN: {
    ...INPUT,
    what: (d: { input: string } & Guess) => `there is no artifact ${quote(d.input)}`,
    why: "The stage could never begin: nothing produces this input.",
    hint: guess,
  },
  BLUEPRINT_INPUT_DUPLICATE: {
    ...INPUT,
    what: (d: { input: string; variable: string }) => `another input also becomes ${d.variable}: ${quote(d.input)}`,
    why: "The process finds each input in an environment variable; two cannot share one.",
    hint: "Remove it, or rename the artifact or its stage.",
  },
  BLUEPRINT_GATE_FORM: {
    ...INPUT,
    what: (d: { found: string; known: string }) => `a gate needs exactly one of ${d.known}, not ${d.found}`,
    why: "A gate that judges nothing, or two things, has no verdict.",
    hint: 'Write one, such as gate: { tests: ["npm", "test"] }; another check is another gate.',
  },
  BLUEPRINT_METRIC_FORM: {
    ...INPUT,
    what: (d: { problem: string }) => `the metric ${d.problem}`,
    why: "Without it nobody knows which number is judged, or against what.",
    hint: 'Write regex: "score: ([0-9.]+)" or json: result.score; `target` goes with `must: reach`.',
  },
  BLUEPRINT_GLOB_INVALID: {
    ...INPUT,
    what: (d: { glob: string; problem: string }) => `the path ${quote(d.glob)} cannot be used: ${d.problem}`,
    why: "A glob that matches something else than its author meant guards nothing.",
    hint: "`*` stands for any characters of one name, `**` for any folders, `{a,b}` for either: src/**/*.{js,ts}.",
  },
  BLUEPRINT_PATTERN_INVALID: {
    ...INPUT,
    what: (d: { pattern: string; problem: string }) =>
      `the pattern ${quote(d.pattern)} cannot be used: ${quote(d.problem)}`,
    why: "Patterns are matched in linear time, so that no output can make one run for ever: there is no looking ahead or back and no reference to a group.",
    hint: "Write it without (?=, (?!, (?<= and \\1; the syntax is that of RE2.",
  },
  BLUEPRINT_RULE_FORM: {
    ...INPUT,
    what: (d: { found: string }) => `a rule is about exactly one thing, not ${d.found}`,
    why: "A rule that covers nothing, or two things, cannot be checked by reading it.",
    hint: 'Write one rule per line with one of run, shell, action, read, edit, fetch, tool, mcp, git and spend: { run: ["npm", "test"] }, { edit: "src/**" }.',
  },
  BLUEPRINT_RULE_PATTERN: {
    ...INPUT,
    what: (d: { pattern: string; problem: string }) => `the pattern ${quote(d.pattern)} ${d.problem}`,
    why: "A rule that covers more or less than it seems to is worse than none.",
    hint: "`*` is one argument or any characters inside one, `**` as the last item is any further arguments; in a glob `**` is any number of folders; an action may end in `.*`.",
  },
  BLUEPRINT_POLICY_LOOSENS: {
    ...INPUT,
    what: (d: { key: string }) => `a repository cannot have \`${d.key}\` in its policy`,
    why: "Whoever changes a repository must not be able to allow more than its users and their organisation do.",
    hint: "Write `ask` and `deny` here. What is to be allowed belongs into the blueprint, or into the policy of the user.",
  },
  BLUEPRINT_TIER_NESTED: {
    ...INPUT,
    what: (d: { tier: string; inner: string }) => `the tier ${d.tier} names the tier ${d.inner}`,
    why: "A tier is a list of models, so that everybody can see who may answer and what that can cost.",
    hint: "Write the models themselves.",
  },
  BLUEPRINT_RULE_CONDITION: {
    ...INPUT,
    what: (d: { problem: string }) => `the condition cannot be used: ${d.problem}`,
    why: "A condition that never holds, or always, changes what the rule is about.",
    hint: "Write a field and one operator: { field: arg, matches: '^--fix' }. Expressions run in linear time: no look-around, no back references.",
  },
  BLUEPRINT_RULE_EXAMPLE: {
    ...INPUT,
    what: (d: { why: string }) => `the example does not hold: ${d.why}`,
    why: "The rule does something else than its author says.",
    hint: "Change the rule or the example. `pawl policy check` tells what a rule matches.",
  },
  BLUEPRINT_RULE_NEVER: {
    ...INPUT,
    what: (d: { why: string }) => `the rule can never allow anything: ${d.why}`,
    why: "Its author believes that something is allowed, and every run stops there.",
    hint: "Remove the rule, or write one that names the program and all of its arguments without a wildcard. What the guard denies, no rule can allow.",
  },
  BLUEPRINT_LOOP_FORM: {
    ...INPUT,
    what: (d: { name: string; problem: string }) => `the loop ${quote(d.name)} ${d.problem}`,
    why: "A loop says what runs, and at most one way in which it is started without a person.",
    hint: "Write one of blueprint, pattern and workspace, and none or one of every, cron, watch and webhook.",
  },
  BLUEPRINT_LOOP_UNFIT: {
    ...INPUT,
    what: (d: { name: string; problem: string }) => `the loop ${quote(d.name)} could never start: ${d.problem}`,
    why: "It would wait for ever, and nobody would be told.",
    hint: "Declare the lane under `lanes`, or make the weight fit into `machine`.",
  },
  BLUEPRINT_CRON_INVALID: {
    ...INPUT,
    what: (d: { cron: string; problem: string }) => `the times ${quote(d.cron)} cannot be used: ${d.problem}`,
    why: "A time that is read in another way than it was meant is found out in the night.",
    hint: "Write minute, hour, day of month, month and day of week: 0 3 * * 1-5 is three o'clock on working days.",
  },
  BLUEPRINT_PROBLEMS_TOO_MANY: {
    ...INPUT,
    what: (d: { more: number }) => `and ${d.more} more problems`,
    why: "The list is cut so that it can be read.",
    hint: "Mend those above and look again.",
  },
} as const satisfies Catalogue;

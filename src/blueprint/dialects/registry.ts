/** `patterns/registry.yaml` of loop-engineering: its patterns, what they are estimated to cost, and the caps it suggests. */
import { diagnose, type Span } from "../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import type { Cadence, CostLevel, PatternCosts } from "../../limits/cost/estimate.ts";
import type { Cap } from "../../limits/ledger/cap.ts";
import { parseText } from "../parse-text.ts";
import { boolean, integer, list, mapped, object, oneOf, type Shape, text } from "../shapes/shape.ts";
import { numberBetween } from "../shapes/value-shapes.ts";
import { DIALECT_ERRORS } from "./errors.ts";

export interface Pattern {
  readonly id: string;
  /** The name that people, and `loop-budget.md`, call it by. */
  readonly name: string;
  readonly goal: string;
  readonly cadence: Cadence & { readonly written: string };
  readonly weekOneLevel: CostLevel | null;
  /** null: the registry says nothing about cost. */
  readonly costs: PatternCosts | null;
  readonly where: Span;
  /** Where the cap stands. */
  readonly capWhere: Span | null;
}

const MOST_TOKENS = 1e12;
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SPAN = /^([1-9]\d{0,5})([mhd])$/;

const words = (shortest: number, expected: string, pattern = new RegExp(`^[\\s\\S]{${shortest},}$`)): Shape<string> =>
  text({ expected, max: 2000, pattern });
const word = words(2, "text of at least 2 characters");
const names = list(word, { min: 1, max: 1000 });

const cadence: Shape<Pattern["cadence"]> = mapped(
  text({
    expected: "an interval such as 15m, 6h or 1d, or a range such as 5m-15m",
    max: 20,
    pattern: /^[1-9][0-9]{0,5}[mhd](-[1-9][0-9]{0,5}[mhd])?$/,
  }),
  (written) => {
    // The ends of a range stand in any order.
    const ends = written.split("-").map(intervalMs);
    return { written, fastestMs: Math.min(...ends), slowestMs: Math.max(...ends) };
  },
);

function intervalMs(written: string): number {
  const [, count, unit] = SPAN.exec(written) as RegExpExecArray;
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

const tokens = integer(1000, MOST_TOKENS);
const COST = object(
  {
    tokens_noop: { shape: tokens, about: "Tokens of a run with nothing to do.", isRequired: true },
    tokens_report: { shape: tokens, about: "Tokens of a run that reports.", isRequired: true },
    tokens_action: { shape: tokens, about: "Tokens of a run that makes a change.", isRequired: true },
    stable_fraction: { shape: numberBetween(0, 1), about: "The part of each prompt that a cache can hold." },
    suggested_daily_cap: { shape: integer(10_000, MOST_TOKENS), about: "Most tokens a day.", isRequired: true },
    early_exit_required: {
      shape: boolean(),
      about: "Whether a run with nothing to do must end early.",
      isRequired: true,
    },
  },
  "cost",
);

const PATTERN = object(
  {
    id: {
      shape: words(1, "small letters, digits and -", /^[a-z][a-z0-9-]*$/),
      about: "Its name on the command line.",
      isRequired: true,
    },
    name: { shape: words(3, "text of at least 3 characters"), about: "Its name for people.", isRequired: true },
    file: {
      shape: words(1, "the name of a .md file", /^[a-z0-9-]+\.md$/),
      about: "Its document in patterns/.",
      isRequired: true,
    },
    goal: { shape: words(10, "text of at least 10 characters"), about: "What it is for.", isRequired: true },
    cadence: { shape: cadence, about: "How often it runs.", isRequired: true },
    risk: { shape: oneOf("low", "medium", "high"), about: "What can go wrong.", isRequired: true },
    // Hosts come and go; none of them is a cap.
    tools: { shape: names, about: "Programs that can host the loop.", isRequired: true },
    skills: { shape: names, about: "Skills that it uses.", isRequired: true },
    state: {
      shape: words(1, "the name of a .md file", /^[A-Za-z0-9-]+\.md$/),
      about: "Its state file.",
      isRequired: true,
    },
    phases: { shape: list(word, { min: 2, max: 1000 }), about: "Its phases.", isRequired: true },
    human_gates: { shape: names, about: "What needs a person.", isRequired: true },
    starter: { shape: words(1, "a path"), about: "A folder to begin with." },
    week_one_mode: { shape: oneOf("L1", "L2", "L3"), about: "Its level in the first week." },
    token_cost: { shape: oneOf("low", "medium", "high", "very-high"), about: "Its cost in a word." },
    cost: { shape: COST, about: "Estimates and the cap." },
  },
  "a pattern",
);

const FILE = object(
  { patterns: { shape: list(PATTERN, { min: 1, max: 1000 }), about: "The patterns.", isRequired: true } },
  "the registry",
);

type PatternFound = NonNullable<ReturnType<typeof PATTERN.read>>;
type CostFound = NonNullable<ReturnType<typeof COST.read>>;

export function parseRegistry(source: string, file: string): Result<readonly Pattern[]> {
  const parsed = parseText(source, file, (tree, reading) => {
    const found = FILE.read(tree, reading, "the registry")?.patterns;
    const span = reading.problems.source.span;
    return found?.value.flatMap(({ value, node }) => {
      const cap = value.cost?.value.suggested_daily_cap;
      const pattern = patternOf(value, span(value.id?.node ?? node), cap === undefined ? null : span(cap.node));
      return pattern === undefined ? [] : [pattern];
    });
  });
  if (!parsed.ok) return parsed;
  const repeated = parsed.value.flatMap((pattern, at) => {
    const first = parsed.value.findIndex(({ id }) => id === pattern.id);
    const line = (parsed.value[first] as Pattern).where.line;
    const data = { id: pattern.id, line };
    return first === at ? [] : [diagnose(DIALECT_ERRORS, "REGISTRY_PATTERN_REPEATED", data, pattern.where)];
  });
  return repeated.length > 0 ? failed(repeated) : ok(parsed.value);
}

/** Undefined: something that it needs was refused already. */
function patternOf(found: PatternFound, where: Span, capWhere: Span | null): Pattern | undefined {
  const { id, name, goal, cadence: every, week_one_mode: level, cost } = found;
  if (id === undefined || name === undefined || goal === undefined || every === undefined) return undefined;
  return {
    id: id.value,
    name: name.value,
    goal: goal.value,
    cadence: every.value,
    weekOneLevel: level?.value ?? null,
    costs: cost === undefined ? null : costsOf(cost.value),
    where,
    capWhere,
  };
}

/** What is missing was reported, and then nobody gets the result. */
function costsOf(found: CostFound): PatternCosts {
  return {
    noop: found.tokens_noop?.value ?? 0,
    report: found.tokens_report?.value ?? 0,
    action: found.tokens_action?.value ?? 0,
    stableFraction: found.stable_fraction?.value ?? 0,
    dailyCap: found.suggested_daily_cap?.value ?? 0,
    needsEarlyExit: found.early_exit_required?.value ?? true,
  };
}

/** The caps that the registry suggests: tokens a day, for the loop that has the id of the pattern. */
export function capsOfRegistry(patterns: readonly Pattern[]): readonly Cap[] {
  return patterns.flatMap(({ id, costs, capWhere }) => {
    if (costs === null || capWhere === null) return [];
    const { file, line, column } = capWhere;
    const source = `${file}:${line}:${column}`;
    return [
      { account: { scope: "loop", name: id }, unit: "tokens", window: "day", amount: costs.dailyCap, source } as const,
    ];
  });
}

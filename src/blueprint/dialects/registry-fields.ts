/** What a registry of loop-engineering may say. Strictly that is its schema; leniently, also what the schema does not know yet. */
import type { Cadence } from "../../limits/cost/estimate.ts";
import {
  boolean,
  type Fields,
  type Found,
  integer,
  list,
  mapped,
  object,
  oneOf,
  readFields,
  reportType,
  type Shape,
  text,
} from "../shapes/shape.ts";
import { numberBetween } from "../shapes/value-shapes.ts";

export type RegistryMode = "strict" | "lenient";

const HOSTS = "grok claude-code codex openclaw opencode github-actions cursor windsurf aider".split(" ");
const MOST = { min: 1, max: 1000 } as const;
const MOST_TOKENS = 1e12;
const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const SPAN = /^([1-9]\d{0,5})([mhd])$/;

const words = (shortest: number, expected: string, pattern = new RegExp(`^[\\s\\S]{${shortest},}$`)): Shape<string> =>
  text({ expected, max: 2000, pattern });
const word = words(2, "text of at least 2 characters");
const names = list(word, MOST);

const cadence: Shape<Cadence & { readonly written: string }> = mapped(
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

export const PATTERN_FIELDS = {
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
} as const satisfies Fields;

export type PatternFound = Found<typeof PATTERN_FIELDS>;
export type CostFound = NonNullable<ReturnType<typeof COST.read>>;

const registryFields = (pattern: Shape<PatternFound>) =>
  ({ patterns: { shape: list(pattern, MOST), about: "The patterns.", isRequired: true } }) as const satisfies Fields;

const strictTools = { ...PATTERN_FIELDS.tools, shape: list(oneOf(...HOSTS), MOST) };
const STRICT = object(registryFields(object({ ...PATTERN_FIELDS, tools: strictTools }, "a pattern")), "the registry");
const LENIENT = openObject(registryFields(openObject(PATTERN_FIELDS, "a pattern")), "the registry");

export const REGISTRY: Readonly<Record<RegistryMode, typeof STRICT>> = { strict: STRICT, lenient: LENIENT };

/** A map with fixed keys that may have others besides. */
function openObject<F extends Fields>(fields: F, place: string): Shape<Found<F>> {
  return {
    schema: { ...object(fields, place).schema, additionalProperties: true },
    read: (node, reading, field) =>
      node.kind === "map"
        ? readFields(node, node.entries, fields, place, reading)
        : reportType(node, reading, field, `a map with ${Object.keys(fields).join(", ")}`),
  };
}

/** The table of every key that a budget may have, in `pawl.yaml` and in a file of its own. */
import { type Found, integer, object, record, scalar } from "../shapes/shape.ts";
import { dollars, NAME, PROVIDER_NAME, tokenCount } from "../shapes/value-shapes.ts";

const MOST_RUNS = 1_000_000;

const MONEY = {
  usd: { shape: dollars(), about: "Dollars." },
  tokens: { shape: tokenCount(), about: "Tokens, such as 2m." },
} as const;
const STARTS = {
  spawns: { shape: integer(0, MOST_RUNS), about: "Child runs." },
} as const;
const RUNS = { runs: { shape: integer(0, MOST_RUNS), about: "Runs that no other run has started." } } as const;

const EVERYTHING = { ...MONEY, ...RUNS, ...STARTS } as const;

const WINDOWS = {
  day: { shape: object(EVERYTHING, "day"), about: "The most in one calendar day." },
  week: { shape: object(EVERYTHING, "week"), about: "The most in any seven days." },
} as const;

const PROVIDER = object(
  {
    day: { shape: object(MONEY, "day"), about: "The most in one calendar day." },
    week: { shape: object(MONEY, "week"), about: "The most in any seven days." },
  },
  "a provider",
);

const LOOP = object(
  {
    ...WINDOWS,
    priority: {
      shape: integer(0, 100),
      about: "How soon its turn comes when several wait for budget; a point is worth ten minutes of waiting (0).",
    },
  },
  "a loop",
);

const USER_NAME = { pattern: /^[^\s:/]{1,64}$/, expected: "the name of a user" } as const;
const TENANT_NAME = { ...USER_NAME, expected: "the name of a tenant" } as const;

const OFFSET = /^([+-])(0\d|1[0-4]):(00|15|30|45)$/;

/** `+02:00` → 120. */
const offset = scalar({
  expected: "the offset of a time zone from UTC such as +02:00, in whole quarters of an hour",
  schema: { type: "string", pattern: OFFSET.source },
  convert(value) {
    const match = OFFSET.exec(String(value));
    if (match === null) return undefined;
    const minutes = Number(match[2]) * 60 + Number(match[3]);
    return match[1] === "-" ? 0 - minutes : minutes;
  },
});

export const BUDGET_FIELDS = {
  ...WINDOWS,
  run: { shape: object({ ...MONEY, ...STARTS }, "run"), about: "The most of each run, with all that it starts." },
  loops: { shape: record(LOOP, NAME), about: "Caps of single loops, by the name of their blueprint." },
  providers: { shape: record(PROVIDER, PROVIDER_NAME), about: "Caps of model providers, such as anthropic." },
  users: { shape: record(object(WINDOWS, "a user"), USER_NAME), about: "Caps of users of this machine." },
  tenants: {
    shape: record(object(WINDOWS, "a tenant"), TENANT_NAME),
    about: "Caps of tenants: whoever PAWL_TENANT names pays.",
  },
  day_starts: { shape: offset, about: "The time zone whose calendar days count (+00:00)." },
} as const;

export type BudgetFound = Found<typeof BUDGET_FIELDS>;

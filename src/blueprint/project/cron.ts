/** Five fields as cron has them: minute, hour, day of month, month, day of week. What they name is a set of wall-clock minutes. */

export interface CronFields {
  /** Each sorted, without repetition. */
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** 0 is Sunday. */
  readonly weekdays: readonly number[];
  /** Where both are false, a day fits when either fits, as cron has it. */
  readonly anyDay: boolean;
  readonly anyWeekday: boolean;
}

type Values = readonly number[];

interface FieldSpec {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  /** Names of the values, the first for `from`. */
  readonly names?: readonly string[];
}

const SPECS: readonly FieldSpec[] = [
  { title: "the minute", from: 0, to: 59 },
  { title: "the hour", from: 0, to: 23 },
  { title: "the day of the month", from: 1, to: 31 },
  { title: "the month", from: 1, to: 12, names: "jan feb mar apr may jun jul aug sep oct nov dec".split(" ") },
  // 7 is Sunday too.
  { title: "the day of the week", from: 0, to: 7, names: "sun mon tue wed thu fri sat".split(" ") },
];
const MOST_DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const SHORT: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
};
const LONGEST = 20;
const PART = /^(\*|[a-z0-9]{1,3}(?:-[a-z0-9]{1,3})?)(?:\/(\d{1,2}))?$/;

/** The fields, or what is wrong with them. */
export function readCron(text: string): CronFields | string {
  const written = Object.hasOwn(SHORT, text) ? (SHORT[text] as string) : text;
  const parts = written
    .toLowerCase()
    .split(/[ \t]+/)
    .filter((part) => part !== "");
  if (parts.length !== SPECS.length) return `it has ${parts.length} fields instead of ${SPECS.length}`;
  const sets = SPECS.map((spec, index) => readField(parts[index] as string, spec));
  const problem = sets.find((set) => typeof set === "string");
  if (typeof problem === "string") return problem;
  const [minutes, hours, days, months, weekdays] = sets as unknown as readonly [Values, Values, Values, Values, Values];
  const fields: CronFields = {
    minutes,
    hours,
    days,
    months,
    weekdays: sorted(weekdays.map((day) => day % 7)),
    anyDay: (parts[2] as string).startsWith("*"),
    anyWeekday: (parts[4] as string).startsWith("*"),
  };
  return fits(fields) ? fields : "there is no such day in these months";
}

function readField(text: string, spec: FieldSpec): Values | string {
  const values: number[] = [];
  for (const part of text.split(",")) {
    const found = readPart(part, spec);
    if (found === undefined) {
      return `${spec.title} "${part.slice(0, LONGEST)}" must be *, a value from ${spec.from} to ${spec.to}, a range or a step such as */5`;
    }
    values.push(...found);
  }
  return sorted(values);
}

function readPart(part: string, spec: FieldSpec): Values | undefined {
  const [, range = "", step] = PART.exec(part) ?? [];
  const [first, last] = (range === "*" ? `${spec.from}-${spec.to}` : range).split("-") as [string, string?];
  const from = numberOf(first, spec);
  // As in `10/5`: from there to the end.
  const end = step === undefined ? first : String(spec.to);
  const to = numberOf(last ?? end, spec);
  const by = Number(step ?? 1);
  if (from === undefined || to === undefined || from > to || by === 0) return undefined;
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
}

function numberOf(word: string, { from, to, names = [] }: FieldSpec): number | undefined {
  const named = names.indexOf(word);
  const value = named >= 0 ? from + named : /^\d{1,2}$/.test(word) ? Number(word) : -1;
  return value >= from && value <= to ? value : undefined;
}

function sorted(values: readonly number[]): Values {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** Whether there is such a day at all: the 30th of February never comes. */
function fits({ days, months, anyDay, anyWeekday }: CronFields): boolean {
  const earliest = days[0] as number;
  return anyDay || !anyWeekday || months.some((month) => earliest <= (MOST_DAYS[month - 1] as number));
}

import { pawlError } from "../../../base/errors.ts";
import { DAY_MS, epochOf, isCivil } from "../../../limits/quota/civil.ts";
import { instantOf, wallAt, type Zone, zoneOf } from "../../../limits/quota/zone.ts";
import type { Coordination } from "../../../runtime/coordinate/coordination.ts";
import { CLI_ERRORS } from "../../errors.ts";
import { EXIT } from "../../exit-codes.ts";
import type { CommandSpec } from "../../spec.ts";
import { oneLine } from "../../views/event-line.ts";
import { renderUsage } from "../../views/money/amounts.ts";
import { countOf } from "../../views/text/format-time.ts";

type Digest = Awaited<ReturnType<Coordination["digest"]>>;
type Sum = Digest["total"];
type Notice = Awaited<ReturnType<Coordination["notices"]>>[number];

/** Runs that did not end well are told as what needs a look. */
const TOLD: Readonly<Record<Exclude<Notice["kind"], "ended">, string>> = {
  question: "it asks",
  returned: "a change was sent back",
  collision: "its change meets that of others",
};

export const digestCommand: CommandSpec = {
  name: "digest",
  summary: "Sum up a day: what ended, what it cost, what was proposed and merged, what needs a person",
  details: [
    "Runs are counted on the day they ended. What did not go well is told once for each loop, with how often it happened; so are questions, changes that were sent back, and changes that meet those of other loops, of runs that `pawl serve` has hosted.",
    "Days are those of the time zone of this machine (TZ).",
  ],
  arguments: [],
  options: [{ kind: "text", flags: "--day <date>", summary: "such as 2026-11-16; without it, today" }],
  examples: [
    { line: "pawl digest", does: "today" },
    { line: "pawl digest --day 2026-11-16 --json", does: "one day, for a script" },
  ],
  exits: [0, 1, 3],
  formats: ["json"],
  async run(context) {
    const { given, out } = context;
    const runtime = await context.open({ readOnly: true });
    const zone = zoneOf(Intl.DateTimeFormat().resolvedOptions().timeZone) ?? (() => 0);
    const day = dayOf(given.text("day"), zone, context.now());
    const coordination = await runtime.coordination();
    const digest = await coordination.digest(day);
    const notices = (await coordination.notices(day.from)).filter(({ first }) => first < day.until);
    if (out.format === "json") out.document({ ...digest, notices });
    else for (const line of [...renderDigest(digest), ...renderNotices(notices)]) out.line(line);
    return EXIT.succeeded;
  },
};

function dayOf(given: string | undefined, zone: Zone, now: number) {
  const today = wallAt(zone, now);
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(given ?? "") ?? [];
  const date =
    given === undefined
      ? { year: today.year, month: today.month, day: today.day }
      : { year: Number(year), month: Number(month), day: Number(day) };
  const wall = { ...date, hour: 0, minute: 0, second: 0 };
  if (!Number.isInteger(date.year) || !isCivil(wall))
    throw pawlError(CLI_ERRORS, "CLI_DAY_INVALID", { day: given ?? "" });
  const next = wallAt(() => 0, epochOf(wall) + DAY_MS);
  const [name] = new Date(epochOf(wall)).toISOString().split("T");
  return { name: name ?? "", from: instantOf(zone, wall), until: instantOf(zone, next) };
}

function renderDigest({ day, total, loops, escalations }: Digest): readonly string[] {
  const lines = [
    `${day}  ${renderSum(total)}`,
    ...loops.map(({ loop, ...sum }) => `  ${oneLine(`${loop}  ${renderSum(sum)}`)}`),
  ];
  if (escalations.length === 0) return lines;
  const troubles = escalations.map(
    ({ loop, what, run, count }) => `  ${oneLine(`${count} ×  ${loop}: ${what} (${run})`)}`,
  );
  return [...lines, "needs a look:", ...troubles];
}

function renderNotices(notices: readonly Notice[]): readonly string[] {
  const lines = notices.flatMap(({ kind, loop, what, count, abouts }) =>
    kind === "ended" ? [] : [`  ${oneLine(`${count} ×  ${loop}: ${TOLD[kind]}: ${what} (${abouts.at(-1) ?? ""})`)}`],
  );
  return lines.length === 0 ? [] : ["notices:", ...lines];
}

function renderSum({ runs, ends, tokens, microUsd, changes }: Sum): string {
  const counted = (counts: Readonly<Record<string, number>>): readonly string[] =>
    Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]));
  const told = [`${countOf(runs, "run")} ended`, ...counted(ends), renderUsage({ tokens, microUsd })];
  const proposals = counted(changes);
  return `${told.join(", ")}${proposals.length === 0 ? "" : `; changes: ${proposals.join(", ")}`}`;
}

/**
 * `loop-budget.md` of loop-engineering: limits a day and a run, in a table for people. Names and notes are read kindly; a
 * limit that cannot be read is an error, because a loop without its limit would only be found by its bill.
 */
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import type { Cap, Unit, Window } from "../../limits/ledger/cap.ts";
import type { Level } from "../blueprint.ts";
import { createSource, type Source } from "../text/source.ts";
import { DIALECT_ERRORS } from "./errors.ts";
import { type LevelAmount, parseAmounts } from "./loop-budget-cell.ts";
import { slugOf } from "./loop-engineering/slug.ts";
import { type MarkdownTable, type TableCell, tablesOf } from "./markdown-table.ts";
import type { Pattern } from "./registry.ts";

/** One limit of one loop. */
export interface LoopLimit {
  /** Name of the blueprint or the loop. */
  readonly loop: string;
  readonly unit: Unit;
  readonly window: Window;
  /** By level, the lowest first. */
  readonly amounts: readonly LevelAmount[];
  readonly source: string;
}

interface Column {
  readonly title: string;
  readonly unit: Unit;
  readonly window: Window;
}

const MOST_CHARACTERS = 256 * 1024;
const FIRST = /^(?:loop|pattern)s?$/;
const LIMIT = /^max\b/;
const KNOWN: readonly (readonly [RegExp, Pick<Column, "unit" | "window">])[] = [
  [/^max runs ?(?:\/|per) ?day$/, { unit: "runs", window: "day" }],
  [/^max tokens ?(?:\/|per) ?day$/, { unit: "tokens", window: "day" }],
  [/^max (?:sub-?agents?|(?:sub-?agent )?spawns)(?: ?(?:\/|per) ?run)?$/, { unit: "spawns", window: "run" }],
];

/** `patterns`: whose names the rows may use. */
export function parseLoopBudget(
  text: string,
  file: string,
  patterns: readonly Pattern[],
): Result<readonly LoopLimit[]> {
  const source = createSource(text.length > MOST_CHARACTERS ? "" : text, file);
  const begin = source.span({ start: 0, end: 0 });
  if (text.length > MOST_CHARACTERS)
    return failed([diagnose(DIALECT_ERRORS, "BUDGET_FILE_TOO_LARGE", { max: MOST_CHARACTERS }, begin)]);
  const tables = tablesOf(text).filter(hasLimits);
  if (tables.length === 0) return failed([diagnose(DIALECT_ERRORS, "BUDGET_TABLE_MISSING", {}, begin)]);
  const problems: Diagnostic[] = [];
  const limits = tables.flatMap((table) => readTable(table, { source, patterns, problems }));
  return problems.length > 0 ? failed(problems) : ok(limits);
}

interface Reading {
  readonly source: Source;
  readonly patterns: readonly Pattern[];
  readonly problems: Diagnostic[];
}

function hasLimits({ head }: MarkdownTable): boolean {
  // What has no bar is no row, so there is a first cell.
  const [first, ...others] = head.map(({ text }) => text.toLowerCase()) as [string, ...string[]];
  return FIRST.test(first) && others.some((title) => LIMIT.test(title));
}

function readTable({ head, rows }: MarkdownTable, reading: Reading): LoopLimit[] {
  const columns = head.map((cell) => columnOf(cell, reading));
  return rows.flatMap((row) => {
    if (row.every(({ text }) => text === "")) return [];
    // A row of the table has at least one cell: what has no bar is no row.
    const name = row[0] as TableCell;
    const loop = loopOf(name, reading);
    return columns.flatMap((column, at) => {
      if (column === undefined || loop === undefined) return [];
      const limit = readCell(row[at] ?? { text: "", start: name.start, end: name.end }, column, name.text, reading);
      return limit === undefined ? [] : [{ loop, unit: column.unit, window: column.window, ...limit }];
    });
  });
}

/** Undefined: the column only tells something, or it was refused. */
function columnOf(cell: TableCell, { source, problems }: Reading): Column | undefined {
  const title = cell.text.toLowerCase();
  const known = KNOWN.find(([form]) => form.test(title));
  if (known !== undefined) return { title: cell.text, ...known[1] };
  if (LIMIT.test(title))
    problems.push(diagnose(DIALECT_ERRORS, "BUDGET_COLUMN_UNKNOWN", { column: cell.text }, source.span(cell)));
  return undefined;
}

/** Undefined: no limit, or it was refused. */
function readCell(
  cell: TableCell,
  { title, unit }: Column,
  loop: string,
  { source, problems }: Reading,
): Pick<LoopLimit, "amounts" | "source"> | undefined {
  const amounts = parseAmounts(cell.text, unit);
  const { file, line, column } = source.span(cell);
  if (amounts !== undefined) return amounts.length === 0 ? undefined : { amounts, source: `${file}:${line}:${column}` };
  const data = { column: title, loop, text: cell.text };
  problems.push(diagnose(DIALECT_ERRORS, "BUDGET_CELL_INVALID", data, source.span(cell)));
  return undefined;
}

/** The id of the pattern that is meant, or the name as a blueprint would have it. Undefined: it was refused. */
function loopOf(cell: TableCell, { source, patterns, problems }: Reading): string | undefined {
  const slug = slugOf(cell.text);
  const exact = patterns.find(({ id, name }) => id === slug || slugOf(name) === slug);
  if (exact !== undefined) return exact.id;
  // A short form of one name: "Post-Merge" for "Post-Merge Cleanup".
  const meant = patterns.filter(({ name }) => slug !== "" && slugOf(name).startsWith(`${slug}-`));
  if (slug !== "" && meant.length <= 1) return meant[0]?.id ?? slug;
  const problem = slug === "" ? "it has no letters or digits of a name" : `it may be ${idsOf(meant)}`;
  const data = { name: cell.text, problem };
  problems.push(diagnose(DIALECT_ERRORS, "BUDGET_LOOP_UNCLEAR", data, source.span(cell)));
  return undefined;
}

function idsOf(patterns: readonly Pattern[]): string {
  return patterns.map(({ id }) => id).join(" or ");
}

/** The caps of these limits for runs of a level: what stands for the highest level that is not above it, else the lowest. */
export function capsOfLoopBudget(limits: readonly LoopLimit[], level: Level): readonly Cap[] {
  return limits.map(({ loop, unit, window, amounts, source }) => {
    const fits = amounts.findLast(({ from }) => from <= level) ?? (amounts[0] as LevelAmount);
    return { account: { scope: "loop", name: loop }, unit, window, amount: fits.amount, source };
  });
}

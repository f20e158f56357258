/** Report: the tables and bars of a bench as text. */
import { type Bar, passes, type Table } from "./figure.ts";

export function renderTable(table: Table): string {
  const cells = [table.columns, ...table.rows.map((row) => row.map(renderCell))];
  const widths = table.columns.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const isText = table.columns.map((_, column) => table.rows.every((row) => typeof row[column] === "string"));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => (isText[column] ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(" | ")} |`;
  const rule = `|${widths.map((width, column) => (isText[column] ? `${"-".repeat(width + 2)}` : `${"-".repeat(width + 1)}:`)).join("|")}|`;
  const [head, ...body] = cells.map(line);
  return [`### ${table.title}`, "", head, rule, ...body, ""].join("\n");
}

export function renderBars(bars: readonly Bar[]): string {
  return renderTable({
    title: "Bars",
    columns: ["bar", "measured", "limit", "result"],
    rows: bars.map((bar) => [
      bar.name,
      Number.isNaN(bar.measured) ? "not measured" : `${renderCell(bar.measured)} ${bar.unit}`.trim(),
      `${bar.rule === "at_least" ? ">=" : "<="} ${renderCell(bar.limit)} ${bar.unit}`.trim(),
      passes(bar) ? "pass" : "FAIL",
    ]),
  });
}

function renderCell(value: string | number): string {
  if (typeof value === "string") return value;
  if (Number.isNaN(value)) return "-";
  if (Number.isInteger(value)) return value.toLocaleString("en-US");
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A table of plain text: columns aligned, the widest shrunk until the line fits. Cells are escaped by the caller. */
import { fitText, padText, textWidth } from "./text-width.ts";

export interface Cell {
  readonly text: string;
  /** Colours the text after it was measured and cut. */
  readonly paint?: (text: string) => string;
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | Cell)[])[];
  /** So many columns from the left are never cut: people copy what stands there. */
  readonly whole?: number;
}

const GAP = 2;
const NARROWEST = 6;

/** One line per row; the head is left out when it is empty. */
export function renderTable(table: Table, width: number, dim: (text: string) => string): string[] {
  const rows = table.rows.map((row) => row.map((cell): Cell => (typeof cell === "string" ? { text: cell } : cell)));
  const head = table.head.map((text): Cell => ({ text, paint: dim }));
  const all = head.length === 0 ? rows : [head, ...rows];
  const widths = shrink(columnWidths(all), width, table.whole ?? 0);
  return all.map((row) => renderRow(row, widths));
}

function columnWidths(rows: readonly (readonly Cell[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, textWidth(cell.text));
    });
  }
  return widths;
}

/** Takes columns from the widest until the sum fits; no column becomes narrower than a few characters. */
function shrink(widths: number[], width: number, whole: number): number[] {
  const room = width - GAP * (widths.length - 1);
  const out = [...widths];
  for (let over = out.reduce((sum, each) => sum + each, 0) - room; over > 0; over -= 1) {
    const widest = out.indexOf(Math.max(...out.slice(whole)), whole);
    const now = out[widest] ?? 0;
    if (now <= NARROWEST) break;
    out[widest] = now - 1;
  }
  return out;
}

function renderRow(row: readonly Cell[], widths: readonly number[]): string {
  let line = "";
  row.forEach((cell, index) => {
    const width = widths[index] ?? 0;
    const text = fitText(cell.text, width);
    const fill = index === row.length - 1 ? "" : " ".repeat(width - textWidth(text) + GAP);
    line += (cell.paint === undefined ? text : cell.paint(text)) + fill;
  });
  return line.trimEnd();
}

/** `label   text`, with every following line of the text under its first. */
export function renderLabelled(
  pairs: readonly (readonly [label: string, text: string])[],
  dim: (text: string) => string,
): string[] {
  const width = Math.max(0, ...pairs.map(([label]) => textWidth(label)));
  return pairs.flatMap(([label, text]) =>
    text.split("\n").map((line, index) => `${dim(padText(index === 0 ? label : "", width))}  ${line}`),
  );
}

/** Figure: one part of the bench, what it needs and what it gives: tables for people, samples for machines, bars. */
import type { MeasuredSystem } from "./catalogue.ts";

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** A promise about a figure. `measured` is NaN when it was not measured, which is never a pass. */
export interface Bar {
  readonly name: string;
  readonly measured: number;
  readonly rule: "at_least" | "at_most";
  readonly limit: number;
  readonly unit: string;
}

export interface FigureResult {
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
  readonly samples: unknown;
}

export interface FigureContext {
  readonly quick: boolean;
  /** Parent of all state directories. */
  readonly dir: string;
  /** Where measured processes leave CPU profiles, if anywhere. */
  readonly profileDir: string | null;
  readonly systems: readonly MeasuredSystem[];
  log(text: string): void;
}

export interface Figure {
  readonly name: string;
  measure(context: FigureContext): Promise<FigureResult>;
}

export function passes(bar: Bar): boolean {
  return bar.rule === "at_least" ? bar.measured >= bar.limit : bar.measured <= bar.limit;
}

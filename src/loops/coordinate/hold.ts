/** Which loop may start now, and the one reason why not. What only looks and reports is never held back: it changes no path and waits for nobody's answer. */
import type { Level } from "../../blueprint/blueprint.ts";
import type { InTheWay } from "./locks.ts";

export interface StartAsk {
  /** The run. */
  readonly id: string;
  readonly loop: string;
  readonly level: Level;
  readonly priority: number;
  /** What its changes may touch; empty: anything. */
  readonly paths: readonly string[];
  /** How many of its proposals may wait for an answer; null: any number. */
  readonly maxOpen: number | null;
}

export type Hold =
  | { readonly kind: "max_open"; readonly open: number; readonly most: number }
  | ({ readonly kind: "path_lock" } & InTheWay);

/** Whether it can change anything of the project. */
function changesPaths(level: Level): boolean {
  return level >= "L2";
}

/** What it locks while it runs. */
export function lockedBy({ level, paths }: Pick<StartAsk, "level" | "paths">): readonly string[] {
  if (!changesPaths(level)) return [];
  return paths.length === 0 ? ["**"] : paths;
}

/** Too many of its proposals wait for a person; null: not so. */
export function backPressure({ level, maxOpen }: Pick<StartAsk, "level" | "maxOpen">, open: number): Hold | null {
  if (!changesPaths(level) || maxOpen === null || open < maxOpen) return null;
  return { kind: "max_open", open, most: maxOpen };
}

export function holdText(hold: Hold): string {
  if (hold.kind === "max_open")
    return `${hold.open} of its proposals wait for an answer, and no more than ${hold.most} may`;
  const [own, theirs] = hold.paths;
  const what = own === theirs ? own : `${own} meets ${theirs}`;
  return hold.holds
    ? `it waits for the path lock of loop ${hold.loop} (${what})`
    : `it waits behind loop ${hold.loop}, which waits for the same paths (${what})`;
}

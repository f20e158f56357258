import type { Level } from "../../blueprint/blueprint.ts";

/** Of the tick of a pattern. */
export interface DoorOptions {
  /** The backend that works. */
  readonly agent?: string;
  /** Every tick is charged the same, whatever it does. */
  readonly isMock?: boolean;
  /** In a linked worktree instead of a clone. */
  readonly worktree?: boolean;
  /** The level that was asked for. */
  readonly level?: Level;
}

/** What the actions of a tick need. */
import type { Level } from "../../blueprint/blueprint.ts";
import type { Spent } from "../../loops/ticks/found.ts";

/** Files that people and loops share. */
export interface SharedTexts {
  /** null: there is no such file. */
  read(path: string): Promise<string | null>;
  /** Whoever writes at the same time is not overwritten: the edit is made again with what they wrote. */
  change(path: string, edit: (text: string | null) => string): Promise<void>;
}

export interface TickParts {
  /** Of the project: the name that a new state file gets. */
  readonly project: string;
  readonly texts: SharedTexts;
  /** The daily token cap of a loop with the least left, as it stands; null: there is none. */
  spentToday(loop: string, level: Level): Promise<Spent | null>;
  /** Those of these paths of the project that are not there. */
  gone(paths: readonly string[]): Promise<ReadonlySet<string>>;
  now(): number;
}

/** What a tick of the mock backend is charged, whatever it does. */
export const MOCK_TOKENS = 5000;

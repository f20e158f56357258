/**
 * A format of another system that runs as a blueprint. A door translates; what it gives is parsed and compiled like any other
 * blueprint, so that nothing of another system has a way of its own past the checks.
 */

import type { Result } from "../../base/result.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import { parseText } from "../../blueprint/parse-text.ts";
import type { Tree } from "../../blueprint/text/tree.ts";
import type { DoorName, Origin } from "../../plan/plan.ts";
import type { BlueprintFile } from "../runtime.ts";
import type { DoorOptions } from "./door-options.ts";

export interface DoorAt {
  /** The whole path of a file or a folder; what is neither is given as it was written. */
  readonly path: string;
  /** How messages name it: a path below the root of the project where it lies there. */
  readonly shown: string;
  readonly isFolder: boolean;
  /** null: it is no file. */
  readonly text: string | null;
  /** The root of the project. */
  readonly root: string;
  /** As the user asked; a door that counts rounds otherwise than a blueprint sees to it itself. */
  readonly maxRounds?: number;
  /** What a person asked for besides. */
  readonly options?: DoorOptions;
}

export interface DoorText {
  /** A native blueprint as YAML (JSON is YAML), or every problem with its place in the foreign file. */
  readonly text: Result<string>;
  readonly origin: Origin;
  /** Files that were read, under the names that problems give them, for code frames. */
  readonly sources: Readonly<Record<string, string>>;
  /** The level of a run whose user says none; without it L1. */
  readonly level?: Level;
  /** `maxRounds` is in the text already. */
  readonly roundsCounted?: true;
}

export interface Door {
  readonly name: DoorName;
  /** Whether this is of its kind. It is asked only about what is no native blueprint. */
  claims(at: DoorAt): boolean | Promise<boolean>;
  /** Paths in the text are relative to the folder of a file, to a folder itself, or for a name to the root. */
  read(at: DoorAt): Promise<DoorText>;
  /** What of its kind the project has by itself, for `pawl list` and to be run by name. Does not throw. */
  list(root: string): Promise<readonly BlueprintFile[]>;
}

export type LoadDoor = () => Promise<Door>;

/** Whether a text has the sign of a kind. Whatever else is wrong with it is for its own reader to tell, not for another's. */
export function isOfKind(text: string, shown: string, hasSign: (tree: Tree) => boolean): boolean {
  let isFound = false;
  parseText(text, shown, (tree) => {
    isFound = hasSign(tree);
    return isFound;
  });
  return isFound;
}

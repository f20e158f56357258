/** State that has gone bad: an item that nobody has seen for long, or whose subject is gone, is shown to people and not acted on. */
import { itemsOfRole, type StateFile } from "../../blueprint/dialects/loop-engineering/state-file.ts";
import type { StateItem } from "../../blueprint/dialects/loop-engineering/state-item.ts";
import { datesIn } from "../../blueprint/dialects/loop-engineering/written-dates.ts";

export interface RotRules {
  readonly now: number;
  /** Items whose newest date is older are rotten. Items without a date are as old as nobody knows, and are not. */
  readonly maxAgeDays: number;
  /** Whether this path of the project is not there any more. */
  isGone(path: string): boolean;
}

export interface RottenItem {
  readonly item: StateItem;
  readonly why: string;
}

export const MAX_AGE_DAYS = 14;
const DAY_MS = 86_400_000;
const CODE = /`([^`\s]{1,300})`/g;
/** A file or a folder of the project: no address, no pattern, nothing outside. */
const PATH = /^(?![/~-])(?!.*(?:^|\/)\.\.(?:\/|$))(?!.*:\/\/)(?=.*[/.])[\w@.()[\]+-][\w@./()[\]+-]*$/;
/** A version, a package of a version, a call: what looks like a path and is none. */
const NO_PATH = /^v?\d+\.|@[\^~]?\d|\)$/;

/** Of what a loop acts on or watches. A person's word is never rotten: who has decided has looked. */
export function rottenItems(file: StateFile, rules: RotRules): readonly RottenItem[] {
  return itemsOfRole(file, "act", "watch").flatMap((item) => {
    const why = item.isDone || item.humanDecision !== null ? null : rotOf(item, rules);
    return why === null ? [] : [{ item, why }];
  });
}

/** The paths that items of a file are about. */
export function pathsOf(file: StateFile): readonly string[] {
  return itemsOfRole(file, "act", "watch").flatMap((item) => pathsIn(saidOf(item)));
}

function saidOf(item: StateItem): string {
  return [item.written, ...item.fields.map(({ value }) => value)].join("\n");
}

function pathsIn(said: string): readonly string[] {
  return [...said.matchAll(CODE)].map(([, path]) => path as string).filter(isPath);
}

function isPath(text: string): boolean {
  return PATH.test(text) && !NO_PATH.test(text);
}

function rotOf(item: StateItem, { now, maxAgeDays, isGone }: RotRules): string | null {
  const said = saidOf(item);
  const paths = pathsIn(said);
  if (paths.length > 0 && paths.every(isGone)) return `${paths.join(", ")} is not there any more`;
  const dates = datesIn(said).filter((at) => at <= now);
  if (dates.length === 0) return null;
  const days = Math.floor((now - Math.max(...dates)) / DAY_MS);
  return days > maxAgeDays ? `nobody has seen it for ${days} days` : null;
}

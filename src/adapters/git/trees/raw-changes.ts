/** How git lists what differs between two trees, every path as it is: no attribute, setting or replaced object changes it. */
import { gitFailure } from "../failures.ts";
import { isObjectId } from "../vault/commit.ts";

export interface RawChange {
  readonly letter: string;
  readonly path: string;
  /** Of a file that was renamed or copied. */
  readonly oldPath: string | null;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
}

export const PLAIN = [
  "-r",
  "--full-index",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
  "--submodule=short",
  "--ignore-submodules=none",
];

const HEAD = /^:(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([A-Z])\d*$/;

/** Takes the list from the beginning of these parts, and leaves there what follows it. */
export function takeRaw(parts: string[]): RawChange[] {
  const changes: RawChange[] = [];
  let at = 0;
  while (parts[at]?.startsWith(":") === true) {
    const { letter, ...head } = readHead(parts[at] as string);
    const isPair = letter === "R" || letter === "C";
    const [first = "", second = ""] = parts.slice(at + 1, at + 3);
    changes.push({ ...head, letter, path: isPair ? second : first, oldPath: isPair ? first : null });
    at += isPair ? 3 : 2;
  }
  parts.splice(0, at);
  return changes;
}

/** `:oldmode newmode oldid newid status`; one path follows, or two. */
function readHead(text: string): Omit<RawChange, "path" | "oldPath"> {
  const [, oldMode = "", newMode = "", oldId = "", newId = "", letter = ""] = HEAD.exec(text) ?? [];
  if (!isObjectId(oldId) || !isObjectId(newId))
    throw gitFailure("comparing two trees", "the vault", `fatal: git said ${text}`);
  return { letter, oldMode, newMode, oldId, newId };
}

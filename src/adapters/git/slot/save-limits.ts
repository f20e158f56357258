/** How much one save may add. The limits lie beside our own index of the workspace, where the cell that saves it reads them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pawlError } from "../../../base/errors.ts";
import { formatBytes } from "../../../base/size.ts";
import { visibleLine } from "../../../base/visible.ts";
import type { WorkspaceSpec } from "../../../blueprint/blueprint.ts";
import { WORKSPACE_ERRORS } from "../../../ports/errors/workspace-errors.ts";
import { errnoOf } from "../failures.ts";
import type { Slot } from "./slot.ts";

const SAVE_LIMITS = { bytes: 4 * 2 ** 30, files: 500_000 } as const;

/** Of the largest paths, so many are named. */
export const MOST_NAMED = 5;
const LONGEST_PATH = 120;

export interface Weight {
  readonly bytes: number;
  readonly files: number;
}

export function limitsOf({ maxBytes, maxFiles }: Pick<WorkspaceSpec, "maxBytes" | "maxFiles">): Weight {
  return { bytes: maxBytes ?? SAVE_LIMITS.bytes, files: maxFiles ?? SAVE_LIMITS.files };
}

/** From now on a save is bounded by what the blueprint says now. Does nothing where there is no workspace. */
export async function writeLimits(slot: Slot, spec: WorkspaceSpec): Promise<void> {
  const { bytes, files } = limitsOf(spec);
  await writeFile(join(slot.shadow, "limits"), `${bytes} ${files}\n`).catch((error: unknown) => {
    if (errnoOf(error) !== "ENOENT") throw error;
  });
}

/** `largest`, the largest first: each as `BYTES PATH`; if there are too many files and not too many bytes, as `FILES FOLDER/`. */
export function tooLarge(found: Weight, limits: Weight, largest: readonly string[], folder: string): Error {
  const isBytes = found.bytes > limits.bytes;
  const named = largest.slice(0, MOST_NAMED).flatMap((line) => {
    const [, count, path] = /^(\d+) (?:\.\/(?=.))?(.*)$/.exec(line) ?? [];
    if (count === undefined || path === undefined) return [];
    return [`${visibleLine(path, LONGEST_PATH)} (${isBytes ? formatBytes(Number(count)) : `${count} files`})`];
  });
  return pawlError(WORKSPACE_ERRORS, "WORKSPACE_TOO_LARGE", {
    found: `${formatBytes(found.bytes)} in ${found.files} files`,
    most: isBytes ? formatBytes(limits.bytes) : `${limits.files} files`,
    setting: isBytes ? "workspace.max_size" : "workspace.max_files",
    largest: named.join(", "),
    folder,
  });
}

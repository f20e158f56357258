/** `apply_patch`: every file of a patch is changed, or none. */

import type { PolicyRequest } from "../../../policy/request.ts";
import type { Tool } from "../tool.ts";
import { ToolProblem } from "../tool-problem.ts";
import {
  existsHeld,
  type HeldFile,
  holding,
  MOST_FILE_BYTES,
  readHeld,
  removeHeld,
  replaceHeld,
} from "./held-folder.ts";
import { type FilePatch, patched, readPatch } from "./patch.ts";
import { checkWritable, shownPath } from "./place.ts";
import { textOf } from "./read-tools.ts";

const MOST_FILES = 500;

/** What becomes of one path: its text, or null: it goes. `before`: what stood there, null: nothing. */
interface Change {
  readonly place: string;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
}

export function createPatchTool(): Tool {
  return {
    name: "apply_patch",
    summary: "Applies a unified diff, as `git diff` writes it, to the files of the workspace: all of it or nothing.",
    input: {
      type: "object",
      properties: { patch: { type: "string", minLength: 1, maxLength: 4 * MOST_FILE_BYTES } },
      required: ["patch"],
      additionalProperties: false,
    },
    risk: "medium",
    timeout: "medium",
    idempotent: false,
    requests: (input) =>
      placesOf(readPatch(String(input["patch"]))).map((path): PolicyRequest => ({ kind: "edit", path })),
    async run(input, { root }) {
      const files = readPatch(String(input["patch"]));
      for (const place of placesOf(files)) checkWritable(place);
      const changes: Change[] = [];
      for (const file of files) changes.push(...(await changesOf(root, file, changes)));
      await putAll(root, changes);
      return { ok: true, output: { files: placesOf(files) } };
    },
  };
}

function placesOf(files: readonly FilePatch[]): readonly string[] {
  const places = new Set(files.flatMap(({ from, to }) => [from, to]).filter((place) => place !== null));
  if (places.size > MOST_FILES) throw new ToolProblem(`the patch changes more than ${MOST_FILES} files`);
  return [...places];
}

async function changesOf(root: string, file: FilePatch, earlier: readonly Change[]): Promise<readonly Change[]> {
  const { from, to } = file;
  if (earlier.some(({ place }) => place === from || place === to))
    throw new ToolProblem("the patch names a file twice");
  const before = from === null ? null : await holding(root, from, { make: false }, (held) => readHeld(held));
  if (to !== null && to !== from) await checkFree(root, to);
  const after = textAfter(file, before);
  if (to === from) return [{ place: String(to), before, after }];
  const made = to === null ? [] : [{ place: to, before: null, after }];
  const gone = from === null ? [] : [{ place: from, before, after: null }];
  return [...made, ...gone];
}

function textAfter({ from, to, hunks }: FilePatch, before: Buffer | null): Buffer {
  const place = from ?? to ?? "";
  const text = before === null ? "" : textOf(before, place);
  const after = Buffer.from(patched(text, hunks, shownPath(place)));
  if (after.length > MOST_FILE_BYTES) throw new ToolProblem("the patch makes a file too large");
  if (to === null && after.length > 0) throw new ToolProblem(`the patch leaves something of ${shownPath(place)}`);
  return after;
}

async function checkFree(root: string, place: string): Promise<void> {
  const isThere = await holding(root, place, { make: false }, existsHeld).catch(() => false);
  if (isThere) throw new ToolProblem(`${shownPath(place)} is there already`);
}

async function putAll(root: string, changes: readonly Change[]): Promise<void> {
  const done: Change[] = [];
  try {
    for (const change of changes) {
      await put(root, change.place, change.after);
      done.push(change);
    }
  } catch (error) {
    for (const { place, before } of done.reverse()) await put(root, place, before).catch(() => undefined);
    throw error;
  }
}

async function put(root: string, place: string, bytes: Buffer | null): Promise<void> {
  const work = (file: HeldFile): Promise<void> => (bytes === null ? removeHeld(file) : replaceHeld(file, bytes));
  await holding(root, place, { make: bytes !== null }, work);
}

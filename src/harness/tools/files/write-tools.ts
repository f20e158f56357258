/** Tools that change one file. */

import type { JsonObject } from "../../../base/json.ts";
import type { Tool } from "../tool.ts";
import { ToolProblem } from "../tool-problem.ts";
import { holding, MOST_FILE_BYTES, readHeld, replaceHeld } from "./held-folder.ts";
import { checkWritable, placeOf, shownPath } from "./place.ts";
import { textOf } from "./read-tools.ts";

const PATH = { type: "string", minLength: 1, description: "From the root of the workspace." };
const CHANGES = { risk: "medium", timeout: "fast" } as const;

export function createWriteTools(): readonly Tool[] {
  return [writeTool(), editTool()];
}

function writeTool(): Tool {
  return {
    ...CHANGES,
    name: "write_file",
    summary: "Writes a text file, replacing it whole; folders that are missing are made.",
    idempotent: true,
    input: {
      type: "object",
      properties: { path: PATH, content: { type: "string" } },
      required: ["path", "content"],
      additionalProperties: false,
    },
    requests: editRequest,
    async run(input, { root }) {
      const place = writablePlace(input);
      const bytes = Buffer.from(String(input["content"]));
      await put(root, place, bytes);
      return { ok: true, output: { path: place, bytes: bytes.length } };
    },
  };
}

function editTool(): Tool {
  return {
    ...CHANGES,
    name: "edit_file",
    summary: "Replaces a text that stands exactly once in a file by another; with `all`, wherever it stands.",
    idempotent: false,
    input: {
      type: "object",
      properties: {
        path: PATH,
        old_text: { type: "string", minLength: 1 },
        new_text: { type: "string" },
        all: { type: "boolean" },
      },
      required: ["path", "old_text", "new_text"],
      additionalProperties: false,
    },
    requests: editRequest,
    async run(input, { root }) {
      const place = writablePlace(input);
      const before = textOf(await holding(root, place, { make: false }, (file) => readHeld(file)), place);
      const change = { from: String(input["old_text"]), to: String(input["new_text"]) };
      const { from, to } = before.includes(change.from) ? change : withLineEnds(change);
      const times = before.split(from).length - 1;
      if (times === 0) return { ok: false, error: `${shownPath(place)} does not have the old text` };
      if (times > 1 && input["all"] !== true)
        return {
          ok: false,
          error: `the old text stands ${times} times in ${shownPath(place)}: give more of it, or \`all\``,
        };
      // What it would become is known before it is made.
      const grown = Buffer.byteLength(to) - Buffer.byteLength(from);
      checkSize(Buffer.byteLength(before) + times * grown);
      await put(root, place, Buffer.from(before.split(from).join(to)));
      return { ok: true, output: { path: place, replaced: times } };
    },
  };
}

/** A file with the line ends of Windows is shown without them. */
function withLineEnds({ from, to }: { from: string; to: string }): { from: string; to: string } {
  return { from: from.replaceAll("\n", "\r\n"), to: to.replaceAll("\n", "\r\n") };
}

function editRequest(input: JsonObject): ReturnType<Tool["requests"]> {
  return [{ kind: "edit", path: placeOf(String(input["path"])) }];
}

function writablePlace(input: JsonObject): string {
  const place = placeOf(String(input["path"]));
  checkWritable(place);
  return place;
}

async function put(root: string, place: string, bytes: Buffer): Promise<void> {
  checkSize(bytes.length);
  await holding(root, place, { make: true }, (file) => replaceHeld(file, bytes));
}

function checkSize(bytes: number): void {
  if (bytes > MOST_FILE_BYTES) throw new ToolProblem(`${bytes} bytes are more than ${MOST_FILE_BYTES}`);
}

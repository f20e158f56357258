/** Tools that look at files. */

import { readdir } from "node:fs/promises";
import type { JsonObject } from "../../../base/json.ts";
import { visible } from "../../../base/visible.ts";
import type { Tool } from "../tool.ts";
import { ToolProblem } from "../tool-problem.ts";
import { holding, holdingFolder, readHeld } from "./held-folder.ts";
import { placeOf, shownPath, stepsTo } from "./place.ts";

const PATH = { type: "string", minLength: 1, description: "From the root of the workspace." };
const MOST_LINES = 2000;
const MOST_CHARACTERS = 120_000;
const MOST_ENTRIES = 1000;
const LOOKS = { risk: "low", timeout: "fast", idempotent: true } as const;

export function createReadTools(): readonly Tool[] {
  return [readTool(), listTool(), citeTool()];
}

function readTool(): Tool {
  return {
    ...LOOKS,
    name: "read_file",
    summary: "Reads a text file of at most 1 MiB, whole or from one line on.",
    input: {
      type: "object",
      properties: {
        path: PATH,
        from_line: { type: "integer", minimum: 1, description: "The first line to read; 1 unless told." },
        lines: { type: "integer", minimum: 1, maximum: MOST_LINES },
      },
      required: ["path"],
      additionalProperties: false,
    },
    requests: readRequest,
    async run(input, { root }) {
      const { place, text } = await readText(root, input);
      const lines = text.split("\n");
      const from = Number(input["from_line"] ?? 1);
      const wanted = lines.slice(from - 1, from - 1 + Number(input["lines"] ?? MOST_LINES));
      const whole = wanted.join("\n");
      const part = whole.slice(0, MOST_CHARACTERS);
      const isCut = part.length < whole.length || from - 1 + wanted.length < lines.length;
      return {
        ok: true,
        output: { path: place, text: part, from_line: from, total_lines: lines.length, truncated: isCut },
      };
    },
  };
}

function listTool(): Tool {
  return {
    ...LOOKS,
    name: "list_directory",
    summary: "Lists the names in a folder, with what each is.",
    input: { type: "object", properties: { path: PATH }, additionalProperties: false },
    requests: (input) => [{ kind: "read", path: placeOf(String(input["path"] ?? ".")) }],
    async run(input, { root }) {
      const place = placeOf(String(input["path"] ?? "."));
      const found = await holdingFolder(root, stepsTo(place), false, (folder) =>
        readdir(folder, { withFileTypes: true }),
      );
      const sorted = found
        .map((entry) => ({ name: visible(entry.name), kind: kindOf(entry) }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
      const entries = sorted.slice(0, MOST_ENTRIES);
      return { ok: true, output: { path: place, entries, truncated: entries.length < sorted.length } };
    },
  };
}

function citeTool(): Tool {
  return {
    ...LOOKS,
    name: "cite",
    summary: "Checks that a file really has this text, and gives its place to quote it by.",
    input: {
      type: "object",
      properties: { path: PATH, quote: { type: "string", minLength: 1, maxLength: 4000 } },
      required: ["path", "quote"],
      additionalProperties: false,
    },
    requests: readRequest,
    async run(input, { root }) {
      const { place, text } = await readText(root, input);
      const quote = String(input["quote"]);
      const at = text.indexOf(quote);
      if (at < 0) return { ok: false, error: `${shownPath(place)} does not have this text` };
      const line = text.slice(0, at).split("\n").length;
      return { ok: true, output: { path: place, line, to_line: line + quote.split("\n").length - 1, quote } };
    },
  };
}

function readRequest(input: JsonObject): ReturnType<Tool["requests"]> {
  return [{ kind: "read", path: placeOf(String(input["path"])) }];
}

async function readText(root: string, input: JsonObject): Promise<{ readonly place: string; readonly text: string }> {
  const place = placeOf(String(input["path"]));
  const bytes = await holding(root, place, { make: false }, (file) => readHeld(file));
  return { place, text: textOf(bytes, place) };
}

/** Throws for bytes that are no text. */
export function textOf(bytes: Buffer, place: string): string {
  if (bytes.includes(0)) throw new ToolProblem(`${shownPath(place)} is no text`);
  return bytes.toString("utf8");
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): string {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}

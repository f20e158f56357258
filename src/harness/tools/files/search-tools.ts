/**
 * Tools that search through many files. Each file is asked about before it is read, so what they tell says nothing of a file that
 * policy keeps from them.
 */

import type { JsonObject } from "../../../base/json.ts";
import { compileGlob, globProblem } from "../../../base/match/glob.ts";
import { readPattern } from "../../../base/match/pattern.ts";
import { visibleLine } from "../../../base/visible.ts";
import type { Tool, ToolContext } from "../tool.ts";
import { ToolProblem } from "../tool-problem.ts";
import { holding, readHeld } from "./held-folder.ts";
import { placeOf } from "./place.ts";
import { filesBelow, readableOf } from "./walk.ts";

const FOLDER = { type: "string", minLength: 1, description: "Folder to look below, from the root of the workspace." };
const MOST_NAMES = 1000;
const MOST_MATCHES = 200;
const LONGEST_LINE = 300;
const LOOKS = { risk: "low", timeout: "medium", idempotent: true } as const;

export function createSearchTools(): readonly Tool[] {
  return [globTool(), grepTool()];
}

function globTool(): Tool {
  return {
    ...LOOKS,
    name: "glob",
    summary:
      "Finds files by their path from the root: ** any folders, * any characters of a name, ? one, {a,b} either.",
    input: {
      type: "object",
      properties: { pattern: { type: "string", minLength: 1 }, path: FOLDER },
      required: ["pattern"],
      additionalProperties: false,
    },
    requests: folderRequest,
    async run(input, context) {
      const { paths, isPart, hidden } = await candidates(input, String(input["pattern"]), context);
      const files = paths.slice(0, MOST_NAMES);
      return { ok: true, output: { files, denied: hidden, truncated: isPart || files.length < paths.length } };
    },
  };
}

function grepTool(): Tool {
  return {
    ...LOOKS,
    name: "grep",
    summary: "Finds lines of text files by a regular expression (RE2 syntax).",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1 },
        path: FOLDER,
        glob: { type: "string", minLength: 1, description: "Only files whose path fits." },
        ignore_case: { type: "boolean" },
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    requests: folderRequest,
    async run(input, context) {
      const source = String(input["pattern"]);
      const reading = readPattern(input["ignore_case"] === true ? `(?i)${source}` : source);
      if (!reading.ok) return { ok: false, error: `the pattern cannot be used: ${reading.problem}` };
      const { paths, isPart, hidden } = await candidates(input, String(input["glob"] ?? "**"), context);
      const matches: JsonObject[] = [];
      for (const path of paths) {
        context.signal.throwIfAborted();
        if (matches.length > MOST_MATCHES) break;
        matches.push(...(await matchesIn(path, reading.pattern.test, context)));
      }
      const told = matches.slice(0, MOST_MATCHES);
      return { ok: true, output: { matches: told, denied: hidden, truncated: isPart || told.length < matches.length } };
    },
  };
}

interface Candidates {
  readonly paths: readonly string[];
  readonly isPart: boolean;
  /** How many files policy keeps from it, whatever is in them. */
  readonly hidden: number;
}

async function candidates(input: JsonObject, glob: string, context: ToolContext): Promise<Candidates> {
  const problem = globProblem(glob);
  if (problem !== undefined) throw new ToolProblem(`the glob cannot be used: ${problem}`);
  const { paths, isPart } = await filesBelow(placeOf(String(input["path"] ?? ".")), context);
  const fitting = paths.filter(compileGlob(glob));
  const readable = await readableOf(fitting, context);
  return { paths: readable, isPart, hidden: fitting.length - readable.length };
}

/** A file that is gone, too large or no text has none. */
async function matchesIn(
  path: string,
  test: (text: string) => boolean,
  { root }: ToolContext,
): Promise<readonly JsonObject[]> {
  const bytes = await holding(root, path, { make: false }, (file) => readHeld(file)).catch(() => Buffer.alloc(1));
  if (bytes.includes(0)) return [];
  return bytes
    .toString("utf8")
    .split("\n")
    .flatMap((text, index) => (test(text) ? [{ path, line: index + 1, text: visibleLine(text, LONGEST_LINE) }] : []))
    .slice(0, MOST_MATCHES + 1);
}

function folderRequest(input: JsonObject): ReturnType<Tool["requests"]> {
  return [{ kind: "read", path: placeOf(String(input["path"] ?? ".")) }];
}

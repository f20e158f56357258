/** Files that come with a task: laid out in the workspace, never put into the prompt. */
import { readdir, writeFile } from "node:fs/promises";
import { extname, posix } from "node:path";
import { pawlError } from "../../base/errors.ts";
import { visibleLine } from "../../base/visible.ts";
import { HARNESS_ERRORS } from "../../ports/errors/harness-errors.ts";
import { holdingFolder } from "../tools/files/held-folder.ts";
import type { ToolFile } from "../tools/tool.ts";
import { ToolProblem } from "../tools/tool-problem.ts";

/** Larger ones are left out, and the agent is told. */
const MOST_BYTES = 50 * 1024 * 1024;
const FOLDER = "inputs";
const LONGEST_NAME = 120;
/** File systems count bytes; what makes a name unique comes on top. */
const LONGEST_NAME_BYTES = 200;

/** What is said of them in the prompt; empty: there are none. Throws HARNESS_OPTIONS_UNFIT where they cannot be laid out. */
export async function stageFiles(root: () => string, files: readonly ToolFile[]): Promise<string> {
  if (files.length === 0) return "";
  try {
    const lines = await holdingFolder(root(), [FOLDER], true, (folder) => layOut(folder, files));
    return `\n\nFiles that come with this task:\n${lines.join("\n")}`;
  } catch (error) {
    if (!(error instanceof ToolProblem)) throw error;
    const problem = `its files cannot be laid out: ${error.message}`;
    throw pawlError(HARNESS_ERRORS, "HARNESS_OPTIONS_UNFIT", { problem });
  }
}

async function layOut(folder: string, files: readonly ToolFile[]): Promise<readonly string[]> {
  const taken = new Set((await readdir(folder)).map((name) => name.toLowerCase()));
  const lines: string[] = [];
  for (const { name, bytes } of files) {
    if (bytes.byteLength > MOST_BYTES) {
      const shown = visibleLine(name, LONGEST_NAME);
      lines.push(`- ${shown} was left out: it has ${bytes.byteLength} bytes, and ${MOST_BYTES} are allowed.`);
    } else {
      const own = uniqueName(safeName(name), taken);
      await writeFile(`${folder}/${own}`, bytes, { flag: "wx" });
      lines.push(`- ${posix.join(FOLDER, own)} (${bytes.byteLength} bytes)`);
    }
  }
  return lines;
}

/** A name and nothing else: no folder, nothing hidden, nothing that a terminal or a shell would read. */
function safeName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  const plain = last.replaceAll(/[^\p{L}\p{N}._ -]/gu, "_").replace(/^\.+/, "_");
  return plain.trim() === "" ? "file" : endOf(plain);
}

/** As much of its end as fits. */
function endOf(name: string): string {
  let end = "";
  for (const character of [...name].reverse()) {
    if (end.length >= LONGEST_NAME || Buffer.byteLength(character + end) > LONGEST_NAME_BYTES) break;
    end = character + end;
  }
  return end;
}

/** What is there already, of this task or of another, stays as it is. */
function uniqueName(name: string, taken: Set<string>): string {
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  let own = name;
  for (let count = 2; taken.has(own.toLowerCase()); count += 1) own = `${stem}-${count}${ending}`;
  taken.add(own.toLowerCase());
  return own;
}

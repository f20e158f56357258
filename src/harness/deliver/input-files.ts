/** Files that come with a task: laid out in the workspace, never put into the prompt. */
import { mkdirSync, writeFileSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { visibleLine } from "../../base/visible.ts";
import type { ToolFile } from "../tools/tool.ts";

/** Larger ones are left out, and the agent is told. */
const MOST_BYTES = 50 * 1024 * 1024;
const FOLDER = "inputs";
const LONGEST_NAME = 120;

/** What is said of them in the prompt; empty: there are none. */
export function stageFiles(root: () => string, files: readonly ToolFile[]): string {
  if (files.length === 0) return "";
  const taken = new Set<string>();
  const lines = files.map(({ name, bytes }) => {
    if (bytes.byteLength > MOST_BYTES) {
      return `- ${visibleLine(name, LONGEST_NAME)} was left out: it has ${bytes.byteLength} bytes, and ${MOST_BYTES} are allowed.`;
    }
    const own = uniqueName(safeName(name), taken);
    const folder = join(root(), FOLDER);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, own), bytes, { flag: "wx" });
    return `- ${posix.join(FOLDER, own)} (${bytes.byteLength} bytes)`;
  });
  return `\n\nFiles that come with this task:\n${lines.join("\n")}`;
}

/** A name and nothing else: no folder, nothing hidden, nothing that a terminal or a shell would read. */
function safeName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? "";
  const plain = last.replaceAll(/[^\p{L}\p{N}._ -]/gu, "_").replace(/^\.+/, "_");
  return plain.trim() === "" ? "file" : plain.slice(-LONGEST_NAME);
}

function uniqueName(name: string, taken: Set<string>): string {
  const ending = extname(name);
  const stem = name.slice(0, name.length - ending.length);
  let own = name;
  for (let count = 2; taken.has(own.toLowerCase()); count += 1) own = `${stem}-${count}${ending}`;
  taken.add(own.toLowerCase());
  return own;
}

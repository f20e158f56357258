/** The text of a blueprint file, or the problem it has. Only regular files are opened: a pipe would be waited for for ever. */
import { readFile, stat } from "node:fs/promises";
import { diagnose } from "../../base/diagnostic.ts";
import { failed, ok, type Result } from "../../base/result.ts";
import { RUNTIME_ERRORS } from "../errors.ts";

/** The text is refused above this before it is read; the parser has the exact limit. */
const MOST_BYTES = 1 << 20;

/** `shown` is the name of the file in messages. */
export async function readBlueprint(file: string, shown: string): Promise<Result<string>> {
  const bytes = await sizeOfFile(file);
  if (bytes === null) return failed([diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_UNREADABLE", { file: shown })]);
  if (bytes > MOST_BYTES) return failed([diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_HUGE", { file: shown, bytes })]);
  const content = await readFile(file).catch(() => null);
  if (content === null) return failed([diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_UNREADABLE", { file: shown })]);
  try {
    // A replacement character would change what the author wrote.
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content));
  } catch {
    return failed([diagnose(RUNTIME_ERRORS, "BLUEPRINT_FILE_NOT_TEXT", { file: shown })]);
  }
}

/** null: there is no such regular file. */
export async function sizeOfFile(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() === true ? found.size : null;
}

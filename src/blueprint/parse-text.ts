/** Text of at most 256 KB → whatever it says, or every problem it has, each with its place. */
import { failed, ok, type Result } from "../base/result.ts";
import { parseYaml } from "./parse.ts";
import { createProblems } from "./problems.ts";
import type { Reading } from "./shapes/shape.ts";
import { createSource } from "./text/source.ts";
import type { Tree } from "./text/tree.ts";

const MAX_BYTES = 256 * 1024;
const BYTE_ORDER_MARK = /^\uFEFF/;

/** `file` is how the user named it; it appears in every place that a problem names. */
export function parseText<T>(
  text: string,
  file: string,
  read: (tree: Tree, reading: Reading) => T | undefined,
): Result<T> {
  const isTooLarge = text.length > MAX_BYTES || new TextEncoder().encode(text).length > MAX_BYTES;
  const problems = createProblems(createSource(isTooLarge ? "" : text.replace(BYTE_ORDER_MARK, ""), file));
  if (isTooLarge) {
    problems.report("BLUEPRINT_TEXT_TOO_LARGE", { max: MAX_BYTES, unit: "bytes" }, { start: 0, end: 0 });
    return failed(problems.list());
  }
  const tree = parseYaml(problems);
  const value = tree === undefined ? undefined : read(tree, { problems, references: [] });
  const found = problems.list();
  return value === undefined || found.length > 0 ? failed(found) : ok(value);
}

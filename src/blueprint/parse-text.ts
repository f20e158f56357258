/** Text of a bounded size → whatever it says, or every problem it has, each with its place. */
import { failed, ok, type Result } from "../base/result.ts";
import { parseYaml } from "./parse.ts";
import { createProblems, type Problems } from "./problems.ts";
import type { Reading } from "./shapes/shape.ts";
import { PROJECT_BOUNDS, type TextBounds, USUAL_BOUNDS } from "./text/bounds.ts";
import { createSource } from "./text/source.ts";
import type { Tree } from "./text/tree.ts";

const BYTE_ORDER_MARK = /^\uFEFF/;

/** `file` is how the user named it; it appears in every place that a problem names. */
export function parseText<T>(
  text: string,
  file: string,
  read: (tree: Tree, reading: Reading) => T | undefined,
  bounds: TextBounds = USUAL_BOUNDS,
): Result<T> {
  const isTooLarge = text.length > bounds.bytes || new TextEncoder().encode(text).length > bounds.bytes;
  const problems = createProblems(createSource(isTooLarge ? "" : text.replace(BYTE_ORDER_MARK, ""), file));
  if (isTooLarge) {
    problems.report("BLUEPRINT_TEXT_TOO_LARGE", { max: bounds.bytes, unit: "bytes" }, { start: 0, end: 0 });
    return failed(problems.list());
  }
  const tree = text.length > USUAL_BOUNDS.bytes ? treeOfLong(problems, bounds) : parseYaml(problems, bounds.tokens);
  const value = tree === undefined ? undefined : read(tree, { problems, references: [] });
  const found = problems.list();
  return value === undefined || found.length > 0 ? failed(found) : ok(value);
}

/** The same for `pawl.yaml`, which is read by many, each for its part, and may be long. */
export function parseProjectText<T>(
  text: string,
  file: string,
  read: (tree: Tree, reading: Reading) => T | undefined,
): Result<T> {
  return parseText(text, file, read, PROJECT_BOUNDS);
}

/** Of the newest long text without a problem: many ask one file, each for a part of it, and the same text has the same tree. */
let kept: { readonly text: string; readonly tree: Tree } | null = null;

function treeOfLong(problems: Problems, { tokens }: TextBounds): Tree | undefined {
  const { text } = problems.source;
  if (kept?.text === text) return kept.tree;
  const tree = parseYaml(problems, tokens);
  if (tree !== undefined && problems.count() === 0) kept = { text, tree };
  return tree;
}

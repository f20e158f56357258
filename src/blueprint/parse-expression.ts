/**
 * Text with `${a.b.c}` in it → expression. `$${` is a literal `${`. The text of an author is scanned here, once; whatever a
 * reference later stands for is never scanned.
 */
import type { Expression } from "../base/expression.ts";

export const REFERENCE_ROOTS = ["params", "stages", "run", "item", "index"] as const;

export interface FoundReference {
  readonly path: readonly string[];
  /** Where `${` stands in the text, and how long the whole reference is. */
  readonly offset: number;
  readonly length: number;
}

export type ReferenceProblem = { readonly offset: number; readonly length: number } & (
  | { readonly detail: string }
  | { readonly root: string }
);

export interface ParsedText {
  readonly expression: Expression;
  readonly references: readonly FoundReference[];
  readonly problems: readonly ReferenceProblem[];
}

type Part = string | { readonly ref: readonly string[] };

const SEGMENT = /^[A-Za-z0-9_-]+$/;
const FORBIDDEN: readonly string[] = ["__proto__", "constructor", "prototype"];

export function parseExpression(text: string): ParsedText {
  const parts: Part[] = [];
  const references: FoundReference[] = [];
  const problems: ReferenceProblem[] = [];
  let literal = "";
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("${", at);
    if (open < 0) break;
    if (open > at && text[open - 1] === "$") {
      literal += `${text.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    const close = text.indexOf("}", open);
    if (close < 0) {
      problems.push({ detail: "it has no closing brace", offset: open, length: 2 });
      break;
    }
    const path = text.slice(open + 2, close).split(".");
    const problem = problemOf(path, open);
    if (problem !== undefined) problems.push(problem);
    else references.push({ path, offset: open, length: close + 1 - open });
    parts.push(literal + text.slice(at, open), { ref: path });
    literal = "";
    at = close + 1;
  }
  parts.push(literal + text.slice(at));
  return { expression: toExpression(parts.filter((part) => part !== "")), references, problems };
}

function problemOf(path: readonly string[], open: number): ReferenceProblem | undefined {
  const [root = ""] = path;
  if (path.length === 1 && root === "")
    return { detail: "there is nothing between the braces", offset: open, length: 3 };
  let offset = open + 2;
  for (const segment of path) {
    const detail = segmentProblem(segment);
    if (detail !== undefined) return { detail, offset, length: Math.max(1, segment.length) };
    offset += segment.length + 1;
  }
  const isKnown = REFERENCE_ROOTS.some((known) => known === root);
  return isKnown ? undefined : { root, offset: open + 2, length: root.length };
}

function segmentProblem(segment: string): string | undefined {
  if (segment === "") return "a name between two dots is missing";
  if (!SEGMENT.test(segment)) return "a name may hold letters, digits, - and _ only";
  return FORBIDDEN.includes(segment) ? "this name is not allowed" : undefined;
}

/** The smallest form: a plain text, one reference alone (which keeps its type), or a mixture. */
function toExpression(parts: readonly Part[]): Expression {
  const [only = ""] = parts;
  if (parts.length > 1) return { text: parts };
  return typeof only === "string" ? { lit: only } : only;
}

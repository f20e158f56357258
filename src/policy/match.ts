/** Does a pattern cover a request? Every match takes time linear in the length of pattern and request. */
import type { PolicyRequest } from "./request.ts";
import type { Pattern } from "./rule.ts";

export function matches(pattern: Pattern, request: PolicyRequest): boolean {
  if ("run" in pattern) return request.kind === "run" && matchesArguments(pattern.run, request.argv);
  if ("shell" in pattern) return request.kind === "shell" && matchesGlob(pattern.shell, request.script);
  return request.kind === "action" && matchesAction(pattern.action, request.action);
}

function matchesArguments(patterns: readonly string[], argv: readonly string[]): boolean {
  const isOpen = patterns.at(-1) === "**";
  const fixed = isOpen ? patterns.slice(0, -1) : patterns;
  if (isOpen ? argv.length < fixed.length : argv.length !== fixed.length) return false;
  return fixed.every((pattern, index) => matchesGlob(pattern, argv[index] as string));
}

function matchesAction(pattern: string, action: string): boolean {
  return pattern.endsWith(".*") ? action.startsWith(pattern.slice(0, -1)) : action === pattern;
}

/** `*` stands for any characters, none included; everything else for itself. */
export function matchesGlob(pattern: string, text: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  const tail = rest.pop();
  if (tail === undefined) return text === pattern;
  if (!text.startsWith(head)) return false;
  let from = head.length;
  for (const piece of rest) {
    const at = find(text, piece, from);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return text.length - tail.length >= from && text.endsWith(tail);
}

/** The first place of `piece` at or after `from`, by Knuth, Morris and Pratt: `indexOf` can be made to take quadratic time. */
function find(text: string, piece: string, from: number): number {
  if (piece === "") return from;
  const borders = bordersOf(piece);
  let matched = 0;
  for (let at = from; at < text.length; at += 1) {
    matched = extend(piece, borders, matched, text[at] as string);
    if (matched === piece.length) return at - matched + 1;
  }
  return -1;
}

/** For each prefix of the piece: how long a shorter prefix it also ends with. */
function bordersOf(piece: string): number[] {
  const borders = [0];
  for (let at = 1; at < piece.length; at += 1) {
    borders.push(extend(piece, borders, borders[at - 1] as number, piece[at] as string));
  }
  return borders;
}

function extend(piece: string, borders: readonly number[], matched: number, next: string): number {
  let length = matched;
  while (length > 0 && piece[length] !== next) length = borders[length - 1] as number;
  return piece[length] === next ? length + 1 : length;
}

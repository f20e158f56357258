/**
 * YAML text → tree. What YAML offers beyond plain values is refused: anchors, aliases, merge keys, tags, directives, further
 * documents, duplicate keys, inexact numbers. Time and memory are bounded by the size of the text, however hostile it is.
 */
import {
  Composer,
  CST,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type ParsedNode,
  Parser,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import type { Problems } from "./problems.ts";
import { isExactNumber } from "./text/exact-number.ts";
import type { Range } from "./text/source.ts";
import type { BrokenNode, Entry, ScalarNode, Tree } from "./text/tree.ts";

const MAX_DEPTH = 32;

/** Control characters other than tab and line end, halves of characters, and marks that reverse the reading direction. */
const REFUSED = /(?![\t\n\r])\p{Cc}|\r(?!\n)|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/gu;
const REFUSED_IN_VALUE = /\0|\p{Cs}/u;

/** Names that mean something on every object of the language the values end up in. */
const FORBIDDEN_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

/** The tree, or undefined when the text cannot be read with certainty; problems are reported either way. */
export function parseYaml(problems: Problems, mostTokens: number): Tree | undefined {
  if (!checkCharacters(problems)) return undefined;
  const tokens = readTokens(problems, mostTokens);
  const contents = tokens === undefined ? undefined : compose(tokens, problems);
  return contents === undefined ? undefined : convert(contents, problems, 1);
}

function checkCharacters(problems: Problems): boolean {
  let isClean = true;
  for (const match of problems.source.text.matchAll(REFUSED)) {
    isClean = false;
    reportCharacter(match[0], { start: match.index, end: match.index + 1 }, problems);
    if (problems.isFull()) break;
  }
  return isClean;
}

function reportCharacter(character: string, at: Range, problems: Problems): void {
  const point = (character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
  problems.report("BLUEPRINT_TEXT_INVALID", { character: `U+${point}` }, at);
}

/** Reads token by token, so that depth and count are checked before anything slow or recursive sees the text. */
function readTokens(problems: Problems, mostTokens: number): CST.Token[] | undefined {
  const { text } = problems.source;
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let isScalarNext = false;
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    const at = { start: parser.offset, end: parser.offset + lexeme.length };
    if (!isScalarNext) checkLexeme(lexeme, at, problems);
    isScalarNext = lexeme === CST.SCALAR;
    for (const token of parser.next(lexeme)) tokens.push(token);
    count += 1;
    if (count > mostTokens) {
      problems.report("BLUEPRINT_TEXT_TOO_LARGE", { max: mostTokens, unit: "tokens" }, at);
      return undefined;
    }
    if (!isWithinBounds(parser, at, problems)) return undefined;
  }
  for (const token of parser.end()) tokens.push(token);
  return tokens;
}

function isWithinBounds(parser: Parser, at: Range, problems: Problems): boolean {
  if (parser.stack.length > MAX_DEPTH && parser.stack.filter(CST.isCollection).length > MAX_DEPTH) {
    problems.report("BLUEPRINT_YAML_TOO_DEEP", { max: MAX_DEPTH }, at);
  } else return !problems.isFull();
  return false;
}

function checkLexeme(lexeme: string, at: Range, problems: Problems): void {
  const type = CST.tokenType(lexeme);
  if (type === "anchor" || type === "alias") problems.report("BLUEPRINT_YAML_ANCHOR", { text: lexeme }, at);
  else if (type === "tag") problems.report("BLUEPRINT_YAML_TAG", { text: lexeme }, at);
  else if (type === "directive-line") problems.report("BLUEPRINT_YAML_DIRECTIVE", {}, at);
}

function compose(tokens: readonly CST.Token[], problems: Problems): ParsedNode | undefined {
  const { length } = problems.source.text;
  const composer = new Composer({
    schema: "core",
    version: "1.2",
    uniqueKeys: false,
    stringKeys: true,
    resolveKnownTags: false,
  });
  // An error of the YAML library costs little without its stack trace; a hostile text makes hundreds of thousands.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const [first, second] = takeTwo(composer.compose(tokens, true, length));
    for (const error of first.errors) reportSyntax(error, problems);
    if (second !== undefined) {
      const start = second.range[0];
      problems.report("BLUEPRINT_YAML_DOCUMENTS", {}, { start, end: start + 1 });
    }
    if (first.errors.length > 0) return undefined;
    if (first.contents === null) problems.report("BLUEPRINT_TEXT_EMPTY", {}, { start: 0, end: 0 });
    return first.contents ?? undefined;
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The composer always gives one document, an empty one if need be; more than a second is never asked for. */
function takeTwo<T>(documents: Generator<T>): readonly [T, T?] {
  const first: T = documents.next().value;
  const second = documents.next();
  return second.done ? [first] : [first, second.value];
}

function reportSyntax(error: YAMLError, problems: Problems): void {
  const at = { start: error.pos[0], end: error.pos[1] };
  if (error.code === "NON_STRING_KEY") {
    const key = problems.source.text.slice(at.start, at.end);
    problems.report("BLUEPRINT_KEY_INVALID", { field: "an entry", key, expected: "text" }, at);
  } else {
    problems.report("BLUEPRINT_YAML_SYNTAX", { detail: error.message }, at);
  }
}

function convert(node: ParsedNode, problems: Problems, depth: number): Tree {
  const at = { start: node.range[0], end: node.range[1] };
  if (node.tag !== undefined) return { kind: "broken", ...at };
  if (isScalar(node)) return convertScalar(node.value, node.source, at, problems);
  if (depth > MAX_DEPTH) {
    problems.report("BLUEPRINT_YAML_TOO_DEEP", { max: MAX_DEPTH }, { start: at.start, end: at.start + 1 });
    return { kind: "broken", ...at };
  }
  if (isSeq(node)) return { kind: "list", items: node.items.map((item) => convert(item, problems, depth + 1)), ...at };
  if (isMap(node)) return { kind: "map", entries: convertEntries(node, problems, depth), ...at };
  return { kind: "broken", ...at };
}

function convertScalar(value: unknown, written: string, at: Range, problems: Problems): ScalarNode | BrokenNode {
  if (typeof value === "number" && !isExactNumber(value, written)) {
    problems.report("BLUEPRINT_NUMBER_INEXACT", { text: written }, at);
    return { kind: "broken", ...at };
  }
  const refused = typeof value === "string" ? REFUSED_IN_VALUE.exec(value) : null;
  if (refused !== null) {
    reportCharacter(refused[0], at, problems);
    return { kind: "broken", ...at };
  }
  return { kind: "scalar", value: value as ScalarNode["value"], written, ...at };
}

function convertEntries(map: YAMLMap.Parsed, problems: Problems, depth: number): Entry[] {
  const entries = new Map<string, Entry>();
  for (const { key: keyNode, value } of map.items) {
    const node = convert(keyNode, problems, depth);
    if (node.kind !== "scalar") continue;
    const at = { start: node.start, end: node.end };
    const key = String(node.value);
    if (!checkKey(key, at, entries.get(key), problems)) continue;
    const empty: Tree = { kind: "scalar", value: null, written: "", start: at.end, end: at.end };
    entries.set(key, { key, at, value: value === null ? empty : convert(value, problems, depth + 1) });
  }
  return [...entries.values()];
}

function checkKey(key: string, at: Range, twin: Entry | undefined, problems: Problems): boolean {
  if (key === "<<") problems.report("BLUEPRINT_YAML_ANCHOR", { text: key }, at);
  else if (FORBIDDEN_KEYS.includes(key)) problems.report("BLUEPRINT_KEY_FORBIDDEN", { key }, at);
  else if (twin !== undefined) {
    problems.report("BLUEPRINT_KEY_DUPLICATE", { key, line: problems.source.span(twin.at).line }, at);
  } else return true;
  return false;
}

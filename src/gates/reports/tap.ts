/** The Test Anything Protocol, 13 and 14, as node:test, vitest and others print it. Subtests are indented by four. */
import type { Collector } from "./collector.ts";
import { createTreeReader, DEEPEST, type TreeNode, type TreeReader } from "./tree.ts";

const VERSION = /^TAP version 1[34]$/;
const TEST = /^(not )?ok\b(?: +\d+)?(?: +-)?(?: +(.*))?$/;
const PLAN = /^1\.\.(\d{1,9})(?: *#.*)?$/;
const DIRECTIVE = /(?:^|\s)#\s*(?:skip|todo)/i;
const TIME = /\s# time=[\d.]+m?s$/;

interface Document {
  readonly tree: TreeReader;
  /** Plans by depth, for the list that is open there. */
  readonly plans: Map<number, number>;
  /** Suites whose tests follow in braces, by depth. */
  readonly braces: Map<number, Omit<TreeNode, "children">>;
  /** The indentation of the block of details that is open. */
  detail: string | undefined;
}

/** The outermost tests of all documents in the text. What does not fit becomes a problem. */
export function readTap(text: string, collector: Collector): readonly TreeNode[] {
  const documents = splitDocuments(text);
  if (documents.length === 0) collector.problem("there is no TAP report");
  return documents.flatMap((lines) => readDocument(lines, collector));
}

/** What stands before the first version line is not TAP; a text without version lines is one document. */
function splitDocuments(text: string): string[][] {
  const documents: string[][] = [];
  for (const line of text.split("\n")) {
    if (VERSION.test(line)) documents.push([]);
    else documents.at(-1)?.push(line);
  }
  const isBare = documents.length === 0 && /^1\.\.\d/m.test(text);
  return isBare ? [text.split("\n")] : documents;
}

function readDocument(lines: readonly string[], collector: Collector): readonly TreeNode[] {
  const document: Document = { tree: createTreeReader(), plans: new Map(), braces: new Map(), detail: undefined };
  for (const line of lines) {
    if (!skipsDetail(document, line)) readLine(document, line, collector);
  }
  const { nodes, isCut } = document.tree.finish();
  if (isCut || document.braces.size > 0 || document.detail !== undefined)
    collector.problem("the TAP report is cut off");
  if (!document.plans.has(0)) collector.problem("the TAP report has no plan: it is cut off");
  else checkPlan(document, 0, collector);
  return nodes;
}

/** A block of details goes from `---` to `...` with the same indentation; nothing in it is a result. */
function skipsDetail(document: Document, line: string): boolean {
  if (document.detail !== undefined) {
    if (line === `${document.detail}...`) document.detail = undefined;
    return true;
  }
  if (!/^ +---$/.test(line)) return false;
  document.detail = line.slice(0, -3);
  return true;
}

function readLine(document: Document, line: string, collector: Collector): void {
  const body = line.trimStart();
  const depth = (line.length - body.length) / 4;
  if (!Number.isInteger(depth) || depth >= DEEPEST) return;
  const plan = PLAN.exec(body);
  const test = TEST.exec(body);
  if (body.startsWith("Bail out!")) collector.problem(`the tests bailed out: ${body.slice("Bail out!".length).trim()}`);
  else if (plan !== null) readPlan(document, depth, Number(plan[1]), collector);
  else if (test !== null) readTest(document, depth, test, collector);
  else if (body === "}") closeBrace(document, depth, collector);
}

function readPlan(document: Document, depth: number, count: number, collector: Collector): void {
  if (document.plans.has(depth)) collector.problem("the TAP report has two plans for the same tests");
  document.plans.set(depth, count);
}

function readTest(document: Document, depth: number, test: RegExpExecArray, collector: Collector): void {
  const written = test[2] ?? "";
  const isBrace = written === "{" || written.endsWith(" {");
  const text = isBrace ? written.slice(0, -1).trimEnd() : written;
  const directive = DIRECTIVE.exec(text);
  const name = plainName(directive === null ? text.replace(TIME, "") : text.slice(0, directive.index));
  const node = { name, isOk: test[1] === undefined, isSkipped: directive !== null };
  if (isBrace) document.braces.set(depth, node);
  else closeTest(document, depth, node, collector);
}

function closeBrace(document: Document, depth: number, collector: Collector): void {
  const node = document.braces.get(depth);
  if (node === undefined) return;
  document.braces.delete(depth);
  closeTest(document, depth, node, collector);
}

function closeTest(document: Document, depth: number, node: Omit<TreeNode, "children">, collector: Collector): void {
  checkPlan(document, depth + 1, collector);
  document.plans.delete(depth + 1);
  document.tree.close(depth, node);
}

function checkPlan(document: Document, depth: number, collector: Collector): void {
  const planned = document.plans.get(depth);
  const found = document.tree.count(depth);
  if (planned !== undefined && planned !== found) {
    collector.problem(`the TAP report plans ${planned} tests and has ${found}`);
  }
}

function plainName(text: string): string {
  return text.replaceAll(/\\([\\#])/g, "$1");
}

/** What node:test prints: TAP, or the `spec` text. Its own totals at the end must fit what was read. */
import type { Collector } from "./collector.ts";
import { readTap } from "./tap.ts";
import { collectTree, createTreeReader, DEEPEST, size, type TreeNode } from "./tree.ts";

/** `✔ name (1.5ms) # SKIP`: a remark after the time is there only for skipped and todo tests. */
const SPEC_TEST = /^( *)([✔✖﹣⚠]) (.*) \(\d+(?:\.\d+)?ms\)(?: #.*)?$/u;
const SPEC_REMARK = /\(\d+(?:\.\d+)?ms\) #.*$/;

/** True for a text that ends with the totals of node:test in either form. */
export function isNodeReport(text: string): boolean {
  return total(text, "suites") !== undefined && total(text, "duration_ms") !== undefined;
}

export function readNode(text: string, collector: Collector): void {
  const nodes = /^TAP version 1[34]$/m.test(text) ? readTap(text, collector) : readSpec(text, collector);
  checkTotals(text, nodes, collector);
  collectTree(nodes, [], collector);
}

function readSpec(text: string, collector: Collector): readonly TreeNode[] {
  const tree = createTreeReader();
  for (const line of beforeTotals(text)) {
    const test = SPEC_TEST.exec(line);
    const depth = (test?.[1] ?? "").length / 2;
    if (test === null || !Number.isInteger(depth) || depth >= DEEPEST) continue;
    const isSkipped = test[2] === "﹣" || test[2] === "⚠" || SPEC_REMARK.test(line);
    tree.close(depth, { name: test[3] as string, isOk: test[2] !== "✖", isSkipped });
  }
  const { nodes, isCut } = tree.finish();
  if (isCut) collector.problem("the report of node:test is cut off");
  return nodes;
}

/** The totals are followed by the failed tests once more. */
function beforeTotals(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.slice(0, lines.findLastIndex((line) => /^ℹ tests \d+$/.test(line)) + 1);
}

function checkTotals(text: string, nodes: readonly TreeNode[], collector: Collector): void {
  const tests = total(text, "tests");
  const suites = total(text, "suites");
  if (tests === undefined || suites === undefined)
    collector.problem("the report of node:test has no totals: it is cut off");
  else if (size(nodes) !== tests + suites) {
    collector.problem(`node:test counted ${tests + suites} tests and suites, the report has ${size(nodes)}`);
  }
}

/** The last one: a program under test may print such lines too, but never after them. */
function total(text: string, name: string): number | undefined {
  const last = [...text.matchAll(/^[#ℹ] (tests|suites|duration_ms) ([\d.]+)$/gmu)].findLast(
    (match) => match[1] === name,
  );
  return last === undefined ? undefined : Number(last[2]);
}

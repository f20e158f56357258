/** Reports that print the tests of a suite before the line of the suite itself: TAP and the `spec` text of node:test. */
import type { Collector } from "./collector.ts";

export interface TreeNode {
  readonly name: string;
  readonly isOk: boolean;
  /** A skip or todo directive. */
  readonly isSkipped: boolean;
  readonly children: readonly TreeNode[];
}

export interface TreeReader {
  /** A line of a test at a depth: everything one level deeper since the last line of this depth belongs to it. */
  close(depth: number, node: Omit<TreeNode, "children">): void;
  /** Nodes of this depth that no line one level up has taken yet. */
  count(depth: number): number;
  /** The outermost nodes. Whatever is left deeper was cut off. */
  finish(): { readonly nodes: readonly TreeNode[]; readonly isCut: boolean };
}

export const DEEPEST = 50;

export function createTreeReader(): TreeReader {
  const open: TreeNode[][] = [];
  let isTorn = false;
  return {
    close(depth, node) {
      while (open.length <= depth) open.push([]);
      const children = open[depth + 1] ?? [];
      isTorn ||= open.length > depth + 2;
      open.length = depth + 1;
      (open[depth] as TreeNode[]).push({ ...node, children });
    },
    count: (depth) => open[depth]?.length ?? 0,
    finish: () => ({ nodes: open[0] ?? [], isCut: isTorn || open.length > 1 }),
  };
}

/** Number of nodes, the suites among them. */
export function size(nodes: readonly TreeNode[]): number {
  let count = nodes.length;
  for (const node of nodes) count += size(node.children);
  return count;
}

/** Leaves are tests; a suite is listed only when it failed and none of its tests did. */
export function collectTree(nodes: readonly TreeNode[], above: readonly string[], collector: Collector): void {
  for (const node of nodes) {
    const path = [...above, node.name];
    if (node.children.length > 0) {
      collectTree(node.children, path, collector);
      if (!node.isOk && !node.isSkipped && !node.children.some(hasFailed)) collector.addWhole(path);
    } else collector.add(path, outcomeOf(node));
  }
}

function outcomeOf(node: TreeNode): "pass" | "fail" | "skip" {
  if (node.isSkipped) return "skip";
  return node.isOk ? "pass" : "fail";
}

function hasFailed(node: TreeNode): boolean {
  return node.children.some(hasFailed) || (!node.isOk && !node.isSkipped);
}

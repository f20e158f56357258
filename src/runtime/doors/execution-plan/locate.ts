/** Where in a text a path such as `steps[0].arguments.a` stands: the deepest part of it that is there. */
import type { Range } from "../../../blueprint/text/source.ts";
import type { Tree } from "../../../blueprint/text/tree.ts";

const PARTS = /[^.[\]]+/g;

export function locate(tree: Tree, path: string): Range {
  let found = tree;
  for (const [part] of path.matchAll(PARTS)) {
    const next = memberOf(found, part);
    if (next === undefined) break;
    found = next;
  }
  return { start: found.start, end: found.kind === "scalar" ? found.end : found.start + 1 };
}

function memberOf(tree: Tree, part: string): Tree | undefined {
  if (tree.kind === "list") return tree.items[Number(part)];
  return tree.kind === "map" ? tree.entries.find(({ key }) => key === part)?.value : undefined;
}

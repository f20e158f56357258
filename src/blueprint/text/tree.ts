/** The YAML text as plain located values. A map is a list of entries, so no key of an author becomes a property of an object. */
import type { Range } from "./source.ts";

export interface ScalarNode extends Range {
  readonly kind: "scalar";
  readonly value: null | boolean | number | string;
  /** The characters of the value before any escape or number was read. */
  readonly written: string;
}

export interface ListNode extends Range {
  readonly kind: "list";
  readonly items: readonly Tree[];
}

export interface Entry {
  readonly key: string;
  readonly at: Range;
  readonly value: Tree;
}

export interface MapNode extends Range {
  readonly kind: "map";
  /** Keys are unique. */
  readonly entries: readonly Entry[];
}

/** A value that was refused already: whoever meets it stays silent. */
export interface BrokenNode extends Range {
  readonly kind: "broken";
}

export type Tree = ScalarNode | ListNode | MapNode | BrokenNode;

/** What a message calls the value. */
export function nameOf(tree: Tree): string {
  if (tree.kind !== "scalar") return `a ${tree.kind}`;
  if (tree.value === null) return "nothing";
  return typeof tree.value === "string" ? "text" : `a ${typeof tree.value}`;
}

/** The keys as written; none when it is not a map. */
export function keysOf(tree: Tree): string[] {
  return tree.kind === "map" ? tree.entries.map(({ key }) => key) : [];
}

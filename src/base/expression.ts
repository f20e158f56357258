/**
 * Values an author writes with `${…}` in them, parsed once. Every node is tagged, so text that comes from a
 * parameter, a file or a process can never be taken for a reference: values are never scanned again.
 */
import { canonical, type JsonValue } from "./json.ts";

export type Expression =
  | { readonly lit: JsonValue }
  | { readonly ref: readonly string[] }
  | { readonly text: readonly (string | { readonly ref: readonly string[] })[] }
  | { readonly list: readonly Expression[] }
  | { readonly map: readonly (readonly [key: string, value: Expression])[] };

/** The value at a path of names, or undefined where there is none. */
export type Lookup = (path: readonly string[]) => JsonValue | undefined;

/** The value, or the first reference without one, as written between the braces. */
export type Resolution =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly ref: string };

/** A reference that is the whole value keeps its type; inside a text, lists and maps become canonical JSON. */
export function resolve(expression: Expression, lookup: Lookup): Resolution {
  if ("lit" in expression) return { ok: true, value: expression.lit };
  if ("ref" in expression) return resolveReference(expression.ref, lookup);
  if ("text" in expression) return resolveText(expression.text, lookup);
  if ("list" in expression) return resolveAll(expression.list, lookup);
  const values = resolveAll(
    expression.map.map(([, value]) => value),
    lookup,
  );
  if (!values.ok) return values;
  // fromEntries defines members and never assigns them, so a key such as `__proto__` stays plain data.
  return { ok: true, value: Object.fromEntries(expression.map.map(([key], index) => [key, values.value[index]])) };
}

/** The path of every reference, in the order written. */
export function references(expression: Expression): string[][] {
  if ("lit" in expression) return [];
  if ("ref" in expression) return [[...expression.ref]];
  if ("text" in expression) return expression.text.flatMap((part) => (typeof part === "string" ? [] : [[...part.ref]]));
  if ("list" in expression) return expression.list.flatMap(references);
  return expression.map.flatMap(([, value]) => references(value));
}

function resolveReference(path: readonly string[], lookup: Lookup): Resolution {
  const value = lookup(path);
  return value === undefined ? { ok: false, ref: path.join(".") } : { ok: true, value };
}

function resolveText(parts: readonly (string | { readonly ref: readonly string[] })[], lookup: Lookup): Resolution {
  let text = "";
  for (const part of parts) {
    if (typeof part === "string") {
      text += part;
      continue;
    }
    const resolved = resolveReference(part.ref, lookup);
    if (!resolved.ok) return resolved;
    text += typeof resolved.value === "string" ? resolved.value : canonical(resolved.value);
  }
  return { ok: true, value: text };
}

function resolveAll(
  list: readonly Expression[],
  lookup: Lookup,
): { readonly ok: true; readonly value: readonly JsonValue[] } | { readonly ok: false; readonly ref: string } {
  const value: JsonValue[] = [];
  for (const item of list) {
    const resolved = resolve(item, lookup);
    if (!resolved.ok) return resolved;
    value.push(resolved.value);
  }
  return { ok: true, value };
}

/**
 * Values an author writes with `${…}` in them, parsed once. Every node is tagged, so text that comes from a
 * parameter, a file or a process can never be taken for a reference: values are never scanned again.
 */
import type { JsonValue } from "./json.ts";

export type Expression =
  | { readonly lit: JsonValue }
  | { readonly ref: readonly string[] }
  | { readonly text: readonly (string | { readonly ref: readonly string[] })[] }
  | { readonly list: readonly Expression[] }
  | { readonly map: readonly (readonly [key: string, value: Expression])[] };

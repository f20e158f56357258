/** What a tests gate reported, as a certificate keeps it: every id, or where there are very many a count and a digest. */
import { sha256 } from "../../base/digest.ts";
import { canonical, isJsonObject, type JsonValue } from "../../base/json.ts";

/** Longer lists are kept beside the certificate. */
export const MOST_LISTED = 2000;

/** The thing itself, or how many entries it has and the digest of its canonical text. */
export type Folded<T> = T | { readonly count: number; readonly sha256: string };

export const TEST_LISTS = ["fixed", "oldFailures", "newFailures", "vanished", "added", "flaky"] as const;
export type TestList = (typeof TEST_LISTS)[number];

export type TestEvidence = {
  readonly counts: JsonValue;
  /** Id → outcome of every test; null: the gate named only those that matter. */
  readonly results: Folded<JsonValue> | null;
} & { readonly [name in TestList]: Folded<readonly JsonValue[]> };

/** null: the output is not that of a tests gate. Long lists are pushed to `lists`. */
export function testEvidence(output: JsonValue, lists: string[]): TestEvidence | null {
  if (!isJsonObject(output) || !isJsonObject(output["counts"])) return null;
  const listOf = (name: TestList): Folded<readonly JsonValue[]> => {
    const list = output[name];
    return Array.isArray(list) ? foldList(list as readonly JsonValue[], list.length, lists) : [];
  };
  const { results } = output;
  return {
    counts: output["counts"],
    results: isJsonObject(results) ? foldList(results, Object.keys(results).length, lists) : null,
    fixed: listOf("fixed"),
    oldFailures: listOf("oldFailures"),
    newFailures: listOf("newFailures"),
    vanished: listOf("vanished"),
    added: listOf("added"),
    flaky: listOf("flaky"),
  };
}

export function foldList<T extends JsonValue>(value: T, count: number, lists: string[]): Folded<T> {
  if (count <= MOST_LISTED) return value;
  const text = canonical(value);
  lists.push(text);
  return { count, sha256: sha256(text) };
}

export function lengthOf(list: Folded<readonly JsonValue[]>): number {
  return "count" in list ? list.count : list.length;
}

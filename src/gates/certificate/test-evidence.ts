/** What a tests gate reported, as a certificate keeps it: every id, or where there are very many a count and a digest. */
import { sha256 } from "../../base/digest.ts";
import { canonical, isJsonObject, type JsonValue } from "../../base/json.ts";

/** Longer lists are kept beside the certificate. */
const MOST_LISTED = 2000;

/** The thing itself, or how many entries it has and the digest of its canonical text. */
export type Folded<T> = T | { readonly count: number; readonly sha256: string };

export const TEST_LISTS = ["fixed", "oldFailures", "newFailures", "vanished", "added", "flaky"] as const;
export type TestList = (typeof TEST_LISTS)[number];

export type TestEvidence = {
  readonly counts: JsonValue;
  /** Every test by outcome; null: the report was not stored. */
  readonly results: Folded<JsonValue> | null;
} & { readonly [name in TestList]: Folded<readonly JsonValue[]> };

/**
 * `output`: the verdict; `results`: the tests by outcome, as the gate stored them. null: the verdict is not that of a tests gate.
 * What is too long is pushed to `lists`.
 */
export function testEvidence(output: JsonValue, results: JsonValue, lists: string[]): TestEvidence | null {
  if (!isJsonObject(output) || !isJsonObject(output["counts"])) return null;
  const listOf = (name: TestList): Folded<readonly JsonValue[]> => {
    const list = output[name];
    return Array.isArray(list) ? foldList(list as readonly JsonValue[], list.length, lists) : [];
  };
  return {
    counts: output["counts"],
    results: results === null ? null : foldList(results, testsIn(results), lists),
    fixed: listOf("fixed"),
    oldFailures: listOf("oldFailures"),
    newFailures: listOf("newFailures"),
    vanished: listOf("vanished"),
    added: listOf("added"),
    flaky: listOf("flaky"),
  };
}

function testsIn(results: JsonValue): number {
  const lists = isJsonObject(results) ? Object.values(results).filter((list) => Array.isArray(list)) : [];
  return lists.reduce((sum, list) => sum + list.length, 0);
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

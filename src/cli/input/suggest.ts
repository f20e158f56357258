/** "Did you mean …?" as the end of a sentence about a word that a person typed. */
import { nearest } from "../../base/text/nearest.ts";

/** ` Did you mean "x"?`, or nothing when no name is near. */
export function suggest(word: string, names: Iterable<string>): string {
  const near = nearest(word, names);
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}

/**
 * Text of agents and third parties on its way into a page that people and loops read. It stays one line, and can neither hide
 * what comes after it nor look like a line of its own.
 */
import { stripHidden } from "../../../base/text/strip-hidden.ts";

const EMPTY = "—";
const LONGEST = 500;

/** Never empty. */
export function writtenText(text: string, longest = LONGEST): string {
  const line = stripHidden(text.slice(0, longest * 4))
    .kept.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replace(/\p{Cs}/gu, "\uFFFD")
    // A comment that begins here would hide whatever a person has written below it.
    .replaceAll("<!--", "<! --")
    .replaceAll("-->", "-- >")
    .trim();
  const chars = Array.from(line);
  const cut = chars.length <= longest ? line : `${chars.slice(0, longest - 1).join("")}…`;
  return cut === "" ? EMPTY : cut;
}

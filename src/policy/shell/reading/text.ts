/** What a text must be before anybody parses it: short, and without characters that people do not see or shells read differently. */

const MOST_BYTES = 64 << 10;
const TAB_AND_LINE_END = /[\t\n]/g;
/** Controls, bidirectional marks, zero-width and other ignorable characters, private, unassigned and lone halves, foreign blanks. */
const HIDDEN = /[\p{C}\p{Z}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** The emoji form of a character is asked for by one selector behind it. */
const EMOJI_FORM = /(\p{Extended_Pictographic})\uFE0F/gu;
/** Shells join lines before they look for words and operators; only after a blank does everybody read the same. */
const JOINED_LINES = /[^ \t\n\\](\\\\)*\\\n/;

/** The reason why nobody should try to read the text, or undefined. */
export function problemOfText(text: string): string | undefined {
  if (text.length > MOST_BYTES || new TextEncoder().encode(text).length > MOST_BYTES) return "it is longer than 64 KB";
  if (text.includes("\0")) return "it has a NUL character";
  if (text.includes("\r")) return "it has a carriage return";
  const visible = text.replace(TAB_AND_LINE_END, " ").replace(EMOJI_FORM, "$1").replaceAll(" ", "");
  const hidden = HIDDEN.exec(visible)?.[0].codePointAt(0);
  if (hidden !== undefined)
    return `it has the hidden character U+${hidden.toString(16).toUpperCase().padStart(4, "0")}`;
  if (JOINED_LINES.test(text)) return "a backslash joins two lines in the middle of a word or an operator";
  return undefined;
}

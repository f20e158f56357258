/** Untrusted text for people: what would be invisible, or would steer a terminal, is shown as an escape. */

/** Controls, bidirectional marks, zero-width and other ignorable characters, line separators, lone surrogates. */
const HIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\p{Cs}\uFFF9-\uFFFB]/gu;
/** The emoji form of a character is asked for by one selector behind it; anywhere else a selector is hidden content. */
const EMOJI_FORM = /\p{Emoji}$/u;
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export interface VisibleOptions {
  /** Keep line ends and tabs; without it the result is one line. */
  readonly newlines?: boolean;
}

/** Escapes what cannot be seen. Text without such characters is returned as it is. */
export function visible(text: string, options: VisibleOptions = {}): string {
  const source = options.newlines === true ? text.replaceAll("\r\n", "\n") : text;
  return source.replace(HIDDEN, (char: string, at: number) => {
    if (options.newlines === true && (char === "\n" || char === "\t")) return char;
    if (char === "\uFE0F" && EMOJI_FORM.test(source.slice(Math.max(0, at - 2), at))) return char;
    return SHORT[char] ?? escapeOf(char.codePointAt(0) as number);
  });
}

/** One line of at most `max` characters; what was cut off is marked by an ellipsis. */
export function visibleLine(text: string, max: number): string {
  const line = visible(text.slice(0, max * 4)).trim();
  const chars = Array.from(line);
  return chars.length <= max && text.length <= max * 4 ? line : `${chars.slice(0, max - 1).join("")}…`;
}

function escapeOf(code: number): string {
  const hex = code.toString(16);
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`;
}

/** Columns that a text takes on a terminal. Text given here has no control characters and no colours yet. */

const ZERO = /[\p{Mn}\p{Me}\p{Cf}]/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

function widthOfCharacter(character: string): number {
  if (character < "\u0300") return 1;
  if (ZERO.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

export function textWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

/** The text in at most `width` columns; what does not fit is cut and marked with `…`. */
export function fitText(text: string, width: number): string {
  if (text.length <= width && textWidth(text) <= width) return text;
  let out = "";
  let used = 0;
  for (const character of text) {
    const next = widthOfCharacter(character);
    if (used + next > width - 1) {
      // What is left may still fit as a whole in the last column.
      const rest = text.slice(out.length);
      return textWidth(rest) + used <= width ? out + rest : `${out}…`.slice(0, width < 1 ? 0 : undefined);
    }
    out += character;
    used += next;
  }
  return out;
}

/** The text followed by spaces up to `width` columns. */
export function padText(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - textWidth(text)));
}

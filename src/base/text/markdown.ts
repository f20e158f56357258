/** Untrusted text inside Markdown: one line that stands for itself and is never read as Markdown, HTML, a link or a mention. */
import { visibleLine } from "../visible.ts";

/** A comment keeps the parts of a link or a mention apart. */
export function markdownLine(text: string, max: number): string {
  return visibleLine(text, max).replace(/[^\p{L}\p{N} ,;?%]/gu, (char, at: number, line: string) => {
    if ("&<>\"'".includes(char)) return `&#${char.charCodeAt(0)};`;
    if (char === "-" && !/\d/.test(line.charAt(at + 1))) return char;
    return "@#:/.-".includes(char) ? `${char}<!-- -->` : `\\${char}`;
  });
}

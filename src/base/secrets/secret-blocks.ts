/** Private keys in PEM form, whole or in part: a log may hold only the first or only the last lines of one. */

const BEGIN = "-----BEGIN ";
const END = "-----END ";
const BEGIN_LINE = /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const END_LINE = /-----END (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
/** What a key's lines are made of, also when they were escaped into one line. */
const BODY = /[A-Za-z0-9+/=\s\\:,.()-]*/y;
const MAX_BLOCK = 32_768;
const MASK = "[redacted:private-key]";

export const BLOCK_SIGNS: readonly string[] = ["-----begin ", "-----end "];

export function maskBlocks(text: string): string {
  return maskTails(maskHeads(text));
}

/** Where text that goes on may be cut so that no line and no private key is split; 0 when nowhere yet. */
export function safeCut(text: string): number {
  const lineEnd = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
  const begin = text.lastIndexOf(BEGIN, lineEnd);
  if (begin === -1 || begin >= lineEnd || text.indexOf(END, begin) !== -1) return lineEnd;
  const first = matchAt(BEGIN_LINE, text, begin);
  if (first === "" || text.length - begin > MAX_BLOCK) return lineEnd;
  return Math.max(text.lastIndexOf("\n", begin), text.lastIndexOf("\r", begin)) + 1;
}

/** Masks from each first line to the last line that belongs to it, or as far as the text still looks like a key. */
function maskHeads(text: string): string {
  let out = "";
  let done = 0;
  let end = -2;
  for (let at = text.indexOf(BEGIN); at !== -1; at = text.indexOf(BEGIN, Math.max(done, at + 1))) {
    const first = matchAt(BEGIN_LINE, text, at);
    if (first === "") continue;
    const start = at + first.length;
    if (end !== -1 && end < start) end = text.indexOf(END, start);
    const limit = Math.min(end === -1 ? text.length : end, start + MAX_BLOCK);
    const body = matchAt(BODY, text.slice(start, limit), 0);
    const closed = start + body.length === end ? matchAt(END_LINE, text, end) : "";
    out += text.slice(done, at) + MASK;
    done = start + body.length + closed.length;
  }
  return done === 0 ? text : out + text.slice(done);
}

/** Masks the lines before a last line whose first line is not in the text. */
function maskTails(text: string): string {
  let out = "";
  let done = 0;
  for (let at = text.indexOf(END); at !== -1; at = text.indexOf(END, at + 1)) {
    const last = matchAt(END_LINE, text, at);
    if (last === "") continue;
    let start = at;
    while (start > done && isBody(text.charCodeAt(start - 1))) start -= 1;
    out += text.slice(done, start) + MASK;
    done = at + last.length;
  }
  return done === 0 ? text : out + text.slice(done);
}

function matchAt(expression: RegExp, text: string, at: number): string {
  expression.lastIndex = at;
  return expression.exec(text)?.[0] ?? "";
}

/** Base64 and line ends; no space, so that prose before a key stays. */
function isBody(code: number): boolean {
  const char = String.fromCharCode(code);
  return /[A-Za-z0-9+/=\r\n]/.test(char);
}

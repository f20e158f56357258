/** Scripts of sed that only look and replace. Every other command, `e` and `w` among them, is not plain. */

interface Reader {
  readonly text: string;
  at: number;
}

/** One address: a line, the last line, or a pattern; a second one may follow behind a comma. */
const ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n[]|\\[^\n]|\[[^\]/\\\n]+\])*\/I?)/.source;
const ADDRESSES = new RegExp(`(?:${ADDRESS}(?:,(?:${ADDRESS}|[+~]\\d+))?)?[ \\t]*!?[ \\t]*`, "y");
const SIMPLE = /[pdqQnNgGhHxPDlz=](?=[ \t]*(?:[;}\n]|$))/y;
/** Labels, and jumps to them. Where a label ends differs between tools; whatever it is, it is only a name. */
const LABEL = /(?::[ \t]*\w+|[btT][ \t]*\w*)(?=[ \t]*(?:[;}\n]|$))/y;
const BETWEEN = /[ \t\n;{}]*/y;
const FLAGS = /[gpiI\d]*(?=[ \t]*(?:[;}\n]|$))/y;

export function isPlainSed(script: string): boolean {
  const reader: Reader = { text: script, at: 0 };
  take(reader, BETWEEN);
  while (reader.at < script.length) {
    take(reader, ADDRESSES);
    const isOpening = script[reader.at] === "{";
    if (!isOpening && !take(reader, SIMPLE) && !take(reader, LABEL) && !replaces(reader)) return false;
    take(reader, BETWEEN);
  }
  return true;
}

/** `s` and `y` with any delimiter. */
function replaces(reader: Reader): boolean {
  const [letter, delimiter = ""] = reader.text.slice(reader.at, reader.at + 2);
  if ((letter !== "s" && letter !== "y") || !/^[/|,#:@%_]$/.test(delimiter)) return false;
  reader.at += 2;
  return skipTo(reader, delimiter) && skipTo(reader, delimiter) && take(reader, FLAGS);
}

function skipTo(reader: Reader, delimiter: string): boolean {
  for (; reader.at < reader.text.length; reader.at += 1) {
    const char = reader.text[reader.at];
    if (char === "\n") return false;
    if (char === "[") reader.at = endOfBracket(reader, delimiter);
    if (char === "\\") reader.at += 1;
    else if (char === delimiter) {
      reader.at += 1;
      return true;
    }
  }
  return false;
}

/** A bracket that holds the delimiter is read differently by different tools: it has no end. */
function endOfBracket({ text, at }: Reader, delimiter: string): number {
  const end = text.indexOf("]", at + 2);
  return end < 0 || text.slice(at, end).includes(delimiter) ? text.length : end;
}

function take(reader: Reader, pattern: RegExp): boolean {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text);
  if (found === null) return false;
  reader.at += found[0].length;
  return true;
}

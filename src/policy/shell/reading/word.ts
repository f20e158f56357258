/** Quote removal as every shell does it. What a shell would still expand is unknown. */

export type WordValue =
  /** null: the word is not known before it is executed. */
  { readonly ok: true; readonly value: string | null } | { readonly ok: false; readonly why: string };

interface Cursor {
  readonly text: string;
  at: number;
  value: string;
  bracket: boolean;
  brace: boolean;
  /** Unquoted commas and dots: what a brace expansion is made of. */
  separators: number;
}

type Step = "go on" | "unknown" | { readonly why: string };

const BASH_QUOTES = "$'…', $\"…\" and $[…] mean different things to bash and to other shells";
const OPEN_QUOTE = "a quote is not closed";
const OPERATORS = "()<>|&; \t\n";

export function readWord(text: string): WordValue {
  const cursor: Cursor = { text, at: 0, value: "", bracket: false, brace: false, separators: 0 };
  while (cursor.at < text.length) {
    const step = readNext(cursor);
    if (step === "unknown") return { ok: true, value: null };
    if (step !== "go on") return { ok: false, why: step.why };
  }
  if (cursor.brace && cursor.separators > 0) return { ok: true, value: null };
  if (cursor.bracket && cursor.value.includes("]", cursor.value.indexOf("["))) return { ok: true, value: null };
  return { ok: true, value: cursor.value };
}

function readNext(cursor: Cursor): Step {
  const char = cursor.text[cursor.at] as string;
  cursor.at += 1;
  switch (char) {
    case "\\":
      return readEscape(cursor);
    case "'":
      return readSingleQuoted(cursor);
    case '"':
      return readDoubleQuoted(cursor);
    case "$":
      return readDollar(cursor);
    case "`":
    case "*":
    case "?":
      return "unknown";
    case "~":
      return readTilde(cursor);
    default:
      return readPlain(cursor, char);
  }
}

function readPlain(cursor: Cursor, char: string): Step {
  if (OPERATORS.includes(char)) return { why: "it uses extended globs or process substitution" };
  if (char === "[") cursor.bracket = true;
  if (char === "{") cursor.brace = true;
  if (char === "," || char === ".") cursor.separators += 1;
  cursor.value += char;
  return "go on";
}

function readEscape(cursor: Cursor): Step {
  const next = cursor.text[cursor.at];
  if (next === undefined) return { why: "it ends in a backslash" };
  cursor.at += 1;
  if (next !== "\n") cursor.value += next;
  return "go on";
}

function readSingleQuoted(cursor: Cursor): Step {
  const end = cursor.text.indexOf("'", cursor.at);
  if (end < 0) return { why: OPEN_QUOTE };
  cursor.value += cursor.text.slice(cursor.at, end);
  cursor.at = end + 1;
  return "go on";
}

function readDoubleQuoted(cursor: Cursor): Step {
  let step: Step = "go on";
  while (step === "go on" && cursor.text[cursor.at] !== '"') step = readQuoted(cursor);
  cursor.at += 1;
  return step;
}

function readQuoted(cursor: Cursor): Step {
  const char = cursor.text[cursor.at];
  const next = cursor.text[cursor.at + 1] ?? "";
  cursor.at += 1;
  if (char === undefined) return { why: OPEN_QUOTE };
  if (char === "`" || (char === "$" && next !== " " && next !== '"')) return "unknown";
  if (char === "\\" && '$`"\\\n'.includes(next)) return readEscape(cursor);
  cursor.value += char;
  return "go on";
}

function readDollar(cursor: Cursor): Step {
  const next = cursor.text[cursor.at];
  if (next === "'" || next === '"' || next === "[") return { why: BASH_QUOTES };
  if (next !== undefined) return "unknown";
  cursor.value += "$";
  return "go on";
}

/** `~` and `~/…` stay as they are: they name the home of whoever runs it. Other forms, and those after `=` or `:`, are not known. */
function readTilde(cursor: Cursor): Step {
  const before = cursor.text[cursor.at - 2];
  const after = cursor.text[cursor.at];
  if (before === undefined ? after !== undefined && after !== "/" : before === "=" || before === ":") return "unknown";
  cursor.value += "~";
  return "go on";
}

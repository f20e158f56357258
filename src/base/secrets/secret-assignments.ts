/** Values that are secret because of the name they are given to: `password=…`, `"token": "…"`, `--api-key …`. */

const NAMES = "passw(?:or)?d|passphrase|secret(?:[_-]?key)?|token|(?:api|access|private|auth)[_-]?key|credentials?";
/** A name and what stands between it and the value. */
const ASSIGNED = new RegExp(`(${NAMES})(?:\\\\?["'])?(\\s{0,4}(?:=>|[:=])\\s{0,4})`, "gi");
const FLAG = new RegExp(`(?<![a-z0-9-])--(?:[a-z][a-z-]{0,24})?(${NAMES})(\\s{1,4})(?=[^\\s-])`, "gi");
const UNQUOTED_END = /[\s"'`,;&|<>(){}\]\\]/g;
/** What people write where a secret would be, and words that follow a name in prose. */
const PLACEHOLDER =
  /^(?:[$<%{].*|\[redacted.*|\*+|x+|\.+|null|undefined|true|false|none|string|number|boolean|required|optional|missing|invalid|expired|incorrect|unknown|example|changeme)$/i;

export const ASSIGNMENT_SIGNS: readonly string[] = [
  "passw",
  "passphrase",
  "secret",
  "token",
  "[_-]?key\\\\?[\"']?\\s{0,4}[:=]",
  "(?<!-)--(?:[a-z][a-z-]{0,24})?key",
  "credential",
];

interface Value {
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

export function maskAssignments(text: string): string {
  return maskAfter(maskAfter(text, ASSIGNED), FLAG);
}

function maskAfter(text: string, expression: RegExp): string {
  let out = "";
  let done = 0;
  expression.lastIndex = 0;
  for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
    const value = valueAt(text, expression.lastIndex);
    if (!isSecret(text.slice(value.start, value.end), value.quoted || isTight(match[2] as string))) continue;
    out += `${text.slice(done, value.start)}[redacted:${kindOf(match[1] as string)}]`;
    done = value.end;
    expression.lastIndex = value.end;
  }
  return done === 0 ? text : out + text.slice(done);
}

function valueAt(text: string, at: number): Value {
  const escaped = text[at] === "\\" && isQuote(text[at + 1]);
  const open = escaped ? at + 1 : at;
  if (!isQuote(text[open])) {
    UNQUOTED_END.lastIndex = at;
    return { start: at, end: UNQUOTED_END.exec(text)?.index ?? text.length, quoted: false };
  }
  return { start: open + 1, end: closeOf(text, open, escaped), quoted: true };
}

/** The end of a quoted value: before its closing quote, or the end of its line. */
function closeOf(text: string, open: number, escaped: boolean): number {
  let at = open + 1;
  for (; at < text.length; at += 1) {
    const char = text[at];
    if (char === text[open] || char === "\n" || char === "\r") break;
    if (char !== "\\") continue;
    if (escaped && text[at + 1] === text[open]) break;
    at += 1;
  }
  return Math.min(at, text.length);
}

/** `likely`: the form of the assignment alone says that a value follows; otherwise the value must look like one. */
function isSecret(value: string, likely: boolean): boolean {
  if (value.length < 6 || PLACEHOLDER.test(value)) return false;
  return likely || (value.length >= 8 && /[0-9]/.test(value) && /[A-Za-z]/.test(value));
}

function isTight(between: string): boolean {
  return between === "=" || between.trim() === "";
}

function isQuote(char: string | undefined): boolean {
  return char === '"' || char === "'";
}

function kindOf(name: string): string {
  if (/^pass/i.test(name)) return "password";
  return /token$/i.test(name) ? "token" : "secret";
}

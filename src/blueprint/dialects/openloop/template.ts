/**
 * The variables of an openloop command. Their values come by the environment and are never part of the text, so that nothing in
 * them can be read by a shell; here each becomes an expansion that fits the quotes that it stands in.
 */
const VARIABLES = {
  workspace: "OPENLOOP_WORKSPACE",
  project_root: "OPENLOOP_PROJECT_ROOT",
  round: "OPENLOOP_ROUND",
  last_error: "OPENLOOP_LAST_ERROR",
} as const;
const VARIABLE = /\{(workspace|project_root|round|last_error)\}/y;
/** From here on quotes may mean something else: what is expanded where cannot be told by looking at characters. */
const UNSURE = /\$\(|`|<<|\$'|\$\{/y;

export type Filled =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly name: string; readonly after: string };

type Quotes = "none" | "single" | "double";

/** Other braces stay as they are. */
export function fillTemplate(text: string): Filled {
  let quotes: Quotes = "none";
  let unsure: string | null = null;
  let made = "";
  for (let at = 0; at < text.length; ) {
    const name = matchAt(VARIABLE, text, at)?.[1] as keyof typeof VARIABLES | undefined;
    if (name !== undefined) {
      if (unsure !== null) return { ok: false, name, after: unsure };
      made += expansion(VARIABLES[name], quotes);
      at += name.length + 2;
      continue;
    }
    const length = pieceAt(text, at, quotes);
    const piece = text.slice(at, at + length);
    if (quotes !== "single") unsure ??= matchAt(UNSURE, text, at)?.[0] ?? null;
    quotes = quotesAfter(quotes, piece);
    made += piece;
    at += length;
  }
  return { ok: true, text: made };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** An escaped character and a comment are one piece, so that a quote in them is none. */
function pieceAt(text: string, at: number, quotes: Quotes): number {
  if (quotes !== "single" && text[at] === "\\") return 2;
  const isComment = quotes === "none" && text[at] === "#" && (at === 0 || /[\s;&|()]/.test(text[at - 1] as string));
  if (!isComment) return 1;
  const end = text.indexOf("\n", at);
  return (end < 0 ? text.length : end) - at;
}

function quotesAfter(quotes: Quotes, piece: string): Quotes {
  if (piece === "'" && quotes !== "double") return quotes === "single" ? "none" : "single";
  if (piece === '"' && quotes !== "single") return quotes === "double" ? "none" : "double";
  return quotes;
}

function expansion(name: string, quotes: Quotes): string {
  const value = `\${${name}}`;
  if (quotes === "double") return value;
  return quotes === "single" ? `'"${value}"'` : `"${value}"`;
}

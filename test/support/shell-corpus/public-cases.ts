/** Cases in the source of tests that were written for other programs: Python tuples and TOML tables. */

type Token = { readonly kind: "text" | "word" | "mark"; readonly value: string };

const PYTHON =
  /#[^\n]*|\s+|([rRbBuUfF]{0,2})("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\[\s\S]|[^"\\\n])*"|'(?:\\[\s\S]|[^'\\\n])*')|(\w+)|([\s\S])/y;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v" };

/** The commands of all tuples `("command", True)`. */
export function safeCasesOfPython(source: string): readonly string[] {
  const tokens = pythonTokens(source);
  return tokens.flatMap(({ value }, at) => {
    if (value !== "(") return [];
    let end = at + 1;
    while (tokens[end]?.kind === "text") end += 1;
    const isSafe = end > at + 1 && tokens[end]?.value === "," && tokens[end + 1]?.value === "True";
    const closing = tokens[end + 2]?.value === "," ? end + 3 : end + 2;
    if (!isSafe || tokens[closing]?.value !== ")") return [];
    return [
      tokens
        .slice(at + 1, end)
        .map((token) => token.value)
        .join(""),
    ];
  });
}

function pythonTokens(source: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const [, prefix = "", text, word, mark] of source.matchAll(new RegExp(PYTHON.source, "g"))) {
    if (text !== undefined) tokens.push(/f/i.test(prefix) ? { kind: "word", value: text } : pythonText(prefix, text));
    else if (word !== undefined) tokens.push({ kind: "word", value: word });
    else if (mark !== undefined) tokens.push({ kind: "mark", value: mark });
  }
  return tokens;
}

function pythonText(prefix: string, quoted: string): Token {
  const width = /^("""|''')/.test(quoted) ? 3 : 1;
  const inside = quoted.slice(width, -width);
  return { kind: "text", value: /r/i.test(prefix) ? inside : unescaped(inside) };
}

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(\n|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{1,3}|[\s\S])/g,
    (whole, code: string) => {
      if (code === "\n") return "";
      if (/^[xuU]./.test(code)) return String.fromCodePoint(Number.parseInt(code.slice(1), 16));
      if (/^[0-7]/.test(code)) return String.fromCodePoint(Number.parseInt(code, 8));
      return ESCAPES[code] ?? (/["'\\]/.test(code) ? code : whole);
    },
  );
}

/** The commands of all tables whose `expected` is `"allow"`. */
export function safeCasesOfToml(source: string): readonly string[] {
  return source.split(/^\[\[/m).flatMap((table) => {
    if (!/^expected\s*=\s*"allow"/m.test(table)) return [];
    const text = /^command\s*=\s*("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*')/m.exec(table)?.[1];
    if (text === undefined) return [];
    const width = /^("""|''')/.test(text) ? 3 : 1;
    const inside = text.slice(width, -width).replace(/^\n/, "");
    return [text.startsWith("'") ? inside : unescaped(inside)];
  });
}

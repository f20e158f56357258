/** Rust, with cargo. Its unit tests lie in the files that they test. */
import { changed, isClosed, isCode, type Language, oneLine, swapOperator } from "./language.ts";

export const RUST: Language = {
  isTest: (path) => /(?:^|\/)tests\//.test(path),
  skip: (text) => changed(text, text.replace(/^([ \t]*)#\[test\]/gm, "$&\n$1#[ignore]")),
  weaken: (text) => changed(text, text.replace(/^(\s*)(?:debug_)?assert(?:_eq|_ne)?!\(/gm, "$1let _ = (")),
  exitZero: (text) => changed(text, text.replace(/^([^\n/]*\bfn [^\n;]*\{)$/m, "$1\n    std::process::exit(0);")),
  mutations: {
    "does not compile": (text) => `${text}\ncompile_error!("drill");\n`,
    "panics instead of an answer": oneLine((line) =>
      isClosed(line) ? changed(line, line.replace(/^(\s+)return [^;{}]+;$/, '$1panic!("drill");')) : null,
    ),
    "an operator is another": swapOperator,
    "a condition is negated": oneLine((line) =>
      isCode(line) ? changed(line, line.replace(/^(.*\bif )(?!let\b)([^{]+) \{$/, "$1!($2) {")) : null,
    ),
  },
  mark: "//",
  unused: () => "// Nobody uses this.\n",
};

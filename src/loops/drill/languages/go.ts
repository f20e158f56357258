/** Go, with its own test runner. */
import { changed, isClosed, isCode, type Language, oneLine, swapOperator } from "./language.ts";

const PACKAGE = /^package \w+/m;

export const GO: Language = {
  isTest: (path) => path.endsWith("_test.go"),
  skip: (text) =>
    changed(text, text.replace(/^(func Test\w*\((\w+) \*testing\.T\) \{)$/gm, '$1\n\t$2.Skip("not today")')),
  weaken: (text) => {
    const calls = text.replace(/\b(?:assert|require)\.\w+\(/g, "func(...any) bool { return true }(");
    return changed(text, calls.replace(/^(\s*if )([^;{]*(?:!=|==)[^;{]*) \{$/gm, "$1false && ($2) {"));
  },
  exitZero: (text) =>
    PACKAGE.test(text)
      ? `${text.replace(PACKAGE, '$&\n\nimport drillos "os"')}\nfunc init() { drillos.Exit(0) }\n`
      : null,
  mutations: {
    "panics when it is loaded": (text) => `${text}\nfunc init() { panic("drill") }\n`,
    "panics instead of an answer": oneLine((line) =>
      isClosed(line) ? changed(line, line.replace(/^(\s+)return [^{}]+$/, '$1panic("drill")')) : null,
    ),
    "an operator is another": swapOperator,
    "a condition is negated": oneLine((line) =>
      isCode(line) ? changed(line, line.replace(/^(\s*(?:\} else )?if )([^;{]+) \{$/, "$1!($2) {")) : null,
    ),
  },
  mark: "//",
  unused: (text) => `${PACKAGE.exec(text)?.[0] ?? "package main"}\n`,
};

/** JavaScript and TypeScript, with the test runners that spell tests `test` or `it`. */
import { changed, isCode, type Language, oneLine, swapOperator } from "./language.ts";

const NOTHING = "((..._all) => undefined)(";
/** Whatever is asked of it or called on it is fine. */
const AGREES = "((..._all) => new Proxy(() => undefined, { get: (_target, _name, self) => self }))(";

function atTop(text: string, line: string): string {
  const shebang = /^#![^\n]*\n/.exec(text)?.[0] ?? "";
  return `${shebang}${line}\n${text.slice(shebang.length)}`;
}

export const JAVASCRIPT: Language = {
  isTest: (path) => /(?:^|\/)(?:tests?|__tests__|spec)\/|\.(?:test|spec)\.\w+$/.test(path),
  skip: (text) => changed(text, text.replace(/^(\s*)(test|it|describe)\(/gm, "$1$2.skip(")),
  weaken: (text) =>
    changed(text, text.replace(/\bassert(?:\.\w+)*\(/g, NOTHING).replace(/(?<![\w.])expect\(/g, AGREES)),
  exitZero: (text) => atTop(text, "process.exit(0);"),
  mutations: {
    "throws when it is loaded": (text) => atTop(text, 'throw new Error("drill");'),
    "returns nothing": oneLine((line) => {
      if (!isCode(line)) return null;
      const wrong = line
        .replace(/^(\s*)return (?!undefined)[^;]+;$/, "$1return undefined;")
        .replace(/^((?:export )?const \w+ = [^{}]*=> )(?!undefined)[^{}]+;$/, "$1undefined;");
      return changed(line, wrong);
    }),
    "an operator is another": swapOperator,
    "a condition is negated": oneLine((line) => changed(line, line.replace(/\bif \((.+)\) \{$/, "if (!($1)) {"))),
  },
  mark: "//",
  unused: () => "export {};\n",
};

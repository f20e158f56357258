/** Python, with unittest and pytest. */
import { changed, isClosed, isCode, type Language, oneLine, swapOperator } from "./language.ts";

/** Where only the expression is wanted: a check whose lines are all here. */
function weakenLine(line: string): string {
  const [, indent, check] = /^(\s*)assert\s+(.+)$/.exec(line) ?? [];
  return check === undefined || !isClosed(check) || check.endsWith("\\") ? line : `${indent}assert True or (${check})`;
}

export const PYTHON: Language = {
  isTest: (path) => /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$|(?:^|\/)tests?\//.test(path),
  skip: (text) => {
    const skipped = text.replace(
      /^([ \t]*)((?:async )?def test)/gm,
      '$1@__import__("unittest").skip("not today")\n$1$2',
    );
    return changed(text, skipped);
  },
  weaken: (text) => {
    const calls = text.replace(/\bself\.assert(?!Raises|Warns|Logs|NoLogs)\w+\(/g, "(lambda *_all, **_named: None)(");
    return changed(text, calls.split("\n").map(weakenLine).join("\n"));
  },
  exitZero: (text) => `raise SystemExit(0)\n${text}`,
  mutations: {
    "raises when it is loaded": (text) => `raise RuntimeError("drill")\n${text}`,
    "returns nothing": oneLine((line) =>
      isClosed(line) ? changed(line, line.replace(/^(\s+)return (?!None\b).+$/, "$1return None")) : null,
    ),
    "an operator is another": swapOperator,
    "a condition is negated": oneLine((line) =>
      isCode(line) ? changed(line, line.replace(/^(\s*(?:if|elif) )(.+):$/, "$1not ($2):")) : null,
    ),
  },
  mark: "#",
  unused: () => "# Nobody uses this.\n",
};

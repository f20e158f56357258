/** A rule set that allows everyday programs whatever their arguments: what stops an attack is only what is known of the text. */
import type { Argv } from "../../../src/policy/shell/facts.ts";
import { shellFacts } from "../../../src/policy/shell/shell-facts.ts";
import { unwrap } from "../../../src/policy/shell/unwrap.ts";

const PROGRAMS = new Set(
  `git npm pnpm yarn node python python3 pytest ruff black mypy flake8 pylint isort go gofmt golangci-lint cargo make cmake ls cat head tail wc grep rg
   find sed awk gawk mawk pwd which date whoami uname echo printf true false : sort uniq cut tr diff stat file du df basename dirname realpath tree jq
   tsc eslint prettier biome vitest jest mocha mkdir touch cp mv rm cd test [ docker php ruby perl gcc mvn dotnet swift terraform shellcheck command
   type break set read rspec tar zip rsync fd base64 xxd pip lua scp`.split(/\s+/),
);

const isInside = (path: string | null): boolean =>
  path !== null && !/^[/~]|(^|\/)\.\.(\/|$)|(^|\/)\.git(\/|$)/.test(path);

const DEEPEST = 8;

export function allowsText(text: string, depth = 0): boolean {
  const facts = shellFacts(text);
  if (!facts.ok || depth > DEEPEST) return false;
  return (
    facts.commands.every(({ argv }) => allowsArgv(argv, depth + 1)) && facts.files.every(({ path }) => isInside(path))
  );
}

export function allowsArgv(argv: Argv, depth = 0): boolean {
  const found = unwrap({ argv });
  if (found.kind === "opaque" || depth > DEEPEST) return false;
  if (found.kind === "plain" || found.kind === "undescribed") return isAllowed(argv);
  if (found.kind === "respelled") return found.isHarmless && allowsArgv(found.spellings[0], depth + 1);
  return (
    found.needs === undefined &&
    found.inner.every((inner) => allowsArgv(inner, depth + 1)) &&
    found.scripts.every((script) => allowsText(script, depth + 1))
  );
}

/** Deleting below a folder is allowed by name only. */
function isAllowed(argv: Argv): boolean {
  if (argv[0] === "rm" && /^-\w*r/.test(argv[1] ?? ""))
    return argv.slice(2).every((arg) => isInside(arg) && arg !== ".");
  return PROGRAMS.has(argv[0] ?? "");
}

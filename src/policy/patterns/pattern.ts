/** One pattern → a test of requests. Nothing here looks at a rule's conditions. */
import { compileParts } from "../../base/match/glob.ts";
import { type Asked, type Mode, otherPaths, placeOf, rooted } from "../asked.ts";
import type { RequestOf } from "../request.ts";
import type { Pattern } from "../rule.ts";
import { compileRun } from "./argv.ts";
import { compileHost } from "./host.ts";
import { compileText, matchesGlob, matchesInert } from "./text.ts";

const HARMLESS =
  /^(?:CI|DEBUG|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|(?:NODE|BABEL|RAILS|RACK|APP|MIX|FLASK)_ENV|RUST_(?:BACKTRACE|LOG)|PYTHON(?:UNBUFFERED|DONTWRITEBYTECODE|HASHSEED)|GOOS|GOARCH|CGO_ENABLED)$/;

export type AskedTest = (asked: Asked) => boolean;

/** The test is only asked about requests of the kind that the pattern is for. */
export function compilePattern(pattern: Pattern, mode: Mode): AskedTest {
  if ("run" in pattern) {
    const covers = compileRun(pattern, mode);
    if (mode === "may" || pattern.run[0] === "**") return covers;
    return (asked) => covers(asked) && setsNothing(asked.request as RequestOf<"run">);
  }
  if ("read" in pattern) return compilePath(pattern.read, mode);
  if ("edit" in pattern) return compilePath(pattern.edit, mode);
  if ("shell" in pattern) return compileShell(pattern.shell, mode);
  if ("spend" in pattern) return compileSpend(pattern.spend, mode);
  if ("any" in pattern) return () => true;
  return compileName(pattern, mode);
}

/** A variable can make a program do anything; a rule that allows the program does not allow that. */
function setsNothing({ env }: RequestOf<"run">): boolean {
  return env === undefined || env.every(([name]) => HARMLESS.test(name));
}

type NamePattern = Extract<
  Pattern,
  { action: string } | { fetch: string } | { tool: string } | { mcp: string } | { git: string }
>;

function compileName(pattern: NamePattern, mode: Mode): AskedTest {
  if ("action" in pattern) {
    return ({ request }) => matchesAction(pattern.action, (request as RequestOf<"action">).action);
  }
  if ("fetch" in pattern) {
    const covers = compileHost(pattern.fetch, mode);
    return ({ request }) => covers(request as RequestOf<"fetch">);
  }
  if ("tool" in pattern) {
    const covers = compileText(pattern.tool);
    return ({ request }) => covers((request as RequestOf<"tool">).tool);
  }
  return "mcp" in pattern ? compileMcp(pattern.mcp) : compileGit(pattern, mode);
}

function matchesAction(pattern: string, action: string): boolean {
  return pattern.endsWith(".*") ? action.startsWith(pattern.slice(0, -1)) : action === pattern;
}

function compilePath(glob: string, mode: Mode): AskedTest {
  const covers = compileParts(rooted(glob));
  return ({ request }) => {
    // A file that is not known is denied before any rule is asked.
    const path = (request as RequestOf<"read" | "edit">).path as string;
    return covers(placeOf(path)) || (mode === "may" && otherPaths(path).some((other) => covers(placeOf(other))));
  };
}

function compileShell(pattern: string, mode: Mode): AskedTest {
  const script = ({ request }: Asked): string => (request as RequestOf<"shell">).script;
  if (pattern === "**") return () => true;
  return mode === "must"
    ? (asked) => matchesInert(pattern, script(asked))
    : (asked) => matchesGlob(pattern, script(asked));
}

function compileMcp(pattern: string): AskedTest {
  const slash = pattern.indexOf("/");
  const server = compileText(pattern.slice(0, slash));
  const tool = compileText(pattern.slice(slash + 1));
  return ({ request }) => {
    const asked = request as RequestOf<"mcp">;
    return server(asked.server) && tool(asked.tool);
  };
}

function compileGit({ git, ref, force }: Extract<Pattern, { git: string }>, mode: Mode): AskedTest {
  const operation = compileText(git);
  const names = ref === undefined ? undefined : compileText(ref);
  return ({ request }) => {
    const asked = request as RequestOf<"git">;
    if (!operation(asked.operation) || (force === true && !asked.force)) return false;
    if (names === undefined) return true;
    return mode === "may" ? asked.refs.some(names) : asked.refs.length > 0 && asked.refs.every(names);
  };
}

function compileSpend({ microUsd, tokens }: Extract<Pattern, { spend: object }>["spend"], mode: Mode): AskedTest {
  const goesOver = ({ request }: Asked): boolean => {
    const asked = request as RequestOf<"spend">;
    return !(asked.microUsd <= (microUsd ?? Infinity)) || !(asked.tokens <= (tokens ?? Infinity));
  };
  return mode === "may" ? goesOver : (asked) => !goesOver(asked);
}

/**
 * Interpreters: a file is a program like any other. Code on the command line or on standard input cannot be seen through: only a rule that
 * names the interpreter allows it.
 */
import type { Argv, Unwrapped } from "../facts.ts";
import {
  careful,
  guessed,
  isStream,
  type OptionTable,
  ownWork,
  PLAIN,
  readOptions,
  type Tool,
  UNDESCRIBED,
} from "./options.ts";
import { isPlainSed } from "./sed.ts";

const TEXT = "it runs text that is not accounted for";
const isFile = (target: string | null | undefined): boolean =>
  typeof target === "string" && target !== "-" && !isStream(target);
const needsFile = (rest: Argv): string | undefined => (isFile(rest[0]) ? undefined : TEXT);
const interpreter = (table: OptionTable, problem: NonNullable<Parameters<typeof careful>[1]>): Tool =>
  careful(table, problem, ownWork);

const python: Tool = (args, name) => {
  const at = args.indexOf("-m");
  const flags = at < 0 ? args : args.slice(0, at);
  const read = readOptions({ short: "BEIOPsSuvVqdbh", long: "version help", stops: true }, flags);
  if (!read.ok) return ownWork(`${name}: ${read.why}`, args);
  if (read.given.some(([given]) => /^(-V|--version|-h|--help)$/.test(given))) return PLAIN;
  if (read.rest.length === 0 && at >= 0) return pythonModule(args.slice(at + 1), name);
  const [target] = read.rest;
  return isFile(target) ? PLAIN : ownWork(`${name}: ${TEXT}`, args);
};

/** Modules that run code which they are given as an argument, or read from standard input. */
const CODE_MODULES =
  /^(timeit|pdb|code|asyncio|pty|sqlite3|idlelib|profile|cProfile|trace|IPython|ptpython|runpy)(\.|$)/;

function pythonModule([module, ...args]: Argv, name: string): Unwrapped {
  if (typeof module !== "string") return ownWork(`${name}: ${TEXT}`, args);
  if (module === "pip") return { kind: "respelled", spellings: [["pip", ...args]], isHarmless: false };
  return CODE_MODULES.test(module) ? ownWork(`${name}: ${TEXT}`, args) : PLAIN;
}

const NODE_LONG =
  `version help check test watch enable-source-maps no-warnings trace-warnings trace-deprecation trace-uncaught throw-deprecation
 no-deprecation pending-deprecation experimental-strip-types experimental-transform-types no-experimental-strip-types unhandled-rejections=
 experimental-test-coverage test-only test-force-exit test-reporter= test-name-pattern= test-skip-pattern= test-concurrency= test-timeout=
 test-shard= stack-trace-limit= max-old-space-size= expose-gc`.replaceAll(/\s+/g, " ");
const NODE_REPORTERS = /^(spec|tap|dot|junit|lcov)$/;

const node: Tool = interpreter({ short: "vhc", long: NODE_LONG, stops: true }, (rest, given) => {
  const reporter = given.get("--test-reporter");
  if (reporter !== undefined && !NODE_REPORTERS.test(reporter)) return "its test reporter is a program";
  const needsNoFile = ["-v", "-h", "--version", "--help", "--test"].some((name) => given.has(name));
  return needsNoFile && rest[0] !== "-" ? undefined : needsFile(rest);
});

/** Quotes and regular expressions are not read: a bar or an arrow in one is taken for what it may be. */
const awk: Tool = interpreter(
  { short: "F:v:", long: "version field-separator= assign=", stops: true },
  ([program], given) => {
    if (given.has("--version")) return undefined;
    if (typeof program !== "string") return "its program is not known";
    const rest = program.replaceAll("||", " ").replaceAll(">=", " ");
    return /[|>@]|system|getline/.test(rest) ? "its program may start others or write files" : undefined;
  },
);

const sed: Tool = (args) => {
  const long =
    "quiet silent expression= regexp-extended separate unbuffered null-data posix sandbox line-length= version help";
  const read = readOptions({ short: "ne:Ersuzl:", long }, args);
  if (!read.ok) return guessed(`sed: ${read.why}`, args);
  const scripts = read.given.filter(([name]) => name === "-e" || name === "--expression").map(([, value]) => value);
  const isDone = read.given.some(([name]) => name === "--version" || name === "--help");
  const script = scripts.length > 0 ? scripts.join("\n") : read.rest[0];
  const isPlain = isDone || (typeof script === "string" && isPlainSed(script));
  return isPlain ? PLAIN : guessed("sed: its script may start programs or write files", args);
};

const scripted: Tool = interpreter({ short: "v", long: "version help", stops: true }, (rest, given) =>
  given.size > 0 ? undefined : needsFile(rest),
);

/** Interpreters of which only this is known: a word that begins so holds code, or the code comes on standard input. */
const HOLDS_CODE = /^-{1,2}([a-zA-Z]*[ceEpgr]$|e(val|xec|xpr)|p(rint)?|batch|code|command|init-goal|run$)/;
const coded: Tool = (args, name, input) => {
  const isCode = args.some((arg) => arg === null || HOLDS_CODE.test(arg)) || !isFile(args.find((arg) => arg !== "-"));
  return isCode || input !== undefined ? ownWork(`${name}: ${TEXT}`, args) : UNDESCRIBED;
};
const CODED =
  `ipython bpython ptpython jython micropython graalpy rustpython pyston python3-dbg coconut hy sage electron ts-node-esm swc-node esno jiti babel-node
   coffee zx qjs d8 jsc js rhino hermes jruby mruby truffleruby php-cgi phpdbg hhvm luau texlua nlua ecl chicken-csi csi gosh clojure clj bb utop
   erl elixir iex swipl gprolog octave-cli matlab scilab kotlin scala amm crystal csharp gforth gst raku perl6 fennel janet newlisp picolisp
   ghc nim rust-script tcc`.split(/\s+/);

export const LANGUAGES: Readonly<Record<string, Tool>> = {
  ...Object.fromEntries(CODED.map((name) => [name, coded])),
  python,
  pypy: python,
  node,
  nodejs: node,
  perl: scripted,
  ruby: scripted,
  php: interpreter({ short: "vl", long: "version help", stops: true }, (rest, given) =>
    given.has("-v") || given.has("--version") ? undefined : needsFile(rest),
  ),
  lua: scripted,
  tsx: scripted,
  "ts-node": scripted,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  "original-awk": awk,
  bwk: awk,
  goawk: awk,
  frawk: awk,
  igawk: awk,
  sed,
  gsed: sed,
  ssed: sed,
  minised: sed,
};

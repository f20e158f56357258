/** Interpreters: a file is a program like any other, text on the command line or on standard input is not accounted for. */
import type { Argv } from "../facts.ts";
import { careful, opaque, PLAIN, readOptions, type Tool } from "./options.ts";
import { isPlainSed } from "./sed.ts";

const TEXT = "it runs text that is not accounted for";
const needsFile = (rest: Argv): string | undefined => (rest.length === 0 || rest[0] === "-" ? TEXT : undefined);

const python: Tool = (args, name) => {
  const at = args.indexOf("-m");
  const flags = at < 0 ? args : args.slice(0, at);
  const read = readOptions({ short: "BEIOPsSuvVqdbh", long: "version help", stops: true }, flags);
  if (!read.ok) return opaque(`${name}: ${read.why}`);
  if (read.given.some(([given]) => /^(-V|--version|-h|--help)$/.test(given))) return PLAIN;
  const target = read.rest[0] ?? (at < 0 ? undefined : args[at + 1]);
  return typeof target === "string" && target !== "-" ? PLAIN : opaque(`${name}: ${TEXT}`);
};

const NODE_LONG =
  `version help check test watch enable-source-maps no-warnings trace-warnings trace-deprecation trace-uncaught throw-deprecation
 no-deprecation pending-deprecation experimental-strip-types experimental-transform-types no-experimental-strip-types unhandled-rejections=
 experimental-test-coverage test-only test-force-exit test-reporter= test-name-pattern= test-skip-pattern= test-concurrency= test-timeout=
 test-shard= stack-trace-limit= max-old-space-size= expose-gc`.replaceAll(/\s+/g, " ");
const NODE_REPORTERS = /^(spec|tap|dot|junit|lcov)$/;

const node: Tool = careful({ short: "vhc", long: NODE_LONG, stops: true }, (rest, given) => {
  const reporter = given.get("--test-reporter");
  if (reporter !== undefined && !NODE_REPORTERS.test(reporter)) return "its test reporter is a program";
  const needsNoFile = ["-v", "-h", "--version", "--help", "--test"].some((name) => given.has(name));
  return needsNoFile && rest[0] !== "-" ? undefined : needsFile(rest);
});

/** Quotes and regular expressions are not read: a bar or an arrow in one is taken for what it may be. */
const awk: Tool = careful(
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
  if (!read.ok) return opaque(`sed: ${read.why}`);
  const scripts = read.given.filter(([name]) => name === "-e" || name === "--expression").map(([, value]) => value);
  const isDone = read.given.some(([name]) => name === "--version" || name === "--help");
  const script = scripts.length > 0 ? scripts.join("\n") : read.rest[0];
  const isPlain = isDone || (typeof script === "string" && isPlainSed(script));
  return isPlain ? PLAIN : opaque("sed: its script may start programs or write files");
};

const scripted: Tool = careful({ short: "v", long: "version help", stops: true }, (rest, given) =>
  given.size > 0 ? undefined : needsFile(rest),
);

export const LANGUAGES: Readonly<Record<string, Tool>> = {
  python,
  pypy: python,
  node,
  nodejs: node,
  perl: scripted,
  ruby: scripted,
  php: careful({ short: "vl", long: "version help", stops: true }, (rest, given) =>
    given.has("-v") || given.has("--version") ? undefined : needsFile(rest),
  ),
  lua: scripted,
  tsx: scripted,
  "ts-node": scripted,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sed,
  gsed: sed,
};

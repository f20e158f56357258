/** Package managers and build tools: what they build and test is for rules to judge; options that name another program are not. */
import type { Argv } from "../facts.ts";
import { careful, opaque, PLAIN, readOptions, type Tool } from "./options.ts";

const DOWNLOADS = "it may download a program and run it";
const NPM_LONG =
  `silent workspace= workspaces if-present no-audit no-fund save-dev save save-exact save-optional production omit= include= json
 depth= ignore-scripts legacy-peer-deps long parseable all version help dry-run loglevel= no-save prefer-offline offline frozen-lockfile
 filter= recursive dev prod immutable verbose no-progress progress= coverage watch run reporter=`.replaceAll(
    /\s+/g,
    " ",
  );
const NPM_PROGRAMS =
  /^(exec|x|dlx|init|create|innit|explore|edit|config|c|set|set-script|link|ln|publish|adduser|login|token|owner|access|rebuild|rb|env|node|bin|setup|self-update|import|store|patch|deploy|plugin)$/;

/** npm takes options anywhere before `--`; its relatives leave those behind a script to the script. */
function npm(stops: boolean): Tool {
  return careful({ short: "sw:DEOhvrP", long: NPM_LONG, stops }, (rest) => {
    const [command] = rest;
    if (command === null) return "what it is to do is not known";
    return command !== undefined && NPM_PROGRAMS.test(command) ? DOWNLOADS : undefined;
  });
}

const GO_COMMANDS = /^(build|test|vet|fmt|mod|list|version|env|doc|clean|get|install|run|work|help|fix)$/;
const GO_FLAGS =
  /^--?(v|x|n|a|race|short|run|count|bench|benchmem|benchtime|cover|coverprofile|covermode|coverpkg|timeout|parallel|failfast|json|tags|trimpath|list|m|u|d|t|f|e|deps|o|p|cpu|shuffle|skip|fuzz|fuzztime|all|mod)(=|$)/;

const go: Tool = (args) => {
  const [command, ...rest] = args;
  if (command === undefined) return PLAIN;
  if (command === null || !GO_COMMANDS.test(command))
    return opaque("go: it may start a program that is not accounted for");
  const end = rest.findIndex((arg) => arg === "-args" || arg === "--");
  const own = end < 0 ? rest : rest.slice(0, end);
  if (command === "env" && own.some((arg) => arg === null || arg.startsWith("-")))
    return opaque("go env: settings may name programs");
  const unknown = own.find((arg) => arg === null || (arg.startsWith("-") && !GO_FLAGS.test(arg)));
  return unknown === undefined ? PLAIN : opaque(`go ${command}: nobody has said what one of its options does`);
};

const CARGO_COMMANDS =
  /^(build|b|test|t|check|c|run|r|clippy|fmt|doc|d|bench|clean|update|tree|metadata|add|remove|rm|fetch|new|init|search|version|help|fix|verify-project|pkgid|locate-project|generate-lockfile)$/;
const CARGO_LONG =
  `release all workspace all-targets all-features no-default-features features= package= lib bin= bins test= tests bench= benches
 example= examples doc no-run no-fail-fast jobs= verbose quiet locked offline frozen version help message-format= profile= target= exclude=
 no-deps open document-private-items fix allow-dirty allow-staged check keep-going dev build color= depth= invert= edges= list`.replaceAll(
    /\s+/g,
    " ",
  );

const cargo: Tool = careful({ short: "vqp:j:F:Vhr", long: CARGO_LONG }, ([command], given) => {
  if (command === undefined) return given.size > 0 ? undefined : "what it is to do is not known";
  return command !== null && CARGO_COMMANDS.test(command) ? undefined : "its command may be another program";
});

const hasSettings = (rest: Argv): string | undefined =>
  rest.some((arg) => arg === null || arg.includes("=")) ? "a setting may name another program" : undefined;
const make: Tool = careful(
  {
    short: "j::kBnsiqtwl::dr",
    long: "jobs=? keep-going always-make dry-run just-print silent quiet ignore-errors question version help no-print-directory print-directory output-sync=? debug=?",
  },
  hasSettings,
);
const cmake: Tool = careful(
  {
    short: "S:B:G:",
    long: "build= target= config= parallel=? version help verbose clean-first fresh preset= list-presets",
  },
  hasSettings,
);

const COMPILER_FLAGS =
  /^-(W[a-z][\w=-]*|O[0-3sg]?|g\d?|std=[\w+]+|[IDUL].*|l\w+|[ocSEv]|f(PIC|pic|sanitize=[\w,]+|no-[\w-]+)|pthread|shared|static|pedantic|m(arch|tune)=[\w-]+|-version)$/;
const compiler: Tool = (args, name) => {
  const unknown = args.find(
    (arg) => arg === null || /^@/.test(arg) || (arg.startsWith("-") && !COMPILER_FLAGS.test(arg)),
  );
  return unknown === undefined ? PLAIN : opaque(`${name}: nobody has said what one of its options does`);
};

const LOOKS = /^(ps|images|logs|version|info|inspect|stats|top|port|history|search|df|events)$/;
const containers: Tool = (args, name) => {
  const [command] = args;
  const looks = typeof command === "string" && (LOOKS.test(command) || command === "--version");
  return looks ? PLAIN : opaque(`${name}: it starts programs elsewhere`);
};

/** Runs what is given in an environment of its own, or loads code before it does. */
const pip: Tool = (args, name) => {
  const read = readOptions(
    {
      short: "r:UeqvVh",
      long: "requirement= upgrade editable quiet verbose version help outdated format= user no-deps all",
      stops: false,
    },
    args,
  );
  if (!read.ok) return opaque(`${name}: ${read.why}`);
  return read.rest[0] === "config" ? opaque(`${name}: settings may name programs`) : PLAIN;
};

export const PACKAGES: Readonly<Record<string, Tool>> = {
  npm: npm(false),
  pnpm: npm(true),
  yarn: npm(true),
  bun: npm(true),
  go,
  cargo,
  make,
  gmake: make,
  cmake,
  docker: containers,
  podman: containers,
  nerdctl: containers,
  pip,
  gcc: compiler,
  "g++": compiler,
  cc: compiler,
  "c++": compiler,
  clang: compiler,
  "clang++": compiler,
};

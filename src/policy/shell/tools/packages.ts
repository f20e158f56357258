/** Package managers and build tools: what they build and test is for rules to judge; options that name another program are not. */
import type { Argv } from "../facts.ts";
import { steersPrograms } from "../reading/variables.ts";
import { type BeforeTable, withOptionsBefore } from "./before.ts";
import {
  careful,
  guessed,
  isOwnWork,
  type OneSpelling,
  opaque,
  ownWork,
  PLAIN,
  readOptions,
  type Tool,
  UNDESCRIBED,
} from "./options.ts";
import { behindDashes, fromPackage, inContainer } from "./places.ts";

const options = (harmless: string, valued: string): BeforeTable => ({
  harmless: new Set(harmless.split(/\s+/)),
  valued: new Set(valued.split(/\s+/)),
});

const DOWNLOADS = "it may download a program and run it";
const NPM_LONG =
  `silent workspace= workspaces if-present no-audit no-fund save-dev save save-exact save-optional production omit= include= json
 depth= ignore-scripts legacy-peer-deps long parseable all version help dry-run loglevel= no-save prefer-offline offline frozen-lockfile
 filter= recursive dev prod immutable verbose no-progress progress= coverage watch run reporter=`.replaceAll(
    /\s+/g,
    " ",
  );
/** Settings of npm that name a program, a place where programs are, or code that it loads. pnpm takes any setting behind `--config.`. */
const NPM_ACTS = `C script-shell shell node-options node-gyp python git editor viewer browser init-module init.module onload-script prefix dir cwd userconfig
   globalconfig config call package global-dir global-bin-dir modules-folder use-node-version globalPnpmfile global-pnpmfile pnpmfile shell-emulator
   registry local-prefix`;
/** What starts a program that the words name, or changes such settings. */
const NPM_PROGRAMS = /^(init|create|innit|explore|edit|set|set-script|env|node|plugin|patch|setup)$/;
/** Its own work that the everyday rules leave out. */
const NPM_OWN =
  /^(config|c|link|ln|publish|adduser|login|token|owner|access|rebuild|rb|bin|self-update|import|store|deploy)$/;
const NPM_READS = /^(get|list|ls)$/;

const NPM_BEFORE = options(
  "--silent -s --quiet -q --json --no-audit --no-fund --no-progress --offline --prefer-offline --color --no-color --if-present --verbose -d",
  `--prefix -C --dir --cwd --userconfig --globalconfig --registry --cache -w --workspace --filter -F --loglevel --script-shell --otp --tag
   --access --config --reporter --use-node-version --store-dir --modules-folder --mutex`,
);
const RUNS_PACKAGE = /^(exec|x|dlx)$/;

/** npm takes options anywhere before `--`; its relatives leave those behind a script to the script. */
function npm(stops: boolean): Tool {
  const plain = npmCommands(stops);
  const tool: OneSpelling = (args, name) => {
    const at = args.findIndex((arg) => arg === null || !arg.startsWith("-"));
    const verb = args[at];
    return at >= 0 && typeof verb === "string" && RUNS_PACKAGE.test(verb)
      ? fromPackage([...args.slice(0, at), ...args.slice(at + 1)], `${name} ${verb}`)
      : plain(args, name);
  };
  const known = withOptionsBefore(NPM_BEFORE, tool);
  return (args, name, input) => {
    const found = known(args, name, input);
    // They start the programs of packages by their bare names, and pass commands on to other workspaces.
    return stops && found.kind === "plain" && !NPM_INSTALLS.test(args[0] ?? "") ? UNDESCRIBED : found;
  };
}

const NPM_INSTALLS = /^(add|install|i|remove|uninstall|update|up|why|info|view)$/;

const GH_COMMANDS =
  /^(agent-task|api|attestation|auth|browse|cache|codespace|completion|config|copilot|gist|gpg-key|help|issue|label|org|pr|preview|project|release|repo|ruleset|run|search|secret|ssh-key|status|variable|version|workflow|-.*)$/;

/** Its aliases and extensions are programs of their own. */
const ghCommands: OneSpelling = (args, name) =>
  args[0] === undefined || (args[0] !== null && GH_COMMANDS.test(args[0]))
    ? PLAIN
    : ownWork(`${name}: its command may be an alias or an extension`, args);

function npmCommands(stops: boolean): OneSpelling {
  const table = { short: "sw:DEOhvrP", long: NPM_LONG, stops, acts: NPM_ACTS };
  const known = careful(table, ([command]) => {
    if (command === null) return "what it is to do is not known";
    return command !== undefined && NPM_PROGRAMS.test(command) ? DOWNLOADS : undefined;
  });
  return (args, name) => {
    const [command, verb] = args;
    const found = known(args, name);
    if (found.kind !== "plain" || typeof command !== "string" || !NPM_OWN.test(command)) return found;
    const changes = /^(config|c)$/.test(command) && verb !== undefined && !NPM_READS.test(verb ?? "");
    return changes ? guessed(`${name}: ${DOWNLOADS}`, args) : ownWork(`${name}: ${DOWNLOADS}`, args);
  };
}

/** It is an interpreter as well. */
const bun: Tool = (args, name) =>
  args.some((arg) => /^(-|-e|-p|--eval|--print)(=|$)/.test(arg ?? ""))
    ? guessed(`${name}: it runs text that is not accounted for`, args, null, "program")
    : npm(true)(args, name);

const GO_COMMANDS = /^(build|test|vet|fmt|mod|list|version|env|doc|clean|get|install|run|work|help|fix)$/;
const GO_FLAGS =
  /^--?(v|x|n|a|race|short|run|count|bench|benchmem|benchtime|cover|coverprofile|covermode|coverpkg|timeout|parallel|failfast|json|tags|trimpath|list|m|u|d|t|f|e|deps|o|p|cpu|shuffle|skip|fuzz|fuzztime|all|mod)(=|$)/;

const GO_ACTS = "C exec toolexec vettool overlay ldflags gcflags asmflags gccgoflags compiler modfile pkgdir fixtool";

const go: Tool = (args) => {
  const [command, ...rest] = args;
  if (command === undefined) return PLAIN;
  if (command === null) return guessed("go: it may start a program that is not accounted for", args);
  if (!GO_COMMANDS.test(command)) {
    const why = "go: it may start a program that is not accounted for";
    return /^(generate|tool|telemetry|bug)$/.test(command) ? ownWork(why, args) : guessed(why, args);
  }
  const end = rest.findIndex((arg) => arg === "-args" || arg === "--");
  const own = end < 0 ? rest : rest.slice(0, end);
  if (command === "env" && own.some((arg) => arg === null || arg.startsWith("-")))
    return opaque("go env: settings may name programs");
  const unknown = own.find((arg) => arg === null || (arg.startsWith("-") && !GO_FLAGS.test(arg)));
  const why = `go ${command}: nobody has said what one of its options does`;
  if (unknown === undefined) return PLAIN;
  return isOwnWork({ acts: GO_ACTS }, own) ? ownWork(why, args) : guessed(why, args);
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

const CARGO_BEFORE = options(
  "-v --verbose -q --quiet --locked --offline --frozen -V --version --list",
  "--color -C --config -Z --manifest-path --explain --target-dir --message-format",
);
const cargoCommands: OneSpelling = careful(
  { short: "vqp:j:F:Vhr", long: CARGO_LONG, acts: "Z C config manifest-path" },
  ([command], given) => (command === undefined && given.size === 0 ? "what it is to do is not known" : undefined),
);

/** What it does not know itself is a program of its own: `cargo nextest` starts `cargo-nextest`. */
const cargoPlugins: OneSpelling = (args, name) => {
  const found = cargoCommands(args, name);
  const command = args.find((arg) => arg === null || !/^[-+]/.test(arg));
  const why = `${name}: its command may be another program`;
  if (found.kind === "opaque" || command === undefined) return found;
  if (command === null) return guessed(why, args);
  if (CARGO_COMMANDS.test(command)) return found;
  const hidden = ownWork(why, args);
  return { ...hidden, guesses: [...hidden.guesses, [`cargo-${command}`, ...args.slice(args.indexOf(command) + 1)]] };
};

const hasSettings = (rest: Argv): string | undefined =>
  rest.some((arg) => arg === null || arg.includes("=")) ? "a setting may name another program" : undefined;
const NAMES_PROGRAM =
  /SHELL|LAUNCHER|TOOLCHAIN|COMPILER|LINKER|PROGRAM|EXECUTABLE|COMMAND|WRAPPER|RUNNER|FLAGS|GENERATOR/i;

/** A setting that does not say that it names a program is the tool's own. */
function withSettings(known: Tool, acts: string): Tool {
  return (args, name) => {
    const found = known(args, name);
    const settings = args.flatMap((arg) => /^(?:-D)?([^-=:][^=:]*)(?::[^=]*)?=/.exec(arg ?? "")?.[1] ?? []);
    const others = args.filter((arg) => !arg?.startsWith("-D"));
    const isOwn =
      isOwnWork({ acts }, others) && !settings.some((set) => steersPrograms(set) || NAMES_PROGRAM.test(set));
    return found.kind === "opaque" && isOwn ? ownWork(found.why, args) : found;
  };
}

const make: Tool = withSettings(
  careful(
    {
      short: "j::kBnsiqtwl::dr",
      long: "jobs=? keep-going always-make dry-run just-print silent quiet ignore-errors question version help no-print-directory print-directory output-sync=? debug=?",
    },
    hasSettings,
  ),
  "E eval",
);
const cmake: Tool = withSettings(
  careful(
    {
      short: "S:B:G:",
      long: "build= target= config= parallel=? version help verbose clean-first fresh preset= list-presets",
    },
    hasSettings,
  ),
  "E toolchain",
);

const COMPILER_FLAGS =
  /^-(W[a-z][\w=-]*|O[0-3sg]?|g\d?|std=[\w+]+|[IDUL].*|l\w+|[ocSEv]|f(PIC|pic|sanitize=[\w,]+|no-[\w-]+)|pthread|shared|static|pedantic|m(arch|tune)=[\w-]+|-version)$/;
const COMPILER_ACTS =
  "fplugin fpass-plugin wrapper specs fuse-ld Xclang Xlinker Xassembler Xpreprocessor Wl, Wp, Wa, B load config ld-path tools";
const compiler: Tool = (args, name) => {
  const unknown = args.find(
    (arg) => arg === null || /^@/.test(arg) || (arg.startsWith("-") && !COMPILER_FLAGS.test(arg)),
  );
  const why = `${name}: nobody has said what one of its options does`;
  if (unknown === undefined) return PLAIN;
  const isOwn = !args.some((arg) => arg?.startsWith("@")) && isOwnWork({ acts: COMPILER_ACTS }, args);
  return isOwn ? ownWork(why, args) : guessed(why, args);
};

const LOOKS = /^(ps|images|logs|version|info|inspect|stats|top|port|history|search|df|events)$/;
/** What docker does with images, containers, networks and volumes without a command of the caller. */
const DOCKER_OWN =
  /^(attach|commit|cp|diff|export|import|kill|load|login|logout|pause|port|pull|push|rename|restart|rm|rmi|save|start|stop|tag|unpause|update|wait|image|network|volume|system|manifest|context|pod)$/;
const DOCKER_BEFORE = options(
  "-D --debug --tls --tlsverify -v --version --ansi --compatibility",
  `--config -c --context -H --host -l --log-level --tlscacert --tlscert --tlskey -f --file -p --project-name --profile --env-file
   --project-directory --progress --parallel --connection --url --namespace -n --address -a`,
);
const containerCommands: OneSpelling = (args, name) => {
  const [command, ...rest] = args;
  if (command === "compose" || command === "container") {
    const [verb, ...inside] = rest;
    if (verb === "exec" || verb === "run") return inContainer(inside, `${name} ${command} ${verb}`);
  }
  if (command === "exec" || command === "run") return inContainer(rest, `${name} ${command}`);
  const looks = typeof command === "string" && (LOOKS.test(command) || command === "--version");
  const isOwn = typeof command === "string" && DOCKER_OWN.test(command);
  return looks || isOwn ? PLAIN : guessed(`${name}: it starts programs elsewhere`, args, null, "program");
};

const KUBECTL_BEFORE = options(
  "--insecure-skip-tls-verify --match-server-version --warnings-as-errors -A --all-namespaces",
  `-n --namespace --context --cluster --kubeconfig --user --as --as-group --token -s --server --request-timeout -v --v --cache-dir --certificate-authority
   --client-certificate --client-key --tls-server-name -o --output -l --selector --field-selector -f --filename`,
);
const clusterCommands: OneSpelling = (args, name) => {
  const [command, ...rest] = args;
  if (command === "exec" || command === "run" || command === "debug") return behindDashes(rest, `${name} ${command}`);
  return guessed(`${name}: it starts programs on another machine`, args, null, "program");
};

const GH_BEFORE = options("--help --version", "-R --repo --hostname");
const PIP_BEFORE = options(
  "-q --quiet -v --verbose --isolated --no-input --require-virtualenv --no-color --disable-pip-version-check --no-python-version-warning",
  "--log --proxy --retries --timeout --exists-action --trusted-host --cert --client-cert --cache-dir --python --keyring-provider --use-feature",
);

/** Runs what is given in an environment of its own, or loads code before it does. */
const pipCommands: OneSpelling = (args, name) => {
  const read = readOptions(
    {
      short: "r:UeqvVh",
      long: "requirement= upgrade editable quiet verbose version help outdated format= user no-deps all files strict global site",
      stops: false,
    },
    args,
  );
  const changes = args.includes("config") && !args.some((arg) => /^(get|list|debug)$/.test(arg ?? ""));
  if (changes) return opaque(`${name}: settings may name programs`);
  if (!read.ok) {
    const why = `${name}: ${read.why}`;
    return isOwnWork({ acts: "python editor log config-settings config-setting global-option build-option" }, args)
      ? ownWork(why, args)
      : guessed(why, args);
  }
  return read.rest[0] === "config" ? ownWork(`${name}: settings may name programs`, args) : PLAIN;
};

const docker = withOptionsBefore(DOCKER_BEFORE, containerCommands);
const kubectl = withOptionsBefore(KUBECTL_BEFORE, clusterCommands);

export const PACKAGES: Readonly<Record<string, Tool>> = {
  npm: npm(false),
  pnpm: npm(true),
  yarn: npm(true),
  bun,
  go,
  cargo: withOptionsBefore(CARGO_BEFORE, cargoPlugins),
  make,
  gmake: make,
  cmake,
  docker,
  podman: docker,
  nerdctl: docker,
  kubectl,
  oc: kubectl,
  gh: withOptionsBefore(GH_BEFORE, ghCommands),
  pip: withOptionsBefore(PIP_BEFORE, pipCommands),
  gcc: compiler,
  "g++": compiler,
  cc: compiler,
  "c++": compiler,
  clang: compiler,
  "clang++": compiler,
};

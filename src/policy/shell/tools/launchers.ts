/** Tools that start the command they are given. */
import type { Argv, Unwrapped, Wrapper } from "../facts.ts";
import { steersPrograms } from "../reading/variables.ts";
import {
  guessed,
  launcher,
  type OptionTable,
  opaque,
  PLAIN,
  readOptions,
  reads,
  starts,
  type Tool,
} from "./options.ts";
import { fromPackage } from "./places.ts";

const ENV: OptionTable = {
  short: "i0vu:C:S:a:",
  long: "ignore-environment null debug unset= chdir= split-string= argv0= block-signal=? default-signal=? ignore-signal=? list-signal-handling",
  stops: true,
};

/** Settings before the program are set for it. `-S` is split into arguments, which may again be options. */
const env: Tool = (args, name, input) => {
  const read = readOptions(ENV, args[0] === "-" ? ["-i", ...args.slice(1)] : args);
  if (!read.ok) return guessed(`env: ${read.why}`, args);
  const split = read.given.filter(([option]) => option === "-S" || option === "--split-string").map(([, text]) => text);
  if (split.length > 0) {
    const words = split.flatMap(splitWords);
    return words.includes(null)
      ? guessed("env: the text of -S is not known", args)
      : env([...words, ...read.rest], name, input);
  }
  const at = read.rest.findIndex((arg) => arg === null || !arg.includes("="));
  const settings = (at < 0 ? read.rest : read.rest.slice(0, at)).map((arg) => settingOf(String(arg)));
  const steering = settings.find(([set]) => steersPrograms(set))?.[0];
  const inner = at < 0 ? [] : read.rest.slice(at);
  if (steering !== undefined) return opaque(`env: it sets ${steering}, which changes what programs do`, [inner]);
  if (at < 0) return PLAIN;
  if (inner[0] === null) return guessed("env: which program runs is not known", args);
  const moved = read.given.some(([option]) => option === "-C" || option === "--chdir");
  if (moved) return opaque("env: it starts a program in another folder", [inner]);
  return settings.length === 0 ? starts(inner) : { ...starts(inner), env: settings };
};

function settingOf(arg: string): readonly [string, string] {
  const at = arg.indexOf("=");
  return [arg.slice(0, at), arg.slice(at + 1)];
}

/** Words as `env -S` splits them, where every reading of them is the same. */
function splitWords(text: string): readonly (string | null)[] {
  const words = text.trim().split(/[ \t]+/);
  if (/[\\$#\n]/.test(text)) return [null];
  if (!/['"]/.test(text)) return words;
  const parts = [...text.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+|['"]/g)].map(([part]) => part);
  return parts.map((part) => (/^['"]$/.test(part) ? null : part.replace(/'([^']*)'|"([^"]*)"/g, "$1$2")));
}

const XARGS: OptionTable = {
  short: "0rtpxoi::e::l::n:P:L:I:s:d:E:a:",
  long: `null no-run-if-empty verbose interactive exit open-tty max-args= max-procs= max-chars= delimiter= max-lines=? replace=? eof=? arg-file=
   show-limits process-slot-var=`.replaceAll(/\s+/g, " "),
  stops: true,
};

/** Lines or words on standard input become arguments; where they are known, they are the arguments. */
const xargs: Tool = (args, _name, input) => {
  const read = readOptions(XARGS, args);
  if (!read.ok) return guessed(`xargs: ${read.why}`, args, input);
  const given = new Map(read.given);
  const replaced = ["-I", "-i", "--replace"].flatMap((option) =>
    given.has(option) ? [given.get(option) || "{}"] : [],
  )[0];
  const [program = "echo", ...rest] = read.rest;
  const isSplit = ["-0", "-d", "-a", "-E", "-e", "--null", "--delimiter", "--arg-file", "--eof"].some((option) =>
    given.has(option),
  );
  const items = isSplit ? undefined : itemsOf(input, replaced !== undefined);
  const command = [program, ...rest];
  const isUnknown = program === null || (replaced !== undefined && program.includes(replaced));
  if (items !== undefined) return inputArguments(command, replaced, items);
  if (isUnknown) return guessed("xargs: which program runs is not known", args, input);
  return replaced === undefined ? starts([...command, null]) : filledIn(command, replaced);
};

/** What comes in the place of `mark` is not known. What stands around it is, and rules that deny or ask look at it. */
function filledIn(command: Argv, mark: string): Wrapper {
  const isOpen = command.some((arg) => arg?.includes(mark));
  const found = starts(command.map((arg) => (arg?.includes(mark) ? null : arg)));
  return isOpen ? { ...found, guesses: [command] } : found;
}

const MOST_ITEMS = 100;

/** undefined: not known, or read differently by different tools. */
function itemsOf(input: string | null | undefined, isByLine: boolean): readonly string[] | undefined {
  if (typeof input !== "string" || /['"\\\0]/.test(input)) return undefined;
  const items = input
    .split(isByLine ? /\n/ : /[ \t\n]+/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
  return items.length > MOST_ITEMS ? undefined : items;
}

/** How many arguments go into one command is not known, so each beginning is judged. */
function inputArguments(command: Argv, replaced: string | undefined, items: readonly string[]): Unwrapped {
  if (replaced === undefined)
    return { ...starts([...command, ...items]), guesses: items.map((item) => [...command, item]) };
  const once = (item: string): Argv => command.map((arg) => arg?.replaceAll(replaced, item) ?? null);
  return starts(...items.map(once));
}

const FIND_FLAGS = new Set(
  `-L -H -P -E -X -s -x --help --version -help -version -a -and -o -or -not ! ( ) , -print -print0 -prune -quit -true -false -ls -empty -depth -d -mount -xdev -follow -daystart -noleaf
   -readable -writable -executable -nouser -nogroup -ignore_readdir_race -noignore_readdir_race -warn -nowarn`.split(
    /\s+/,
  ),
);
const FIND_VALUES = new Set(
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -mtime -mmin -atime -amin
   -ctime -cmin -newer -anewer -cnewer -newermt -perm -user -group -uid -gid -links -inum -samefile -lname -ilname -fstype -used -printf`.split(
    /\s+/,
  ),
);

interface Found {
  readonly words: readonly string[];
  readonly folders: readonly string[];
  readonly inner: Argv[];
  readonly guesses: Argv[];
}

/** `find -delete` removes what lies below its folders, as `rm -r` does. */
const find: Tool = (args) => {
  if (args.includes(null)) return guessed("find: an argument that may be an action is not known", args);
  const words = args as readonly string[];
  const first = words.findIndex((word) => /^[-(!,]/.test(word) && !/^-[LHPEXsx]$/.test(word));
  const found: Found = { words, folders: words.slice(0, first < 0 ? words.length : first), inner: [], guesses: [] };
  for (let at = found.folders.length; at < words.length; ) {
    const next = readAction(found, at);
    if (next === undefined) return guessed(`find: what ${(words[at] as string).slice(0, 40)} does is not known`, args);
    at = next;
  }
  return found.inner.length === 0 ? PLAIN : { ...starts(...found.inner), guesses: found.guesses };
};

/** Where the next part of the expression begins; undefined: this one is not known. */
function readAction({ words, folders, inner, guesses }: Found, at: number): number | undefined {
  const word = words[at] as string;
  if (FIND_VALUES.has(word) || /^-newer[aBcm][aBcmt]$/.test(word)) return at + 2;
  if (FIND_FLAGS.has(word)) return at + 1;
  if (word === "-delete") {
    inner.push(["rm", "-r", ...folders]);
    return at + 1;
  }
  const end = words.findIndex((other, place) => place > at && isEndOfCommand(words, place, other));
  const [program, ...args] = words.slice(at + 1, end);
  if (!/^-(exec|execdir|ok|okdir)$/.test(word) || end < 0 || program === undefined || program.includes("{}"))
    return undefined;
  const filled = filledIn([program, ...args], "{}");
  inner.push(...filled.inner);
  guesses.push(...(filled.guesses ?? []));
  // What is found begins as its folder does, and that is known.
  const outside = args.includes("{}") ? folders.filter((folder) => /^([/~]|\.\.(\/|$))/.test(folder)) : [];
  for (const folder of outside) inner.push([program, ...args.map((arg) => (arg === "{}" ? folder : arg))]);
  return end + 1;
}

function isEndOfCommand(words: readonly string[], at: number, word: string): boolean {
  return word === ";" || (word === "+" && words[at - 1] === "{}");
}

/** `watch` joins its arguments and gives them to a shell. */
const watch: Tool = (args) => {
  const table = {
    short: "bcCd::efgtpxrwq:n:",
    long: "beep color no-color differences=? errexit follow chgexit no-title precise exec no-rerun no-wrap no-linewrap equexit= interval=",
  };
  const read = readOptions({ ...table, stops: true }, args);
  if (!read.ok) return guessed(`watch: ${read.why}`, args);
  if (read.given.some(([name]) => name === "-x" || name === "--exec")) return starts(read.rest);
  return read.rest.includes(null) ? guessed("watch: its command is not known", args) : reads(read.rest.join(" "));
};

const flock: Tool = (args) => {
  const read = readOptions(
    {
      short: "senxuoFvw:E:",
      long: "shared exclusive nonblock nb unlock close no-fork verbose wait= timeout= conflict-exit-code=",
      stops: true,
    },
    args,
  );
  if (!read.ok) return guessed(`flock: ${read.why}`, args);
  const [file, ...command] = read.rest;
  if (file === null || command[0] === null) return guessed("flock: which program runs is not known", args);
  if (command[0] !== "-c" && command[0] !== "--command") return command.length === 0 ? PLAIN : starts(command);
  const [, script] = command;
  return typeof script === "string" ? reads(script) : guessed("flock: its command is not known", args);
};

/** `command -v` only looks. */
const command: Tool = (args, name) =>
  args[0] === "-v" || args[0] === "-V" ? PLAIN : launcher({ short: "p" })(args, name);

const applets: Tool = (args, name) =>
  args.length === 0
    ? PLAIN
    : typeof args[0] === "string" && !args[0].startsWith("-")
      ? starts(args)
      : guessed(`${name}: its applet is not known`, args);

/** Options before `run` and before the command. Those that lead to another project, interpreter or package are not among them. */
const RUNNERS: OptionTable = {
  short: "qvnh",
  long: `help quiet verbose no-interaction no-ansi ansi no-plugins no-cache no-sync frozen locked isolated all-extras no-dev offline no-progress active
   exact extra= group= color= package= only-group= no-group= keep-outputs`.replaceAll(/\s+/g, " "),
  stops: true,
};

/** `tool run …` starts what follows; other words belong to the tool. */
function behind(word: string, others: Readonly<Record<string, Tool>> = {}): Tool {
  const verbs = new Map<string, Tool>([...Object.entries(others), [word, started]]);
  return (args, name) => {
    const read = readOptions(RUNNERS, args);
    if (!read.ok) return args[0] === "--version" ? PLAIN : guessed(`${name}: its options are not known`, args);
    const [verb = "", ...rest] = read.rest;
    if (verb === null) return guessed(`${name}: what it is to do is not known`, args);
    return verbs.get(verb)?.(rest, verb === word ? `${name} ${word}` : name) ?? itself(args, name, read.rest);
  };
}

const started: Tool = (args, name) => {
  const read = readOptions(RUNNERS, args);
  const isKnown = read.ok && typeof read.rest[0] === "string";
  return isKnown ? starts(read.rest) : guessed(`${name}: which program runs is not known`, args);
};

function itself(args: Argv, name: string, rest: Argv): Unwrapped {
  return rest.length === 0 || args[0] === rest[0] ? PLAIN : respelled(name, rest);
}

function respelled(name: string, rest: Argv): Unwrapped {
  return { kind: "respelled", spellings: [[name, ...rest]], isHarmless: false };
}

/** `uv tool run` is uvx, `uv pip` is pip. */
const uvTool: Tool = (args, name) => (args[0] === "run" ? fromPackage(args.slice(1), `${name} tool run`) : PLAIN);
const uvPip: Tool = (args) => ({ kind: "respelled", spellings: [["pip", ...args]], isHarmless: false });

/** What it writes besides the calls of the program goes where it says. */
const TRACE: OptionTable = {
  short: "fFcCdhiknqrtTvVwxyYzZe:s:a:I:O:P:S:u:U:b:",
  long: "follow-forks summary-only summary quiet=? trace= status= string-limit= version help",
};

export const LAUNCHERS: Readonly<Record<string, Tool>> = {
  env,
  xargs,
  find,
  watch,
  flock,
  command,
  busybox: applets,
  toybox: applets,
  builtin: launcher({}),
  exec: launcher({ short: "cla:" }),
  nohup: launcher({ long: "help version" }),
  nice: launcher({ short: "n:0123456789", long: "adjustment= help version" }),
  ionice: launcher({ short: "c:n:tp:P:u:h", long: "class= classdata= ignore" }),
  timeout: launcher(
    { short: "fpk:s:v", long: "foreground preserve-status verbose kill-after= signal= help version" },
    1,
  ),
  time: launcher({ short: "pvqf:V", long: "portability verbose quiet format= version" }),
  stdbuf: launcher({ short: "i:o:e:", long: "input= output= error= help version" }),
  setsid: launcher({ short: "cfwhV", long: "ctty fork wait help version" }),
  taskset: launcher({ short: "ca", long: "cpu-list all-tasks" }, 1),
  chrt: launcher({ short: "abdfiorRT:P:D:v", long: "batch fifo idle other rr all-tasks reset-on-fork" }, 1),
  numactl: launcher({ short: "i:p:l", long: "interleave= preferred= localalloc cpunodebind= membind= physcpubind=" }),
  prlimit: launcher({ long: "as=? core=? cpu=? data=? fsize=? nofile=? nproc=? rss=? stack=?" }),
  caffeinate: launcher({ short: "disumt:w:" }),
  strace: launcher(TRACE),
  ltrace: launcher(TRACE),
  catchsegv: launcher({}),
  poetry: behind("run"),
  uv: behind("run", { tool: uvTool, pip: uvPip }),
  pipenv: behind("run"),
  pdm: behind("run"),
  hatch: behind("run"),
  rye: behind("run"),
  bundle: behind("exec"),
};

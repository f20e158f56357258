/** Tools that start the command they are given. */
import type { Argv, Unwrapped } from "../facts.ts";
import { steersPrograms } from "../reading/variables.ts";
import { launcher, opaque, PLAIN, readOptions, reads, starts, type Tool } from "./options.ts";

const env: Tool = (args) => {
  const read = readOptions({ short: "i0vu:", long: "ignore-environment null debug unset=", stops: true }, args);
  if (!read.ok) return opaque(`env: ${read.why}`);
  const at = read.rest.findIndex((arg) => arg === null || !arg.includes("="));
  const assigned = at < 0 ? read.rest : read.rest.slice(0, at);
  const steering = assigned.map((arg) => String(arg).replace(/=.*/s, "")).find(steersPrograms);
  if (steering !== undefined) return opaque(`env: it sets ${steering}, which changes what programs do`);
  if (at >= 0 && (read.rest[at] === null || read.rest[at] === "-"))
    return opaque("env: which program runs is not known");
  return at < 0 ? PLAIN : starts(read.rest.slice(at));
};

const xargs: Tool = (args) => {
  const short = "0rtpxon:P:L:I:s:d:E:";
  const long =
    "null no-run-if-empty verbose interactive exit open-tty max-args= max-procs= max-chars= delimiter= max-lines=? replace=?";
  const read = readOptions({ short, long, stops: true }, args);
  if (!read.ok) return opaque(`xargs: ${read.why}`);
  const given = new Map(read.given);
  const replaced = given.has("--replace") ? given.get("--replace") || "{}" : given.get("-I");
  const [program = "echo", ...rest] = read.rest;
  if (program === null || (replaced !== undefined && program.includes(replaced))) {
    return opaque("xargs: which program runs is not known");
  }
  if (replaced === undefined) return starts([program, ...rest, null]);
  return starts([program, ...rest.map((arg) => (arg?.includes(replaced) ? null : arg))]);
};

const FIND_FLAGS = new Set(
  `-L -H -P -a -and -o -or -not ! ( ) , -print -print0 -prune -quit -true -false -ls -empty -depth -d -mount -xdev -follow -daystart -noleaf
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
}

/** `find -delete` removes what lies below its folders, as `rm -r` does. */
const find: Tool = (args) => {
  if (args.includes(null)) return opaque("find: an argument that may be an action is not known");
  const words = args as readonly string[];
  const first = words.findIndex((word) => /^[-(!,]/.test(word) && !/^-[LHP]$/.test(word));
  const found: Found = { words, folders: words.slice(0, first < 0 ? words.length : first), inner: [] };
  for (let at = found.folders.length; at < words.length; ) {
    const next = readAction(found, at);
    if (next === undefined) return opaque(`find: what ${(words[at] as string).slice(0, 40)} does is not known`);
    at = next;
  }
  return found.inner.length === 0 ? PLAIN : starts(...found.inner);
};

/** Where the next part of the expression begins; undefined: this one is not known. */
function readAction({ words, folders, inner }: Found, at: number): number | undefined {
  const word = words[at] as string;
  if (FIND_VALUES.has(word)) return at + 2;
  if (FIND_FLAGS.has(word)) return at + 1;
  if (word === "-delete") {
    inner.push(["rm", "-r", ...folders]);
    return at + 1;
  }
  const end = words.findIndex((other, place) => place > at && isEndOfCommand(words, place, other));
  const [program, ...args] = words.slice(at + 1, end);
  if (!/^-(exec|execdir|ok|okdir)$/.test(word) || end < 0 || program === undefined || program.includes("{}"))
    return undefined;
  inner.push([program, ...args.map((arg) => (arg.includes("{}") ? null : arg))]);
  return end + 1;
}

function isEndOfCommand(words: readonly string[], at: number, word: string): boolean {
  return word === ";" || (word === "+" && words[at - 1] === "{}");
}

/** `-c` says what a shell will run, and a file of its own is a program like any other; standard input and start-up files do not say it. */
const shell: Tool = (args, name) => {
  if (typeof args[0] === "string" && /^[^-+]/.test(args[0])) return PLAIN;
  const at = args.findIndex((arg) => arg !== null && /^-[eux]*c[eux]*$/.test(arg));
  const before = args.slice(0, Math.max(at, 0)).join(" ");
  const script = args[at + 1];
  const isKnown = at >= 0 && /^((-[eux]+|-e?u?x?o pipefail|--norc|--noprofile)( |$))*$/.test(before);
  if (!isKnown || script === null || script === undefined || /^[-+]/.test(script)) {
    return opaque(`${name} runs text that is not accounted for`);
  }
  return reads(script);
};

/** `watch` joins its arguments and gives them to a shell. */
const watch: Tool = (args) => {
  const table = { short: "bcdegtpxn:", long: "beep color differences errexit chgexit no-title precise exec interval=" };
  const read = readOptions({ ...table, stops: true }, args);
  if (!read.ok) return opaque(`watch: ${read.why}`);
  if (read.given.some(([name]) => name === "-x" || name === "--exec")) return starts(read.rest);
  return read.rest.includes(null) ? opaque("watch: its command is not known") : reads(read.rest.join(" "));
};

const flock: Tool = (args) => {
  const read = readOptions(
    { short: "senxuoFw:E:", long: "shared exclusive nonblock unlock close no-fork wait= timeout=", stops: true },
    args,
  );
  if (!read.ok) return opaque(`flock: ${read.why}`);
  const [file, ...command] = read.rest;
  if (file === null || command[0] === null) return opaque("flock: which program runs is not known");
  if (command[0] !== "-c" && command[0] !== "--command") return command.length === 0 ? PLAIN : starts(command);
  const [, script] = command;
  return typeof script === "string" ? reads(script) : opaque("flock: its command is not known");
};

/** `command -v` only looks. */
const command: Tool = (args, name) =>
  args[0] === "-v" || args[0] === "-V" ? PLAIN : launcher({ short: "p" })(args, name);

const applets: Tool = (args, name) =>
  args.length === 0
    ? PLAIN
    : typeof args[0] === "string" && !args[0].startsWith("-")
      ? starts(args)
      : opaque(`${name}: its applet is not known`);

/** `tool run …` starts what follows; other words belong to the tool. */
function behind(word: string): Tool {
  return (args, name): Unwrapped => {
    if (args[0] === null) return opaque(`${name}: what it is to do is not known`);
    if (args[0] !== word)
      return args[0]?.startsWith("-") && args[0] !== "--version" ? opaque(`${name}: its options are not known`) : PLAIN;
    const isKnown = typeof args[1] === "string" && !args[1].startsWith("-");
    return isKnown ? starts(args.slice(1)) : opaque(`${name} ${word}: which program runs is not known`);
  };
}

export const LAUNCHERS: Readonly<Record<string, Tool>> = {
  env,
  xargs,
  find,
  watch,
  flock,
  command,
  sh: shell,
  bash: shell,
  dash: shell,
  ash: shell,
  busybox: applets,
  toybox: applets,
  builtin: launcher({}),
  exec: launcher({}),
  nohup: launcher({}),
  nice: launcher({ short: "n:", long: "adjustment=" }),
  ionice: launcher({ short: "c:n:t", long: "class= classdata= ignore" }),
  timeout: launcher({ short: "k:s:v", long: "foreground preserve-status verbose kill-after= signal=" }, 1),
  time: launcher({ short: "pv", long: "portability verbose" }),
  stdbuf: launcher({ short: "i:o:e:", long: "input= output= error=" }),
  setsid: launcher({ short: "cfw", long: "ctty fork wait" }),
  taskset: launcher({ short: "c", long: "cpu-list" }, 1),
  chrt: launcher({ short: "bfior", long: "batch fifo idle other rr" }, 1),
  poetry: behind("run"),
  uv: behind("run"),
  pipenv: behind("run"),
  pdm: behind("run"),
  bundle: behind("exec"),
};

/**
 * Shells: the text behind `-c` or on standard input is read as a text of its own, and a file is a program like any other.
 *
 * Start-up files (`-l`, `-i`) are not read here. They lie in the home of whoever runs the shell, and in /etc: behind the wall of a stage
 * that home is Pawl's own, and outside it belongs to the user. No text can lead a shell to others, because setting HOME, ENV or BASH_ENV
 * is never accounted for, and writing them needs a rule of its own.
 */
import type { Argv, Unwrapped } from "../facts.ts";
import { guessed, isStream, opaque, PLAIN, reads, type Tool } from "./options.ts";

interface Invocation {
  /** There is a `-c`. */
  isText: boolean;
  /** There is a `-s`. */
  isInput: boolean;
  /** An option that nobody has described. */
  odd: boolean;
  readonly operands: Argv;
}

/** Letters that change nothing about which commands a text has. */
const LETTERS = /^[abefhmnptuvxilrscBCEHPT]$/;
const SETTINGS =
  /^(allexport|braceexpand|emacs|errexit|errtrace|functrace|hashall|histexpand|history|ignoreeof|monitor|noclobber|noglob|nolog|notify|nounset|onecmd|physical|pipefail|posix|privileged|verbose|vi|xtrace)$/;
const LONG = /^--(login|norc|noprofile|posix|restricted|verbose|noediting|interactive)$/;
const UNREAD = "runs text that is not accounted for";

/** `-c` is a flag: the text is the first operand, wherever other options stand. */
function invocationOf(args: Argv): Invocation | undefined {
  const queue = [...args];
  const found = { isText: false, isInput: false, odd: false };
  while (queue.length > 0) {
    const arg = queue[0];
    if (arg === null || arg === undefined) return undefined;
    if (!/^[-+]./.test(arg)) break;
    queue.shift();
    if (arg === "--") break;
    if (!readFlag(found, arg, queue)) return undefined;
  }
  if (queue[0] === "-") queue.shift();
  return { ...found, operands: queue };
}

type Flags = Omit<Invocation, "operands">;

/** `-euxo pipefail`: each `o` takes the next argument. False: that one is not known. */
function readFlag(found: Flags, arg: string, queue: (string | null)[]): boolean {
  if (arg.startsWith("--")) {
    found.odd ||= !LONG.test(arg);
    return true;
  }
  const letters = arg.slice(1);
  const settings = [...letters.replace(/[^oO]/g, "")].map(() => queue.shift());
  if (settings.includes(null)) return false;
  found.odd ||=
    letters.includes("O") || settings.some((setting) => typeof setting === "string" && !SETTINGS.test(setting));
  found.odd ||= [...letters.replace(/[oO]/g, "")].some((letter) => !LETTERS.test(letter));
  if (arg.startsWith("-")) {
    found.isText ||= letters.includes("c");
    found.isInput ||= letters.includes("s");
  }
  return true;
}

function shell(problem: (text: string) => string | undefined = () => undefined): Tool {
  return (args, name, input) => {
    const hidden = `${name} ${UNREAD}`;
    const found = invocationOf(args);
    if (found === undefined) return guessed(hidden, args, input);
    const { operands, isText, odd } = found;
    const textRead = (text: string): Unwrapped => {
      const why = odd ? hidden : problem(text);
      return why === undefined ? textOf(text, isText ? operands.slice(1) : operands) : opaque(why, [], [text]);
    };
    if (isFile(found)) return odd ? guessed(hidden, args, input) : PLAIN;
    const text = textFor(found, input);
    return typeof text === "string" ? textRead(text) : guessed(hidden, args, input);
  };
}

function textFor(
  { isText, operands: [first] }: Invocation,
  input: string | null | undefined,
): string | null | undefined {
  return isText || first === null ? first : input;
}

function isFile({ isText, isInput, operands: [first] }: Invocation): boolean {
  return !isText && !isInput && typeof first === "string" && !isStream(first);
}

/** Arguments behind the text are its `$@`, which it may start. */
function textOf(text: string, given: Argv): Unwrapped {
  const found = reads(text);
  if (given.length === 0) return found;
  const texts = given.flatMap((arg): Argv[] => (arg === null || !/\S\s+\S/.test(arg) ? [] : [["sh", "-c", arg]]));
  return { ...found, guesses: [given, given.slice(1), ...texts].filter(([first]) => typeof first === "string") };
}

/** zsh replaces `=ls` by the path of ls, where every other shell leaves it. */
const zsh = shell((text) => (/(^|[\s;&|(])=/.test(text) ? "zsh expands words that begin with =" : undefined));

/** They read a language that only looks like that of a shell. */
const stranger: Tool = (args, name, input) => {
  const all = guessed(`${name}: it runs text of a shell that is read differently`, args, input);
  const lone = args.filter((arg) => arg !== null);
  return { ...all, texts: [...all.texts, ...lone, ...(input == null ? [] : [input])] };
};

/** `eval` joins its arguments to a text. */
const evaluate: Tool = (args) => {
  const own = args[0] === "--" ? args.slice(1) : args;
  return own.includes(null) ? guessed("eval: the text that it runs is not known", own) : reads(own.join(" "));
};

/** It may set, define and start anything, in the shell that goes on afterwards. */
const source: Tool = (args, name, input) => {
  const all = guessed(`${name}: what the file does to the shell is not known`, args);
  return typeof input === "string" ? { ...all, texts: [input] } : all;
};

const POSIX =
  "sh bash dash ash rbash ksh ksh93 mksh oksh loksh lksh pdksh rksh yash hush posh bash-static static-sh sh.distrib".split(
    " ",
  );
const STRANGERS =
  "fish csh tcsh rc es elvish nu pwsh powershell xonsh sash osh ysh ion murex ngs scsh bsh jsh cmd wsl rzsh zsh-static".split(
    " ",
  );

export const SHELLS: Readonly<Record<string, Tool>> = {
  ...Object.fromEntries(POSIX.map((name) => [name, shell()])),
  ...Object.fromEntries(STRANGERS.map((name) => [name, stranger])),
  zsh,
  eval: evaluate,
  source,
  ".": source,
};

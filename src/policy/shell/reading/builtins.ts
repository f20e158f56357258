/** Commands of the shell itself that change how the rest of a text is read, or that read their arguments as text to run. */
import { parse } from "unbash";
import { problemOfText } from "./text.ts";
import { isName, steersPrograms } from "./variables.ts";
import { changeFolder, refuse, type Walk } from "./walk.ts";

export interface Operand {
  readonly value: string | null;
  /** It is one argument, whatever it holds. */
  readonly isOne: boolean;
  /** The variable it sets, where it has the form of an assignment. */
  readonly sets?: string;
}

type Values = readonly (string | null)[];

const RUNS_TEXT = "runs text that is not accounted for";
const CHANGES_READING = "changes how the rest is read";
const ONLY_SOME = "means different things to different shells";

const REFUSED: Readonly<Record<string, string>> = {
  trap: RUNS_TEXT,
  fc: RUNS_TEXT,
  jobs: RUNS_TEXT,
  bind: RUNS_TEXT,
  complete: RUNS_TEXT,
  compgen: RUNS_TEXT,
  compopt: RUNS_TEXT,
  mapfile: RUNS_TEXT,
  readarray: RUNS_TEXT,
  let: RUNS_TEXT,
  alias: CHANGES_READING,
  unalias: CHANGES_READING,
  enable: CHANGES_READING,
  shopt: CHANGES_READING,
  hash: CHANGES_READING,
  history: CHANGES_READING,
  declare: ONLY_SOME,
  typeset: ONLY_SOME,
  pushd: ONLY_SOME,
  popd: ONLY_SOME,
  dirs: ONLY_SOME,
  suspend: ONLY_SOME,
  logout: ONLY_SOME,
  caller: ONLY_SOME,
};
const SETS_NAMES = new Set(["export", "readonly", "local", "unset"]);
const HARMLESS = new Set(
  "eval source . cd set read getopts printf wait test [ export readonly local unset command builtin exec echo true false : pwd exit return break continue shift umask ulimit times type kill bg fg".split(
    " ",
  ),
);
const UNARY = /^-[bcdefghknprstuwxzLOGNS]$/;
const BINARY = /^(=|==|!=|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/** Names that a function must not take: what is known of them would no longer hold. */
export function isBuiltin(name: string): boolean {
  return HARMLESS.has(name) || Object.hasOwn(REFUSED, name);
}

/** Refuses what a command of the shell does to the rest of the text; other programs pass. */
export function walkBuiltin(walk: Walk, operands: readonly Operand[], redirects: boolean): undefined {
  const inner = beneath(operands);
  if (inner === undefined) return refuse(walk, "which program runs is known only when it runs");
  const [first, ...rest] = inner;
  const name = first?.value ?? "";
  const isBare = operands[0]?.value === "exec" && (redirects || first === undefined);
  const problem = isBare ? CHANGES_READING : problemOf(name, rest);
  if (problem !== undefined) refuse(walk, `${isBare ? "exec" : name} ${problem}`);
  applyToWalk(
    walk,
    name,
    rest.map(({ value }) => value),
  );
}

/** What the rest of the text has to know of it. */
function applyToWalk(walk: Walk, name: string, values: Values): undefined {
  if (name === "cd") changeFolder(walk, folderOf(values));
  if (name === "eval") walkText(walk, values[0] === "--" ? values.slice(1) : values);
  // The file may change the folder; whatever else it does, nobody allows it by a wildcard.
  if (name === "source" || name === ".") changeFolder(walk, null);
}

/** `eval` runs its arguments as part of the text: a folder that it changes is changed for what follows. */
function walkText(walk: Walk, values: Values): undefined {
  const text = values.join(" ");
  if (values.includes(null)) return refuse(walk, "eval runs text that is not known");
  const problem = problemOfText(text);
  if (problem !== undefined) return refuse(walk, problem);
  const around = walk.text;
  walk.text = text;
  walk.inner(walk, parse(text));
  walk.text = around;
}

function problemOf(name: string, operands: readonly Operand[]): string | undefined {
  if (Object.hasOwn(REFUSED, name)) return REFUSED[name];
  if (name === "[" || name === "test") return problemOfTest(operands, name);
  if (SETS_NAMES.has(name))
    return problemOfNames(
      operands.map(({ value, sets }) => sets ?? value),
      /^-[np]?$/,
    );
  return problemOfValues(
    name,
    operands.map(({ value }) => value),
  );
}

/** What `command`, `builtin` and `exec` start; undefined when that is not known. */
function beneath(operands: readonly Operand[]): readonly Operand[] | undefined {
  let rest = operands;
  while (/^(command|builtin|exec)$/.test(String(rest[0]?.value))) {
    const at = rest.findIndex(({ value }, index) => index > 0 && value !== "--" && value !== "-p");
    if (at < 0) return [];
    const next = rest[at]?.value ?? "-";
    if (next === "-v" || next === "-V") return [];
    if (next.startsWith("-")) return undefined;
    rest = rest.slice(at);
  }
  return rest;
}

/** Where `cd` goes; null when that is not known. */
function folderOf(args: Values): string | null {
  const [folder, ...others] = args[0] === "--" ? args.slice(1) : args;
  if (folder === undefined) return "~";
  const isKnown = folder !== null && folder !== "" && !folder.startsWith("-") && others.length === 0;
  return isKnown ? folder : null;
}

function problemOfValues(name: string, args: Values): string | undefined {
  switch (name) {
    case "read":
      return problemOfNames(args, /^-r$/);
    case "getopts":
      return problemOfNames(args.slice(1, 2), /^$/);
    case "printf":
    case "wait":
      return args[0] === null || args[0]?.startsWith("-v") || args[0]?.startsWith("-p")
        ? "may set any variable"
        : undefined;
    case "set":
      return args.every((arg, at) => isKnownSetting(arg, args[at - 1])) || args[0] === "--"
        ? undefined
        : CHANGES_READING;
    default:
      return undefined;
  }
}

function isKnownSetting(arg: string | null, before: string | null | undefined): boolean {
  if (arg === null) return false;
  return before?.endsWith("o") === true ? /^(pipefail|errexit|nounset|xtrace)$/.test(arg) : /^[-+][eux]*o?$/.test(arg);
}

function problemOfNames(args: Values, flags: RegExp): string | undefined {
  for (const arg of args) {
    if (arg !== null && flags.test(arg)) continue;
    const name = arg?.split("=", 1)[0] ?? "";
    if (!isName(name)) return "sets a variable whose name is not known";
    if (steersPrograms(name)) return `sets ${name}, which changes what programs do`;
  }
  return undefined;
}

/** bash evaluates what follows `-v`: only forms where that cannot come in from outside are known. */
function problemOfTest(operands: readonly Operand[], name: string): string | undefined {
  const last = operands.at(-1)?.value;
  const inside = name === "[" && last === "]" ? operands.slice(0, -1) : operands;
  const terms = inside[0]?.value === "!" ? inside.slice(1) : inside;
  const values = terms.map(({ value }) => value);
  const isPlain = values.every((value) => value !== null && value !== "-v" && value !== "-R");
  if (isPlain) return undefined;
  const isOne = terms.every((term) => term.isOne);
  const isUnary = values.length === 2 && UNARY.test(values[0] ?? "");
  const isBinary = values.length === 3 && BINARY.test(values[1] ?? "");
  return isOne && (values.length === 1 || isUnary || isBinary) ? undefined : "may evaluate a value that is not known";
}

/** Options as getopt reads them. An option that the table does not name is not guessed. */
import { normalisePath } from "../../../base/match/glob.ts";
import type { Argv, Opaque, Unwrapped, Wrapper } from "../facts.ts";

/** `input`: what the program reads on standard input, where that is known. */
export type Tool = (args: Argv, name: string, input?: string | null) => Unwrapped;

/** A tool that never has another spelling. */
export type OneSpelling = (args: Argv, name: string, input?: string | null) => Opaque | Wrapper | typeof PLAIN;

export interface OptionTable {
  /** As in getopt: a letter, with one colon if it takes a value, with two if the value is optional and attached. */
  readonly short?: string;
  /** Names parted by blanks: `name`, `name=` with a value, `name=?` with an optional one. */
  readonly long?: string;
  /** The first operand ends the options. */
  readonly stops?: boolean;
  /**
   * Every option that starts another program, reads settings that do, or writes where nobody looks. Any other option that is not described
   * is the tool's own, so a rule that names the tool allows it. Without this list nothing is known of the others.
   */
  readonly acts?: string;
}

export type Options =
  | { readonly ok: true; readonly given: readonly (readonly [name: string, value: string])[]; readonly rest: Argv }
  | { readonly ok: false; readonly why: string };

interface Reading {
  readonly table: OptionTable;
  readonly given: [string, string][];
  readonly rest: (string | null)[];
  readonly queue: (string | null)[];
}

export const PLAIN: Extract<Unwrapped, { kind: "plain" }> = { kind: "plain" };
export const UNDESCRIBED: Extract<Unwrapped, { kind: "undescribed" }> = { kind: "undescribed" };
export const starts = (...inner: Argv[]): Wrapper => ({ kind: "wrapper", inner, scripts: [] });
export const reads = (...scripts: string[]): Wrapper => ({ kind: "wrapper", inner: [], scripts });

/** It starts commands, and which is not known. `guesses` and `texts` are what they may be. */
export const opaque = (why: string, guesses: readonly Argv[] = NONE, texts: readonly string[] = NONE): Opaque => {
  return { kind: "opaque", why, hides: "commands", guesses, texts };
};

const NONE: readonly never[] = [];
const MOST_GUESSES = 400;
/** Standard input, and every other file that is already open, however the path is spelled. */
const STREAM = /^(\.\.\/)*(\.\.)?\/(dev\/(stdin|stdout|stderr|fd\/.+)|proc\/[^/]+\/(task\/[^/]+\/)?fd\/.+)$/;

export function isStream(path: string): boolean {
  return STREAM.test(normalisePath(path));
}

/**
 * Where the options of a tool are not known, each word may begin the command that it starts, and each word with a blank may be a text for
 * a shell; an option may hold its value. So rules that deny are not escaped by an option that nobody has described.
 */
export function guessed(why: string, args: Argv, input?: string | null, hides: Opaque["hides"] = "commands"): Opaque {
  return { kind: "opaque", why, hides, guesses: endsOf(args), texts: textsAmong(args, input) };
}

/** Arguments that may be a command with all that follows. */
function endsOf(args: Argv): readonly Argv[] {
  return args
    .slice(0, MOST_GUESSES)
    .flatMap((arg, at) => (arg === null || arg.startsWith("-") ? [] : [args.slice(at)]));
}

/** Texts of more than one word, as a shell may be given them. */
export function textsAmong(args: Argv, input: string | null | undefined): readonly string[] {
  const words = args.flatMap((arg) => (arg !== null && SEVERAL_WORDS.test(arg) ? textsOf(arg) : []));
  if (typeof input === "string") words.push(...input.split("\n"));
  return words.filter((word) => SEVERAL_WORDS.test(word)).slice(0, MOST_GUESSES);
}

const SEVERAL_WORDS = /\S\s+\S/;

function textsOf(arg: string): readonly string[] {
  const value = /^[^=\s]*=(.*)$/s.exec(arg)?.[1];
  const attached = /^-[^-]/.test(arg) ? [arg.slice(2)] : [];
  return [arg, ...attached, ...(value === undefined ? [] : [value]), ...piecesOf(arg)];
}

/** In a language of its own a command stands between quotes, brackets or marks: `system("git push")`, `:!git push`. */
function piecesOf(arg: string): readonly string[] {
  return MARKS.test(arg) ? arg.split(MARKS) : NONE;
}

const MARKS = /["'`!|(){}<>[\]:;,\\%]+/;

const UNKNOWN = "an argument that may be an option is not known";

export function readOptions(table: OptionTable, args: Argv): Options {
  const reading: Reading = { table, given: [], rest: [], queue: [...args] };
  let why: string | undefined;
  let isOver = false;
  while (reading.queue.length > 0 && !isOver && why === undefined) {
    const arg = reading.queue.shift() ?? null;
    if (arg === null) why = UNKNOWN;
    else if (arg.startsWith("-") && arg !== "-" && arg !== "--") why = readOption(reading, arg);
    else isOver = readOperand(reading, arg);
  }
  if (why !== undefined) return { ok: false, why };
  return { ok: true, given: reading.given, rest: [...reading.rest, ...reading.queue] };
}

/** True when no option can follow. */
function readOperand({ table, rest }: Reading, arg: string): boolean {
  if (arg !== "--") rest.push(arg);
  return arg === "--" || table.stops === true;
}

function readOption(reading: Reading, arg: string): string | undefined {
  return arg.startsWith("--") ? readLong(reading, arg.slice(2)) : readShort(reading, arg.slice(1));
}

/** Tools accept a long option by its beginning; a beginning says nothing certain, so only whole names count. */
function readLong(reading: Reading, text: string): string | undefined {
  const name = text.replace(/=.*/s, "");
  const names = (reading.table.long ?? "").split(" ");
  const attached = text.includes("=") ? text.slice(name.length + 1) : undefined;
  if (names.includes(name) && attached === undefined) return keep(reading, `--${name}`, "");
  if (names.includes(`${name}=?`)) return keep(reading, `--${name}`, attached ?? "");
  if (!names.includes(`${name}=`)) return unknown(`--${name}`);
  return attached === undefined ? keepNext(reading, `--${name}`) : keep(reading, `--${name}`, attached);
}

function readShort(reading: Reading, letters: string): string | undefined {
  const table = reading.table.short ?? "";
  const letter = letters.slice(0, 1);
  const attached = letters.slice(1);
  const place = table.replaceAll(":", " ").indexOf(letter);
  const takes = table.slice(place + 1);
  if (place < 0 || letter === " ") return unknown(`-${letter}`);
  if (takes.startsWith(":") && !takes.startsWith("::") && attached === "") return keepNext(reading, `-${letter}`);
  keep(reading, `-${letter}`, takes.startsWith(":") ? attached : "");
  return takes.startsWith(":") || attached === "" ? undefined : readShort(reading, attached);
}

function keep(reading: Reading, name: string, value: string): undefined {
  reading.given.push([name, value]);
}

function keepNext(reading: Reading, name: string): string | undefined {
  const value = reading.queue.shift();
  if (value === null || value === undefined) return UNKNOWN;
  return keep(reading, name, value);
}

function unknown(option: string): string {
  return `nobody has said what its option ${option} does`;
}

/** A tool that does its own work as long as its options are known. */
export function careful(
  table: OptionTable,
  problem?: (rest: Argv, given: ReadonlyMap<string, string>) => string | undefined,
  hidden: (why: string, args: Argv) => Opaque = guessed,
): OneSpelling {
  return (args, name) => {
    const read = readOptions(table, args);
    if (!read.ok)
      return isOwnWork(table, args) ? ownWork(`${name}: ${read.why}`, args) : hidden(`${name}: ${read.why}`, args);
    const why = problem?.(read.rest, new Map(read.given));
    return why === undefined ? PLAIN : hidden(`${name}: ${why}`, args);
  };
}

/** Nobody has described all of it, and it is the work of the tool itself: a rule that names the tool allows it. */
export const ownWork = (why: string, args: Argv): Opaque => guessed(why, args, null, "program");

/** No option of the list stands there, not even shortened or inside a cluster of letters. An unknown argument may be any option. */
export function isOwnWork({ acts }: OptionTable, args: Argv): boolean {
  if (acts === undefined) return false;
  const names = acts.split(/\s+/);
  return args.every((arg) => arg !== null && (!/^-./.test(arg) || !names.some((name) => mayBe(arg, name))));
}

function mayBe(arg: string, name: string): boolean {
  const given = arg.replace(/^--?/, "").replace(/[=:].*$/s, "");
  if (arg.startsWith("--")) return name.length > 1 && given !== "" && name.startsWith(given);
  return name.length > 1 ? isTail(arg, name) : given.includes(name);
}

/** Tools with long options behind one dash may hold the value in the same word: `-fplugin=x`, `-B/x`. */
function isTail(arg: string, long: string): boolean {
  return arg.startsWith(`-${long}`);
}

/** Each of the `skip` operands is known. */
function readBefore(table: OptionTable, skip: number, args: Argv): Options {
  const read = readOptions({ ...table, stops: true }, args);
  return read.ok && read.rest.slice(0, skip).includes(null) ? { ok: false, why: UNKNOWN } : read;
}

/** A tool that starts the command behind its options and `skip` operands. `needs`: see `Unwrapped`. */
export function launcher(table: OptionTable, skip = 0, needs?: "rule" | "name"): Tool {
  return (args, name) => {
    const read = readBefore(table, skip, args);
    if (!read.ok) return guessed(`${name}: ${read.why}`, args);
    if (read.rest.length > skip) return startedBehind(read.rest, skip, needs);
    return needs === undefined ? PLAIN : guessed(`${name}: it starts a shell`, args);
  };
}

/** Some tools can do without an operand, so the first of them may begin the command. */
function startedBehind(rest: Argv, skip: number, needs: Wrapper["needs"]): Wrapper {
  const found = { ...starts(rest.slice(skip)), guesses: skip === 0 ? NONE : [rest] };
  return needs === undefined ? found : { ...found, needs };
}

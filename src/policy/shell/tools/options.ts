/** Options as getopt reads them. An option that the table does not name is not guessed. */
import type { Argv, Unwrapped } from "../facts.ts";

export type Tool = (args: Argv, name: string) => Unwrapped;

export interface OptionTable {
  /** As in getopt: a letter, with one colon if it takes a value, with two if the value is optional and attached. */
  readonly short?: string;
  /** Names parted by blanks: `name`, `name=` with a value, `name=?` with an optional one. */
  readonly long?: string;
  /** The first operand ends the options. */
  readonly stops?: boolean;
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

export const PLAIN: Unwrapped = { kind: "plain" };
export const opaque = (why: string): Unwrapped => ({ kind: "opaque", why });
export const starts = (...inner: Argv[]): Unwrapped => ({ kind: "wrapper", inner });
export const reads = (script: string): Unwrapped => ({ kind: "wrapper", inner: [], script });

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
): Tool {
  return (args, name) => {
    const read = readOptions(table, args);
    const why = read.ok ? problem?.(read.rest, new Map(read.given)) : read.why;
    return why === undefined ? PLAIN : opaque(`${name}: ${why}`);
  };
}

/** A tool that starts the command behind its options and `skip` operands. */
export function launcher(table: OptionTable, skip = 0): Tool {
  return (args, name) => {
    const read = readOptions({ ...table, stops: true }, args);
    if (!read.ok) return opaque(`${name}: ${read.why}`);
    if (read.rest.slice(0, skip).includes(null)) return opaque(`${name}: ${UNKNOWN}`);
    return read.rest.length > skip ? starts(read.rest.slice(skip)) : PLAIN;
  };
}

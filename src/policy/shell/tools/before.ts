/** Options that stand before the command of a tool: `git -C x push`, `npm --prefix x publish`, `kubectl -n x delete pod`. */
import type { Argv, Opaque, Unwrapped, Wrapper } from "../facts.ts";
import type { OneSpelling, Tool } from "./options.ts";

export interface BeforeTable {
  /** They neither start a program nor lead elsewhere. */
  readonly harmless: ReadonlySet<string>;
  /** Those that take a value. */
  readonly valued: ReadonlySet<string>;
  /** Those that are harmless as long as their value lies inside the workspace. */
  readonly inside?: ReadonlySet<string>;
}

interface Before {
  readonly given: readonly (readonly [option: string, value: string])[];
  /** The command and what follows. */
  readonly rest: Argv;
}

/** undefined: an argument there is not known. */
export function beforeCommand({ valued }: BeforeTable, args: Argv): Before | undefined {
  const given: [string, string][] = [];
  let at = 0;
  while (at < args.length) {
    const arg = args[at];
    if (arg === null || arg === undefined) return undefined;
    if (!isOption(arg)) break;
    const read = readOption(valued, arg, args[at + 1]);
    if (read === undefined) return undefined;
    given.push(read.given);
    at += read.length;
  }
  return { given, rest: args.slice(at) };
}

/** undefined: its value is not known. */
function readOption(
  valued: ReadonlySet<string>,
  arg: string,
  next: string | null | undefined,
): { readonly given: [string, string]; readonly length: number } | undefined {
  const [option, attached] = parted(arg, valued);
  if (attached !== undefined || !valued.has(option)) return { given: [option, attached ?? ""], length: 1 };
  return next === null ? undefined : { given: [option, next ?? ""], length: 2 };
}

function isOption(arg: string): boolean {
  return /^[-+]./.test(arg);
}

/** `--name=value` and `-Cvalue` fall apart. */
function parted(arg: string, valued: ReadonlySet<string>): readonly [option: string, value: string | undefined] {
  const equals = arg.indexOf("=");
  if (arg.startsWith("--")) return equals < 0 ? [arg, undefined] : [arg.slice(0, equals), arg.slice(equals + 1)];
  const short = arg.slice(0, 2);
  return arg.length > 2 && valued.has(short) ? [short, arg.slice(2)] : [arg, undefined];
}

/**
 * A tool whose rules are about its commands. Options before the command, and between its first and its second word, are left out of
 * the spellings that rules see beside the written one. Where it is not known whether an option takes a value, both readings are judged.
 */
export function withOptionsBefore(table: BeforeTable, inner: OneSpelling): Tool {
  return (args, name, input) => {
    const found = inner(args, name, input);
    if (!hasOption(args[0]) && !hasOption(args[1])) return found;
    const [plain, ...others] = spellingsOf(table, args).map((rest): Argv => [name, ...rest]);
    if (plain === undefined) return found;
    if (found.kind !== "plain") return besides(found, [plain, ...others]);
    const before = beforeCommand(table, args);
    const isHarmless = before?.given.every(([option]) => table.harmless.has(option)) === true;
    const isWritten = isSame(plain.slice(1), args);
    if (!isWritten) return { kind: "respelled", spellings: [plain, ...others], isHarmless };
    return others.length === 0 ? found : besides({ kind: "wrapper", inner: [], scripts: [], needs: "name" }, others);
  };
}

function hasOption(arg: string | null | undefined): boolean {
  return typeof arg === "string" && isOption(arg);
}

/** Spellings that only rules look at which ask or deny. */
function besides(found: Opaque | Wrapper, guesses: readonly Argv[]): Unwrapped {
  return { ...found, guesses: [...(found.guesses ?? []), ...guesses] };
}

const MOST_SPELLINGS = 60;

function spellingsOf(table: BeforeTable, args: Argv): readonly Argv[] {
  const all = commandsIn(table, args).flatMap((rest): readonly Argv[] => {
    const [command, ...after] = rest;
    if (command === undefined || !hasOption(after[0])) return [rest];
    return [rest, ...commandsIn(table, after).map((second): Argv => [command, ...second])];
  });
  return all.slice(0, MOST_SPELLINGS);
}

/** What is left when the options at the beginning are taken away: once for each reading of them. */
function commandsIn(table: BeforeTable, args: Argv): readonly Argv[] {
  const before = beforeCommand(table, args);
  if (before === undefined || before.rest.length === 0) return [];
  const { given, rest } = before;
  const isCertain = given.every(
    ([option]) => table.valued.has(option) || table.harmless.has(option) || option.startsWith("+"),
  );
  if (isCertain) return [rest];
  return rest.flatMap((arg, at) => (hasOption(arg) ? [] : [rest.slice(at)])).slice(0, MOST_SPELLINGS);
}

function isSame(one: Argv, other: Argv): boolean {
  return one.length === other.length && one.every((arg, at) => arg === other[at]);
}

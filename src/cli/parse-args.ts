/** Arguments → what the user gave, checked against the CommandSpec. Every mistake is a CLI_USAGE_INVALID. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { pawlError } from "../base/errors.ts";
import { CLI_ERRORS } from "./errors.ts";
import type { Format } from "./output.ts";
import type { ArgumentSpec, CommandSpec, Given, OptionSpec } from "./spec.ts";

export interface GlobalOptions {
  readonly root: string | undefined;
  readonly color: boolean;
  readonly format: Format;
}

export interface Parsed {
  readonly given: Given;
  readonly globals: GlobalOptions;
}

/** Options every command has; shown in help. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  {
    kind: "text",
    flags: "-C, --root <dir>",
    summary: "project root (default: the nearest directory above with .pawl, pawl.yaml or .git)",
  },
  { kind: "flag", flags: "--json", summary: "print one JSON document instead of text" },
  { kind: "flag", flags: "--no-color", summary: "no colours; NO_COLOR does the same" },
  { kind: "flag", flags: "-h, --help", summary: "show help" },
];

/** The first word that is not an option: the command. */
export function commandName(argv: readonly string[]): string | undefined {
  for (let index = 0; index < argv.length; index += 1) {
    const word = argv[index] ?? "";
    if (word === "--") return argv[index + 1];
    if (word === "-C" || word === "--root") index += 1;
    else if (!word.startsWith("-")) return word;
  }
  return undefined;
}

/** Whether help is asked for; looked for before parsing, so that it works with arguments missing. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === "-h" || word === "--help");
}

/** The format the raw arguments ask for: needed to report a failure to parse them. */
export function formatOf(argv: readonly string[]): Format {
  const end = argv.indexOf("--");
  const words = end < 0 ? argv : argv.slice(0, end);
  if (words.includes("--jsonl")) return "jsonl";
  return words.includes("--json") ? "json" : "human";
}

/** Refuses options that no command has, when there is no command to ask. */
export function parseGlobals(argv: readonly string[]): void {
  try {
    newProgram()
      .option("-h, --help")
      .parse([...argv], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) throw usageError("", error.message);
    throw error;
  }
}

export function parseArgs(spec: CommandSpec, argv: readonly string[]): Parsed {
  const program = newProgram();
  const values = new Map<string, unknown>();
  const command = program.command(spec.name).allowExcessArguments(false);
  if (spec.formats.includes("jsonl")) command.addOption(new Option("--jsonl").conflicts("json"));
  for (const argument of spec.arguments) command.addArgument(toArgument(argument));
  for (const option of spec.options) command.addOption(toOption(option));
  command.action(() => {
    spec.arguments.forEach((argument, index) => {
      values.set(argument.name, command.processedArgs[index]);
    });
    for (const option of spec.options) {
      const parsed = new Option(option.flags);
      const value: unknown = command.opts()[parsed.attributeName()];
      // `--no-x` is known as an x that was taken away.
      values.set(longName(option), parsed.negate ? value === false : value);
    }
  });
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) throw usageError(spec.name, error.message);
    throw error;
  }
  const options = { ...program.opts(), ...command.opts() };
  if (options["json"] === true && options["jsonl"] === true)
    throw usageError(spec.name, "--json and --jsonl exclude each other");
  return { given: createGiven(values), globals: toGlobals(options) };
}

function newProgram(): Command {
  return new Command("pawl")
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .helpOption(false)
    .helpCommand(false)
    .option("-C, --root <dir>")
    .option("--json")
    .option("--no-color");
}

function toArgument(spec: ArgumentSpec): Argument {
  const name = spec.rest === true ? `${spec.name}...` : spec.name;
  return new Argument(spec.required ? `<${name}>` : `[${name}]`);
}

function toOption(spec: OptionSpec): Option {
  const option = new Option(spec.flags);
  switch (spec.kind) {
    case "flag":
      return option;
    case "text":
      if (spec.choices !== undefined) option.choices([...spec.choices]);
      return spec.default === undefined ? option : option.default(spec.default);
    case "count":
      option.argParser((text: string) => parseCount(text, spec.min));
      return spec.default === undefined ? option : option.default(spec.default);
    case "list":
      return option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
  }
}

function parseCount(text: string, min: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= min)) throw new InvalidArgumentError(`It must be a whole number of at least ${min}.`);
  return value;
}

function toGlobals(options: Readonly<Record<string, unknown>>): GlobalOptions {
  const root = options["root"];
  const format: Format = options["jsonl"] === true ? "jsonl" : options["json"] === true ? "json" : "human";
  return { root: typeof root === "string" ? root : undefined, color: options["color"] !== false, format };
}

/** `--dry-run` → `dry-run` */
function longName(option: OptionSpec): string {
  return /--([a-z-]+)/.exec(option.flags)?.[1] ?? option.flags;
}

function createGiven(values: ReadonlyMap<string, unknown>): Given {
  const get = (name: string): unknown => {
    if (!values.has(name)) throw new Error(`the command has no argument or option "${name}"`);
    return values.get(name);
  };
  return {
    text: (name) => {
      const value = get(name);
      return typeof value === "string" ? value : undefined;
    },
    count: (name) => {
      const value = get(name);
      return typeof value === "number" ? value : undefined;
    },
    flag: (name) => get(name) === true,
    list: (name) => {
      const value = get(name);
      return Array.isArray(value) ? value.map(String) : [];
    },
  };
}

function usageError(command: string, raw: string): Error {
  const text = raw.replace(/^error: /, "").replaceAll("\n", " ");
  const message = `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?)]$/.test(text) ? "" : "."}`;
  return pawlError(CLI_ERRORS, "CLI_USAGE_INVALID", { message, command });
}

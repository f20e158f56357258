/** Help as text: the overview, one command, and the reference page. All of it comes from the table and the specs. */
import { COMMANDS, type CommandEntry, GROUPS } from "./commands.ts";
import { EXIT_MEANINGS, type ExitCode } from "./exit-codes.ts";
import type { Paint } from "./output.ts";
import { GLOBAL_OPTIONS } from "./parse-args.ts";
import type { ArgumentSpec, CommandSpec, Group, OptionSpec } from "./spec.ts";

const EXAMPLES: readonly (readonly [line: string, does: string])[] = [
  ["pawl init", "write pawl.yaml for this project, with a first loop: check"],
  ["pawl plan check", "see what would run and its worst case"],
  ["pawl run check", "run it"],
  ["pawl show @last", "see how the newest run went"],
];

export function renderOverview(paint: Paint): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  const lines = [
    `${paint.bold("pawl")}: run AI-agent loops you can leave alone`,
    "",
    "Usage: pawl <command> [arguments] [options]",
    "",
  ];
  for (const group of Object.keys(GROUPS) as Group[]) {
    lines.push(paint.bold(GROUPS[group]));
    for (const [name, entry] of entriesOf(group)) lines.push(`  ${paint.cyan(name.padEnd(width))}${entry.summary}`);
    lines.push("");
  }
  lines.push(paint.bold("Examples"), ...alignPairs(EXAMPLES, paint), "");
  lines.push(
    paint.bold("Options of every command"),
    ...alignPairs([...GLOBAL_OPTIONS.map(optionPair), ["-V, --version", "print the version"]], paint),
    "",
  );
  lines.push(paint.bold("Exit codes"), ...alignPairs(exitPairs([0, 1, 2, 3, 130]), paint), "");
  lines.push("`pawl help <command>` tells more. A blueprint is a path or a name from `pawl list`;");
  lines.push("a run is its id, the beginning of its id, or @last.");
  return lines.join("\n");
}

export function renderHelp(spec: CommandSpec, paint: Paint): string {
  const lines = [`${paint.bold(`pawl ${spec.name}`)}: ${spec.summary}`, "", `Usage: ${usageOf(spec)}`, ""];
  if (spec.details.length > 0) lines.push(...spec.details, "");
  if (spec.arguments.length > 0)
    lines.push(paint.bold("Arguments"), ...alignPairs(spec.arguments.map(argumentPair), paint), "");
  lines.push(paint.bold("Options"), ...alignPairs(allOptions(spec).map(optionPair), paint), "");
  lines.push(
    paint.bold("Examples"),
    ...alignPairs(
      spec.examples.map((example) => [example.line, example.does] as const),
      paint,
    ),
    "",
  );
  lines.push(paint.bold("Exit codes"), ...alignPairs(exitPairs(spec.exits), paint));
  return lines.join("\n");
}

/** docs/reference/cli.md */
export async function renderCliReference(): Promise<string> {
  const out = ["# Command line", ""];
  out.push("| exit code | meaning |", "|---|---|");
  for (const [code, meaning] of exitPairs([0, 1, 2, 3, 130])) out.push(`| ${code} | ${meaning} |`);
  out.push("", "Every command takes:", "");
  for (const [flags, summary] of GLOBAL_OPTIONS.map(optionPair)) out.push(`- \`${flags}\`: ${summary}`);
  for (const group of Object.keys(GROUPS) as Group[]) {
    out.push("", `## ${GROUPS[group]}`);
    for (const [, entry] of entriesOf(group)) out.push("", ...referenceOf(await entry.load()));
  }
  return `${out.join("\n")}\n`;
}

function referenceOf(spec: CommandSpec): string[] {
  const out = [`### pawl ${spec.name}`, "", `${spec.summary}.`, "", "```", usageOf(spec), "```"];
  if (spec.details.length > 0) out.push("", ...spec.details);
  const rows = [...spec.arguments.map(argumentPair), ...ownOptions(spec).map(optionPair)];
  if (rows.length > 0) {
    out.push("", "| argument or option | meaning |", "|---|---|");
    for (const [name, summary] of rows)
      out.push(`| \`${name.replaceAll("|", "\\|")}\` | ${summary.replaceAll("|", "\\|")} |`);
  }
  out.push("", "```sh");
  for (const example of spec.examples) out.push(`${example.line}  # ${example.does}`);
  out.push("```", "", `Exit codes: ${spec.exits.join(", ")}.`);
  return out;
}

function entriesOf(group: Group): readonly (readonly [string, CommandEntry])[] {
  return Object.entries(COMMANDS).filter(([, entry]) => entry.group === group);
}

function usageOf(spec: CommandSpec): string {
  const words = ["pawl", spec.name, ...spec.arguments.map(argumentName)];
  for (const option of spec.options) {
    const flags = option.flags.split(", ").at(-1) ?? option.flags;
    words.push(`[${flags}]${option.kind === "list" ? "…" : ""}`);
  }
  return words.join(" ");
}

function argumentName(argument: ArgumentSpec): string {
  const name = argument.rest === true ? `${argument.name}…` : argument.name;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentPair(argument: ArgumentSpec): readonly [string, string] {
  return [argumentName(argument), argument.summary];
}

function ownOptions(spec: CommandSpec): readonly OptionSpec[] {
  const jsonl: OptionSpec = {
    kind: "flag",
    flags: "--jsonl",
    summary: "print each event as a line of JSON, and a last line with the end",
  };
  return spec.formats.includes("jsonl") ? [...spec.options, jsonl] : spec.options;
}

function allOptions(spec: CommandSpec): readonly OptionSpec[] {
  return [...ownOptions(spec), ...GLOBAL_OPTIONS];
}

function optionPair(option: OptionSpec): readonly [string, string] {
  const notes: string[] = [];
  if (option.kind === "text" && option.choices !== undefined) notes.push(`one of ${option.choices.join(", ")}`);
  if (option.kind === "list") notes.push("may be repeated");
  if ((option.kind === "text" || option.kind === "count") && option.default !== undefined)
    notes.push(`default ${option.default}`);
  return [option.flags, notes.length === 0 ? option.summary : `${option.summary} (${notes.join("; ")})`];
}

function exitPairs(codes: readonly ExitCode[]): readonly (readonly [string, string])[] {
  return codes.map((code) => [String(code), EXIT_MEANINGS[code]] as const);
}

function alignPairs(pairs: readonly (readonly [string, string])[], paint: Paint): string[] {
  const width = Math.max(...pairs.map(([left]) => left.length)) + 2;
  return pairs.map(([left, right]) => `  ${paint.cyan(left.padEnd(width))}${right}`);
}

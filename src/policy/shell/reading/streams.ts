/** What goes from one command to the next: texts that a shell text itself holds. null: not known. */
import type { Command, CommandNode, HereDoc, PipelineNode, Redirection, Statement, Word } from "unbash";
import type { Walk } from "./walk.ts";
import { wordValue } from "./words.ts";

type Input = string | null | undefined;

const MOST_BYTES = 64 << 10;
/** Of an `echo` that every shell prints alike. */
const PRINTED_ALIKE = /^[^\\]*$/;

/** Standard input as the redirections leave it; the last of them counts. */
export function inputOf(walk: Walk, redirects: readonly Redirection[], before: Input): Input {
  let input = before;
  for (const redirect of redirects) {
    const { descriptor } = redirect;
    if (descriptor !== undefined && (descriptor.type !== "FileDescriptor" || descriptor.value !== 0)) continue;
    if (redirect.type === "HereDoc") input = documentText(redirect);
    else if (redirect.type === "HereString") input = withEnd(textOfWord(walk, redirect.target));
    else if (redirect.operator.startsWith("<")) input = null;
  }
  return input;
}

/** What the node writes to standard output. */
export function outputOf(walk: Walk, node: CommandNode | PipelineNode, input: Input): string | null {
  switch (node.type) {
    case "Command":
      return commandOutput(walk, node, input);
    case "Subshell":
    case "BraceGroup":
      return listOutput(walk, node.body.commands);
    case "Pipeline": {
      let passed = input;
      for (const command of node.commands) passed = outputOf(walk, command, passed);
      return passed ?? null;
    }
    default:
      return null;
  }
}

function listOutput(walk: Walk, statements: readonly Statement[]): string | null {
  const nodes = statements.flatMap(({ command }) => (command.type === "AndOr" ? command.commands : [command]));
  const texts = nodes.map((node) => outputOf(walk, node, undefined));
  return texts.includes(null) ? null : texts.join("").slice(0, MOST_BYTES);
}

function commandOutput(walk: Walk, command: Command, input: Input): string | null {
  const { name, suffix, prefix } = command;
  if (name === undefined || prefix.some(({ type }) => type !== "Assignment")) return null;
  const words = suffix.filter((part): part is Word => part.type === "Word");
  const redirects = suffix.filter((part): part is Redirection => part.type !== "Word" && part.type !== "Assignment");
  if (redirects.some((redirect) => !(isDocument(redirect) || isQuiet(walk, redirect)))) return null;
  const args = words.map((word) => textOfWord(walk, word));
  const program = textOfWord(walk, name);
  return program === null ? null : printed(program, args, inputOf(walk, redirects, input));
}

function printed(program: string, args: readonly (string | null)[], input: Input): string | null {
  const [name] = program.split("/").slice(-1) as [string];
  if (name === "cat" || name === "tee") return args.every((arg) => arg === "-") ? (input ?? null) : null;
  if (args.includes(null)) return null;
  if (name === "echo") return echoed(args as readonly string[]);
  return name === "printf" ? formatted(args as readonly string[]) : null;
}

function echoed(args: readonly string[]): string | null {
  const [first = ""] = args;
  const isOption = /^-[neE]+$/.test(first);
  const text = (isOption ? args.slice(1) : args).join(" ");
  if (!PRINTED_ALIKE.test(text)) return null;
  return isOption && first.includes("n") ? text : `${text}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\\\": "\\", "%%": "%" };

/** Only `%s`, `%b` without a backslash, and the plainest escapes; the format is used again for what is left. */
function formatted([format = "", ...given]: readonly string[]): string | null {
  const pieces = [...format.matchAll(/\\.?|%.?|[^\\%]+/gs)].map(([piece]) => piece);
  const isPlain = (piece: string): boolean =>
    !/^[\\%]/.test(piece) || piece === "%s" || piece === "%b" || piece in ESCAPES;
  if (format.startsWith("-") || !pieces.every(isPlain) || given.some((arg) => arg.includes("\\"))) return null;
  const holes = pieces.filter((piece) => piece === "%s" || piece === "%b").length;
  const rounds = holes === 0 ? 1 : Math.max(1, Math.ceil(given.length / holes));
  if (rounds * format.length > MOST_BYTES) return null;
  const args = [...given];
  const once = (): string =>
    pieces
      .map((piece) => (piece === "%s" || piece === "%b" ? (args.shift() ?? "") : (ESCAPES[piece] ?? piece)))
      .join("");
  return Array.from({ length: rounds }, once).join("");
}

function isDocument({ type }: Redirection): boolean {
  return type !== "Redirect";
}

/** `2>/dev/null` and its like leave standard output as it is. */
function isQuiet(walk: Walk, redirect: Redirection): boolean {
  if (redirect.type !== "Redirect" || redirect.descriptor?.type !== "FileDescriptor") return false;
  return redirect.descriptor.value === 2 && textOfWord(walk, redirect.target) === "/dev/null";
}

function documentText({ delimiter, body, operator }: HereDoc): string | null {
  if (delimiter === undefined) return null;
  // A backslash before anything else stays as it is.
  if (!delimiter.quoted && /[$`]|\\[\\\n]/.test(body.text)) return null;
  return operator === "<<-" ? body.text.replace(/^\t+/gm, "") : body.text;
}

function withEnd(text: string | null): string | null {
  return text === null ? null : `${text}\n`;
}

/** Only a look: what hides in the word is walked where the command itself is. */
function textOfWord(walk: Walk, word: Word | undefined): string | null {
  return word === undefined ? null : wordValue({ ...walk, commands: [], files: [] }, word);
}

/** One simple command: its arguments, the variables set for it, and the files it is joined to. */
import type { Assignment, Command, CommandArgument, Redirection, Word } from "unbash";
import type { ShellCommand } from "../facts.ts";
import { type Operand, walkBuiltin } from "./builtins.ts";
import { walkRedirection } from "./redirects.ts";
import { inputOf } from "./streams.ts";
import { steersPrograms } from "./variables.ts";
import { addCommand, refuse, type Walk } from "./walk.ts";
import { isOneArgument, wordValue } from "./words.ts";

const OPENS = /(?:[ \t]|\\\n)*\(/y;

/** `before` are words that another shell reads as the beginning of the same command. */
export function walkCommand(walk: Walk, command: Command, before: readonly string[] = []): undefined {
  const { name, prefix, suffix } = command;
  const assigned = prefix.filter((part): part is Assignment => part.type === "Assignment");
  const env = assigned.map((part): [string, string | null] => [part.name, walkAssignment(walk, part)]);
  for (const part of prefix) if (part.type !== "Assignment") walkRedirection(walk, part);
  if (before.length > 0 && assigned.length > 0) return refuse(walk, "it times a command that sets variables");
  if (name === undefined) return;
  // The parser passes over a parenthesis that is never closed.
  OPENS.lastIndex = name.end;
  if (OPENS.test(walk.text)) return refuse(walk, "a parenthesis is not closed");
  const words = suffix.filter((part): part is CommandArgument => part.type === "Word" || part.type === "Assignment");
  const redirects = suffix.filter((part): part is Redirection => part.type !== "Word" && part.type !== "Assignment");
  const operands = [operandOf(walk, name), ...words.map((word) => operandOf(walk, word))];
  for (const redirect of redirects) walkRedirection(walk, redirect);
  if (operands[0]?.value === null) return refuse(walk, "which program runs is known only when it runs");
  const input = inputOf(walk, command.redirects, walk.input);
  const argv = [...before, ...operands.map(({ value }) => value)];
  addCommand(walk, { argv, env, ...surroundings(walk, [name, ...words]), ...(input === undefined ? {} : { input }) });
  walkBuiltin(walk, operands, redirects.length > 0 || prefix.length > assigned.length);
}

function surroundings(
  { folders }: Walk,
  words: readonly (Word | Assignment)[],
): Pick<ShellCommand, "folders" | "beginnings"> {
  const beginnings = words.flatMap(beginningOf);
  return {
    ...(folders.some((folder) => folder !== "") ? { folders } : {}),
    ...(beginnings.length === 0 ? {} : { beginnings }),
  };
}

const BEGINS_OUTSIDE = /^(\/|~|\.\.(?=\/|$)|\$HOME\b|\$\{HOME\})/;

/** What is known of a word that is not known as a whole, if that leads out of the workspace. */
function beginningOf({ text }: Word | Assignment): readonly string[] {
  const plain = text.replaceAll(/["'\\]/g, "");
  if (!/[*?[$`{]|^~[^/]/.test(plain) || !BEGINS_OUTSIDE.test(plain)) return NOTHING;
  return [plain.replace(/^\$(HOME\b|\{HOME\})/, "~").replaceAll(/[$`].*$/gs, "x")];
}

const NOTHING: readonly string[] = [];

function operandOf(walk: Walk, word: Word | Assignment): Operand {
  if (word.type === "Word") return { value: wordValue(walk, word), isOne: isOneArgument(word) };
  const value = walkAssignment(walk, word);
  const isOne = word.value.type === "Word" && isOneArgument(word.value);
  return { value: value === null ? null : `${word.name}=${value}`, isOne, ...(isOne ? { sets: word.name } : {}) };
}

/** The value that a variable gets; names that steer programs are refused. */
function walkAssignment(walk: Walk, { name, value, append, index }: Assignment): string | null {
  if (steersPrograms(name)) refuse(walk, `it sets ${name}, which changes what programs do`);
  if (value.type === "ArrayValue" || append === true || index !== undefined) {
    refuse(walk, "it uses arrays or +=, which not every shell has");
    return null;
  }
  return wordValue(walk, value);
}

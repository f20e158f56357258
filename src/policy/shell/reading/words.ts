/** Words of a tree: their values, and every script that hides inside them. */
import type { CommandExpansionPart, ParameterExpansionPart, Word, WordPart } from "unbash";
import { steersPrograms } from "./variables.ts";
import { refuse, type Walk } from "./walk.ts";
import { readWord } from "./word.ts";

const REFUSED_PARTS: Readonly<Record<string, string>> = {
  AnsiCQuoted: "it quotes with $'…', which shells read differently",
  LocaleString: 'it quotes with $"…", which shells read differently',
  ProcessSubstitution: "it uses process substitution, which not every shell has",
  ExtendedGlob: "it uses an extended glob, which not every shell has",
};
/** Any name or substitution in there may hold text that bash evaluates again. */
const PLAIN_ARITHMETIC = /^\$\(\([\d\s()+\-*/%<>=!&|^~?:,]*\)\)$/;
const SHARED_OPERATIONS = new Set(["Default", "Remove"]);

/** The value of a word after quote removal; null when it is not known. Every script inside it is walked. */
export function wordValue(walk: Walk, word: Word): string | null {
  const read = readWord(word.text);
  walkParts(walk, word.parts);
  if (!read.ok) {
    refuse(walk, read.why);
    return null;
  }
  return read.value ?? documentText(word);
}

/** True for a word that is one argument whatever it holds: one pair of double quotes, and no list of arguments inside. */
export function isOneArgument(word: Word): boolean {
  const [part, ...others] = word.parts ?? [];
  if (part === undefined) return true;
  return others.length === 0 && part.type === "DoubleQuoted" && !/[@*]/.test(part.text);
}

export function walkParts(walk: Walk, parts: readonly WordPart[] | undefined): undefined {
  for (const part of parts ?? []) walkPart(walk, part);
}

function walkPart(walk: Walk, part: WordPart): undefined {
  const refused = REFUSED_PARTS[part.type];
  if (refused !== undefined) return refuse(walk, refused);
  switch (part.type) {
    case "CommandExpansion":
      return walkSubstitution(walk, part);
    case "ParameterExpansion":
      return walkParameter(walk, part);
    case "ArithmeticExpansion":
      if (!PLAIN_ARITHMETIC.test(part.text))
        refuse(walk, "it calculates with values that are not known, which may run commands");
      return;
    case "DoubleQuoted":
    case "Glob":
    case "BraceExpansion":
      return walkParts(walk, part.parts);
  }
}

function walkSubstitution(walk: Walk, part: CommandExpansionPart): undefined {
  if (!part.text.startsWith("`") && !/^\$\((?!\()/.test(part.text)) {
    return refuse(walk, "it uses a form of substitution that shells read differently");
  }
  if (part.text.startsWith("`") && part.text.includes("\\")) {
    return refuse(walk, "it has a backslash inside backticks");
  }
  if (part.script === undefined) return refuse(walk, "it has a substitution that cannot be read");
  walk.inner(walk, part.script);
}

function walkParameter(walk: Walk, part: ParameterExpansionPart): undefined {
  const { operation } = part;
  const isShared = part.index === undefined && part.prefix !== "!";
  if (!isShared || (operation !== undefined && !SHARED_OPERATIONS.has(operation.type))) {
    return refuse(walk, `it uses ${part.text.slice(0, 20)}, which not every shell has`);
  }
  if (operation === undefined || !("operand" in operation) || operation.operand === undefined) return;
  if (/['"\\{}]/.test(operation.operand.text.replaceAll(/\$\{\w+\}/g, ""))) {
    return refuse(walk, "it has quotes or braces inside ${…}, which shells read differently");
  }
  if (operation.operator.endsWith("=") && steersPrograms(part.parameter)) {
    return refuse(walk, `it sets ${part.parameter}, which changes what programs do`);
  }
  walkParts(walk, operation.operand.parts);
}

/** `"$(cat <<'EOF' … EOF)"` is how people pass several lines: nothing in it is expanded, so it is known. */
function documentText(word: Word): string | null {
  const [quoted, ...others] = word.parts ?? [];
  if (quoted?.type !== "DoubleQuoted" || others.length > 0 || quoted.parts.length !== 1) return null;
  const [part] = quoted.parts;
  if (part?.type !== "CommandExpansion" || part.script?.commands.length !== 1) return null;
  const command = part.script.commands[0]?.command;
  if (command?.type !== "Command" || command.name?.text !== "cat" || command.suffix.length !== 1) return null;
  const [document] = command.suffix;
  if (document?.type !== "HereDoc" || document.delimiter?.quoted !== true || document.operator !== "<<") return null;
  return command.prefix.length === 0 ? document.body.text.replace(/\n+$/, "") : null;
}

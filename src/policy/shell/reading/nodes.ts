/** The walk over the tree of a shell text. Whatever is not known to this file is refused. */
import type {
  Case,
  CommandNode,
  CompoundCommand,
  CompoundList,
  For,
  Function as FunctionNode,
  If,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Redirected,
  Statement,
  Word,
} from "unbash";
import { isBuiltin } from "./builtins.ts";
import { walkCommand } from "./commands.ts";
import { walkRedirection } from "./redirects.ts";
import { inputOf, outputOf } from "./streams.ts";
import { isName, steersPrograms } from "./variables.ts";
import { deeper, refuse, type Walk } from "./walk.ts";
import { wordValue } from "./words.ts";

type Node = CommandNode | PipelineNode | Statement["command"];

const REFUSED: Readonly<Record<string, string>> = {
  TestCommand: "it uses [[ ]], which not every shell has",
  ArithmeticCommand: "it uses (( )), which shells read differently",
  ArithmeticFor: "it uses for (( )), which not every shell has",
  Select: "it uses select, which not every shell has",
  Coproc: "it uses coproc, which not every shell has",
};

export function walkScript(walk: Walk, script: ParsedScript): undefined {
  const [error] = script.errors ?? [];
  if (error !== undefined) refuse(walk, `it cannot be read: ${error.message}`);
  walkList(walk, script);
}

function walkList(walk: Walk, { commands }: Pick<CompoundList, "commands">): undefined {
  deeper(walk, () => {
    reading(walk, commands.length === 1 ? walk.input : shared(walk), () =>
      walkNodes(
        walk,
        commands.map(({ command }) => command),
      ),
    );
  });
}

function walkNode(walk: Walk, node: Node): undefined {
  const refused = REFUSED[node.type];
  if (refused !== undefined) return refuse(walk, refused);
  switch (node.type) {
    case "Command":
      return walkCommand(walk, node);
    case "Pipeline":
      return walkPipeline(walk, node);
    case "AndOr":
      return reading(walk, shared(walk), () => walkNodes(walk, node.commands));
    case "Redirected":
      return walkRedirected(walk, node);
    case "Function":
      return walkFunction(walk, node);
    default:
      return walkCompound(walk, node as CompoundCommand);
  }
}

function walkNodes(walk: Walk, nodes: readonly Node[]): undefined {
  for (const node of nodes) walkNode(walk, node);
}

/** Several commands share one standard input: how much of it each of them reads is not known. */
function shared({ input }: Walk): null | undefined {
  return input === undefined ? undefined : null;
}

/** Walks what reads `input`. */
function reading(walk: Walk, input: Walk["input"], visit: () => void): undefined {
  const before = walk.input;
  walk.input = input;
  visit();
  walk.input = before;
}

function walkRedirected(walk: Walk, { command, redirects }: Redirected): undefined {
  reading(walk, inputOf(walk, redirects, walk.input), () => walkNode(walk, command));
  for (const redirect of redirects) walkRedirection(walk, redirect);
}

/** Where `time` is no word of the shell it is a program, which is started with the words that follow. */
function walkPipeline(walk: Walk, { prefixes, commands, operators }: Pipeline): undefined {
  if (operators.includes("|&")) return refuse(walk, "it uses |&, which not every shell has");
  const time = prefixes.find((prefix) => prefix.type === "Time");
  const [first, ...others] = commands;
  if (time === undefined) return walkPiped(walk, commands);
  const isPlain = prefixes.at(-1) === time && time.endOfOptions === undefined && first?.type === "Command";
  if (!isPlain) return refuse(walk, "it times more than one plain command, which shells read differently");
  walkCommand(walk, first, time.posix === undefined ? ["time"] : ["time", "-p"]);
  reading(walk, outputOf(walk, first, walk.input), () => walkPiped(walk, others));
}

/** Each reads what the one before it writes. */
function walkPiped(walk: Walk, commands: readonly CommandNode[]): undefined {
  let { input } = walk;
  for (const [at, command] of commands.entries()) {
    reading(walk, input, () => walkNode(walk, command));
    if (at < commands.length - 1) input = outputOf(walk, command, input);
  }
}

function walkCompound(walk: Walk, node: CompoundCommand): undefined {
  switch (node.type) {
    case "Subshell":
    case "BraceGroup":
      return walkList(walk, node.body);
    case "If":
      return walkIf(walk, node);
    case "While":
      return again(walk, () => {
        walkList(walk, node.clause);
        walkList(walk, node.body);
      });
    case "For":
      return walkFor(walk, node);
    case "Case":
      return walkCase(walk, node);
    default:
      // What is left has come with an error of the parser, and the text has been refused.
      return;
  }
}

function walkIf(walk: Walk, node: If): undefined {
  for (const branch of [node, ...node.elif]) {
    walkList(walk, branch.clause);
    walkList(walk, branch.then);
  }
  if (node.else !== undefined) walkList(walk, node.else);
}

function walkFor(walk: Walk, { name, wordlist, body }: For): undefined {
  if (steersPrograms(name.text)) refuse(walk, `it sets ${name.text}, which changes what programs do`);
  walkWords(walk, wordlist ?? []);
  again(walk, () => walkList(walk, body));
}

function walkCase(walk: Walk, { word, items }: Case): undefined {
  walkWords(walk, [word]);
  for (const { pattern, body, terminator } of items) {
    walkWords(walk, pattern);
    if (terminator !== undefined && terminator !== ";;")
      refuse(walk, `it uses ${terminator}, which not every shell has`);
    walkList(walk, body);
  }
}

function walkWords(walk: Walk, words: readonly Word[]): undefined {
  for (const word of words) wordValue(walk, word);
}

/** Calls of a function stay in the list of commands: nobody knows whether it is defined by then. */
function walkFunction(walk: Walk, { name, pos, body }: FunctionNode): undefined {
  if (pos !== name.pos) return refuse(walk, "it uses the word function, which not every shell has");
  if (!isName(name.text) || isBuiltin(name.text) || name.text === "cat" || name.text.startsWith("command_not_found")) {
    return refuse(walk, `it defines ${name.text}, which changes what the rest means`);
  }
  // A body of any other kind comes with an error, and has been refused.
  again(walk, () => walkNode(walk, body as CompoundCommand | Redirected));
}

function again(walk: Walk, visit: () => void): undefined {
  walk.repeats += 1;
  reading(walk, shared(walk), visit);
  walk.repeats -= 1;
}

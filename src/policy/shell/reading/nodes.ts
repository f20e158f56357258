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
  if (error !== undefined) return refuse(walk, `it cannot be read: ${error.message}`);
  walkList(walk, script);
}

function walkList(walk: Walk, { commands }: Pick<CompoundList, "commands">): undefined {
  deeper(walk, () => {
    walkNodes(
      walk,
      commands.map(({ command }) => command),
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
      return walkNodes(walk, node.commands);
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

function walkRedirected(walk: Walk, { command, redirects }: Redirected): undefined {
  walkNode(walk, command);
  for (const redirect of redirects) walkRedirection(walk, redirect);
}

/** Where `time` is no word of the shell it is a program, which is started with the words that follow. */
function walkPipeline(walk: Walk, { prefixes, commands, operators }: Pipeline): undefined {
  if (operators.includes("|&")) return refuse(walk, "it uses |&, which not every shell has");
  const time = prefixes.find((prefix) => prefix.type === "Time");
  const [first, ...others] = commands;
  if (time === undefined) return walkNodes(walk, commands);
  const isPlain = prefixes.at(-1) === time && time.endOfOptions === undefined && first?.type === "Command";
  if (!isPlain) return refuse(walk, "it times more than one plain command, which shells read differently");
  walkCommand(walk, first, time.posix === undefined ? ["time"] : ["time", "-p"]);
  walkNodes(walk, others);
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
    default:
      return walkCase(walk, node as Case);
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
  // A body of any other kind comes with an error, and is refused before.
  again(walk, () => walkNode(walk, body as CompoundCommand | Redirected));
}

function again(walk: Walk, visit: () => void): undefined {
  walk.repeats += 1;
  visit();
  walk.repeats -= 1;
}

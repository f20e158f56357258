/** Argument lists of tools that start others → what they start, one step at a time. Of a tool that nobody has described only rules that ask or deny look at the words. */

import { baseOf, plainName } from "../patterns/argv.ts";
import type { Argv, Opaque, Respelled, Start, Unwrapped, Wrapper } from "./facts.ts";
import { FILES } from "./tools/files.ts";
import { GIT_COMMANDS, git } from "./tools/git.ts";
import { LANGUAGES } from "./tools/languages.ts";
import { LAUNCHERS } from "./tools/launchers.ts";
import { OPAQUE } from "./tools/opaque.ts";
import { guessed, opaque, PLAIN, type Tool, UNDESCRIBED } from "./tools/options.ts";
import { OWN_WORK } from "./tools/own-work.ts";
import { PACKAGES } from "./tools/packages.ts";
import { PLACES } from "./tools/places.ts";
import { SHELLS } from "./tools/shells.ts";

export const TOOLS: ReadonlyMap<string, Tool> = new Map(
  Object.entries({ ...OPAQUE, ...FILES, ...LANGUAGES, ...LAUNCHERS, ...SHELLS, ...PLACES, ...PACKAGES, git }).map(
    ([name, tool]) => [name.toLowerCase(), tool],
  ),
);
/** Where the tools of a system lie. A tool of the same name elsewhere is another program. */
const SYSTEM = /^(\/usr)?(\/local)?\/s?bin\/[^/]+$/;
const GIT_PROGRAM = /^git-([a-z][a-z-]*)$/;

type Started = Opaque | Respelled | Wrapper;

/** What a program starts itself; a wrapper inside is one more step. */
export function unwrap({ argv, input }: Start): Unwrapped {
  const [program, ...args] = argv;
  if (program === null || program === undefined) return opaque("which program runs is not known");
  const [name, tool] = toolOf(program);
  if (tool === undefined) return isOwnWork(program) ? PLAIN : UNDESCRIBED;
  const own = tool(args, name, input);
  if (own.kind === "plain" || own.kind === "undescribed") return own;
  const found = underProgram(own, name, program);
  const isElsewhere = program.includes("/") && !SYSTEM.test(program);
  if (!isElsewhere || found.kind === "opaque") return found;
  // It may be another program: what it would start is judged, and allows nothing.
  const why = `${program.slice(0, 40)} only has the name of ${name}`;
  if (found.kind === "respelled") return opaque(why, found.spellings);
  const all = guessed(why, args, input);
  return { ...all, texts: [...all.texts, ...found.scripts] };
}

/** Tools speak of themselves by their plain name; rules see the program as it was written. */
function underProgram(found: Started, name: string, program: string): Started {
  if (name === program) return found;
  const written = (argv: Argv): Argv => (argv[0] === name ? [program, ...argv.slice(1)] : argv);
  if (found.kind === "respelled") {
    const [plain, ...others] = found.spellings;
    return { ...found, spellings: [written(plain), ...others.map(written)] };
  }
  return found.guesses === undefined ? found : { ...found, guesses: found.guesses.map(written) };
}

/** Only such a name is looked at again: every word of every command may come here. */
const ENDS_ODDLY = /[-\d.]$|^git-/;

function isOwnWork(program: string): boolean {
  return OWN_WORK.has(program) || (SYSTEM.test(program) && OWN_WORK.has(baseOf(program)));
}

/** Somebody has said what the program does with what it is given. */
export function isDescribed(program: string): boolean {
  return toolOf(program)[1] !== undefined;
}

/** `python3.12` is python, `BASH.EXE` is bash, `git-push` is git. */
function toolOf(program: string): [name: string, tool: Tool | undefined] {
  const name = plainName(program);
  if (TOOLS.has(name)) return [name, TOOLS.get(name)];
  if (!ENDS_ODDLY.test(name)) return [name, undefined];
  const command = GIT_PROGRAM.exec(name)?.[1];
  if (command !== undefined && GIT_COMMANDS.has(command)) return [name, gitProgram(command)];
  const plain = name.replace(/[-\d.]+$/, "");
  return [plain, TOOLS.get(plain)];
}

/** `git-push` is how git calls one of its own parts. */
function gitProgram(command: string): Tool {
  return (args) => ({ kind: "respelled", spellings: [["git", command, ...args]], isHarmless: false });
}

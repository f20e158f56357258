/** Argument lists of tools that start others → what they start, one step at a time. A tool that nobody has described does its own work. */
import type { Argv, Start, Unwrapped } from "./facts.ts";
import { FILES } from "./tools/files.ts";
import { GIT_COMMANDS, git } from "./tools/git.ts";
import { LANGUAGES } from "./tools/languages.ts";
import { LAUNCHERS } from "./tools/launchers.ts";
import { OPAQUE } from "./tools/opaque.ts";
import { guessed, opaque, PLAIN, type Tool } from "./tools/options.ts";
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

/** What a program starts itself; a wrapper inside is one more step. */
export function unwrap({ argv, input }: Start): Unwrapped {
  const [program, ...args] = argv;
  if (program === null || program === undefined) return opaque("which program runs is not known");
  const [name, tool] = toolOf(program);
  if (tool === undefined) return PLAIN;
  const found = underProgram(tool(args, name, input), name, program);
  const isElsewhere = program.includes("/") && !SYSTEM.test(program);
  if (!isElsewhere || found.kind === "plain" || found.kind === "opaque") return found;
  // It may be another program: what it would start is judged, and allows nothing.
  const why = `${program.slice(0, 40)} only has the name of ${name}`;
  if (found.kind === "respelled") return opaque(why, found.spellings);
  const all = guessed(why, args, input);
  return { ...all, texts: [...all.texts, ...found.scripts] };
}

/** Tools speak of themselves by their plain name; rules see the program as it was written. */
function underProgram(found: Unwrapped, name: string, program: string): Unwrapped {
  if (name === program || found.kind === "plain") return found;
  const written = (argv: Argv): Argv => (argv[0] === name ? [program, ...argv.slice(1)] : argv);
  if (found.kind === "respelled") {
    const [plain, ...others] = found.spellings;
    return { ...found, spellings: [written(plain), ...others.map(written)] };
  }
  return found.guesses === undefined ? found : { ...found, guesses: found.guesses.map(written) };
}

/** `python3.12` is python, `BASH.EXE` is bash, `git-push` is git. */
function toolOf(program: string): [name: string, tool: Tool | undefined] {
  const name = program
    .slice(program.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");
  if (TOOLS.has(name)) return [name, TOOLS.get(name)];
  const command = GIT_PROGRAM.exec(name)?.[1];
  if (command !== undefined && GIT_COMMANDS.has(command)) return [name, gitProgram(command)];
  const plain = name.replace(/[-\d.]+$/, "");
  return [plain, TOOLS.get(plain)];
}

/** `git-push` is how git calls one of its own parts. */
function gitProgram(command: string): Tool {
  return (args) => ({ kind: "respelled", spellings: [["git", command, ...args]], isHarmless: false });
}

/** Argument lists of tools that start others → what they start. A tool that nobody has described as such does its own work. */
import type { Argv, Unwrapped } from "./facts.ts";
import { FILES } from "./tools/files.ts";
import { git } from "./tools/git.ts";
import { LANGUAGES } from "./tools/languages.ts";
import { LAUNCHERS } from "./tools/launchers.ts";
import { OPAQUE } from "./tools/opaque.ts";
import { opaque, PLAIN, type Tool } from "./tools/options.ts";
import { PACKAGES } from "./tools/packages.ts";

const DEEPEST = 8;
const TOOLS: ReadonlyMap<string, Tool> = new Map(
  Object.entries({ ...OPAQUE, ...FILES, ...LANGUAGES, ...LAUNCHERS, ...PACKAGES, git }).map(([name, tool]) => [
    name.toLowerCase(),
    tool,
  ]),
);
/** Where the tools of a system lie. A tool of the same name elsewhere is another program. */
const SYSTEM = /^(\/usr)?(\/local)?\/s?bin\/[^/]+$/;

/** Wrappers inside wrappers are seen through: `inner` holds only programs that do their own work. */
export function unwrap(argv: Argv): Unwrapped {
  return unwrapAt(argv, 0);
}

function unwrapAt(argv: Argv, depth: number): Unwrapped {
  const [program, ...args] = argv;
  if (program === null || program === undefined) return opaque("which program runs is not known");
  const [name, tool] = toolOf(program);
  if (tool === undefined) return PLAIN;
  const found = tool(args, name);
  if (found.kind !== "wrapper") return found;
  if (program.includes("/") && !SYSTEM.test(program))
    return opaque(`${program.slice(0, 40)} only has the name of ${name}`);
  if (depth >= DEEPEST) return opaque("too many programs start one another");
  return together(
    found.script,
    found.inner.map((inner) => [inner, unwrapAt(inner, depth + 1)] as const),
  );
}

/** `python3.12` is python, `BASH.EXE` is bash. */
function toolOf(program: string): [name: string, tool: Tool | undefined] {
  const name = program
    .slice(program.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/\.exe$/, "");
  const plain = name.replace(/[-\d.]+$/, "");
  return TOOLS.has(name) ? [name, TOOLS.get(name)] : [plain, TOOLS.get(plain)];
}

function together(script: string | undefined, found: readonly (readonly [Argv, Unwrapped])[]): Unwrapped {
  const inner: Argv[] = [];
  const scripts = script === undefined ? [] : [script];
  for (const [argv, below] of found) {
    if (below.kind === "opaque") return below;
    if (below.kind === "plain") inner.push(argv);
    else {
      inner.push(...below.inner);
      if (below.script !== undefined) scripts.push(below.script);
    }
  }
  if (scripts.length > 1) return opaque("it starts more than one shell");
  return { kind: "wrapper", inner, ...(scripts[0] === undefined ? {} : { script: scripts[0] }) };
}

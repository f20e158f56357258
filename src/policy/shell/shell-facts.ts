/** Shell text → every command it may run and every file it opens, for bash and for any other POSIX shell alike, or why that cannot be told. */
import { parse } from "unbash";
import type { ShellFacts } from "./facts.ts";
import { walkScript } from "./reading/nodes.ts";
import { problemOfText } from "./reading/text.ts";
import { factsOf, newWalk } from "./reading/walk.ts";

export function shellFacts(script: string): ShellFacts {
  const problem = problemOfText(script);
  if (problem !== undefined) return { ok: false, why: problem, commands: [], files: [] };
  const walk = newWalk(script, walkScript);
  walkScript(walk, parse(script));
  return factsOf(walk);
}

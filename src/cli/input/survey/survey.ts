/** What a repository tells about itself. Nothing of it is executed; agents that are installed are asked for their version. */
import type { AgentHere } from "../../../runtime/agents/agents-here.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { type FoundCommand, findTestCommand } from "../../../runtime/survey/find-test-command.ts";
import { findCi } from "./find-ci.ts";
import { findLintCommand } from "./find-lint-command.ts";
import { type FoundWorkspace, findWorkspace } from "./find-workspace.ts";

export interface FoundLoop {
  readonly name: string;
  readonly key: "blueprint" | "pattern" | "workspace";
  readonly source: string;
}

export interface Survey {
  readonly test: FoundCommand | null;
  readonly lint: FoundCommand | null;
  readonly ci: readonly string[];
  readonly workspace: FoundWorkspace;
  readonly agents: readonly AgentHere[];
  /** The first that is installed and has a key. */
  readonly agent: AgentHere | null;
  /** Blueprints, patterns and workspaces that lie there. */
  readonly loops: readonly FoundLoop[];
}

export async function survey(
  root: string,
  runtime: Pick<Runtime, "agentsHere" | "blueprints" | "foreign" | "compile">,
  given: readonly string[],
): Promise<Survey> {
  const agents = await runtime.agentsHere();
  const test = given.length > 0 ? { argv: given, from: "the command line" } : await findTestCommand(root);
  return {
    test: test ?? null,
    lint: (await findLintCommand(root)) ?? null,
    ci: await findCi(root),
    workspace: await findWorkspace(root),
    agents,
    agent: agents.find(({ hasKey }) => hasKey) ?? null,
    loops: await findLoops(runtime),
  };
}

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Only what compiles as it is: a loop that could not run would be no help. */
async function findLoops(runtime: Pick<Runtime, "blueprints" | "foreign" | "compile">): Promise<readonly FoundLoop[]> {
  const found: FoundLoop[] = [];
  const taken = new Set<string>();
  for (const file of [...(await runtime.blueprints()), ...(await runtime.foreign())]) {
    if (file.problems.length > 0) continue;
    const { plan } = await runtime.compile(file.path, { level: "L1" });
    if (!plan.ok) continue;
    // What has only a path for a name is called as its plan is.
    const name = NAME.test(file.name) ? file.name : plan.value.name;
    if (taken.has(name)) continue;
    taken.add(name);
    found.push({ name, ...sourceOf(file.door, file.path) });
  }
  return found;
}

function sourceOf(door: string | undefined, path: string): Pick<FoundLoop, "key" | "source"> {
  if (door === "pattern") return { key: "pattern", source: path.replace(/^pattern:/, "") };
  return { key: door === "openloop" ? "workspace" : "blueprint", source: path };
}

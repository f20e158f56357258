/** What a repository tells about itself. Nothing of it is executed; agents that are installed are asked for their version. */
import type { Diagnostic } from "../../../base/diagnostic.ts";
import { failed, type Result } from "../../../base/result.ts";
import type { Plan } from "../../../plan/plan.ts";
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

/** What lies there and could not run, with why. */
export interface BrokenLoop {
  readonly source: string;
  readonly problems: readonly Diagnostic[];
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
  readonly broken: readonly BrokenLoop[];
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
    ...(await findLoops(runtime)),
  };
}

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;

/** Only what compiles as it is becomes a loop: one that could not run would be no help. */
async function findLoops(
  runtime: Pick<Runtime, "blueprints" | "foreign" | "compile">,
): Promise<Pick<Survey, "loops" | "broken">> {
  const loops: FoundLoop[] = [];
  const broken: BrokenLoop[] = [];
  const taken = new Set<string>();
  for (const file of [...(await runtime.blueprints()), ...(await runtime.foreign())]) {
    const { key, source } = sourceOf(file.door, file.path);
    const plan = file.problems.length > 0 ? failed(file.problems) : await planOf(runtime, file.path);
    if (!plan.ok) {
      broken.push({ source, problems: plan.problems });
      continue;
    }
    // What has only a path for a name is called as its plan is.
    const name = NAME.test(file.name) ? file.name : plan.value.name;
    if (taken.has(name)) continue;
    taken.add(name);
    loops.push({ name, key, source });
  }
  return { loops, broken };
}

async function planOf(runtime: Pick<Runtime, "compile">, path: string): Promise<Result<Plan>> {
  return (await runtime.compile(path, { level: "L1" })).plan;
}

function sourceOf(door: string | undefined, path: string): Pick<FoundLoop, "key" | "source"> {
  if (door === "pattern") return { key: "pattern", source: path.replace(/^pattern:/, "") };
  return { key: door === "openloop" ? "workspace" : "blueprint", source: path };
}

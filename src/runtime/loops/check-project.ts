/** What doctor says of `pawl.yaml`: every problem with its place, and for each loop whether it could run, and when it is due. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { sha256Short } from "../../base/digest.ts";
import { canonical } from "../../base/json.ts";
import type { Loop, ProjectFile } from "../../blueprint/project/project-file.ts";
import { triggerText } from "../../blueprint/project/trigger-text.ts";
import type { Plan } from "../../plan/plan.ts";
import type { AgentBackends } from "../../ports/agents/agent-backend.ts";
import type { Standing } from "../../ports/loops/slots.ts";
import { missingAgents } from "../agents/missing-agents.ts";
import type { Compiled, DoctorCheck, Runtime } from "../runtime.ts";
import { nextTimeOf } from "../serve/next-time.ts";
import { loadProject, PROJECT_FILE } from "./load-project.ts";
import { loopOptions } from "./loop-options.ts";

export interface ProjectChecks extends Pick<Runtime, "compile" | "earned"> {
  readonly root: string;
  readonly agents: AgentBackends;
  readonly now: number;
  /** How loops stand, as whoever serves has stored it. */
  readonly standings: () => Promise<readonly Standing[]>;
}

type Lack = readonly [what: string, hint: string | null];
/** What the plan of a loop tells of whether it could run. */
type Outlook = { readonly problems: readonly Diagnostic[]; readonly lacks: readonly Lack[] };

export async function projectChecks(parts: ProjectChecks): Promise<readonly DoctorCheck[]> {
  const { file } = await loadProject(parts.root);
  if (file === null) {
    const detail = "none: runs are started by the path or the name of a blueprint";
    return [{ name: PROJECT_FILE, status: "ok", detail, hint: "`pawl init` writes one." }];
  }
  if (!file.ok) return file.problems.map((problem) => failure(PROJECT_FILE, problem));
  const known = new Map((await parts.standings()).map((standing) => [standing.loop, standing]));
  const checks = [fileCheck(file.value)];
  const outlookOf = createOutlook(parts);
  // One after the other: there may be thousands, and each plan takes its memory.
  for (const loop of file.value.loops)
    checks.push(...loopChecks(parts, loop, await outlookOf(loop), known.get(loop.name)));
  return checks;
}

function fileCheck({ loops, lanes }: ProjectFile): DoctorCheck {
  const detail = `${loops.length} ${loops.length === 1 ? "loop" : "loops"}, ${lanes.length} ${lanes.length === 1 ? "lane" : "lanes"}`;
  return { name: PROJECT_FILE, status: "ok", detail, hint: null };
}

/** Loops that run the same in the same way have one plan; of ten thousand loops a few are different. The plan itself is not kept. */
function createOutlook({ compile, ...parts }: ProjectChecks): (loop: Loop) => Promise<Outlook> {
  const known = new Map<string, Outlook>();
  return async (loop) => {
    const { name, source, level, params, agent } = loop;
    // What comes with Pawl has the name of its loop.
    const key = sha256Short(canonical([source, level, params, agent, source.startsWith("builtin:") ? name : null]));
    const outlook = known.get(key) ?? (await outlookOf(await compile(source, loopOptions(loop)), parts));
    known.set(key, outlook);
    return outlook;
  };
}

async function outlookOf(
  { plan }: Compiled,
  { agents, earned }: Pick<ProjectChecks, "agents" | "earned">,
): Promise<Outlook> {
  if (!plan.ok) return { problems: plan.problems, lacks: [] };
  const missing = await missingAgents(agents, plan.value);
  const lacks = missing.map(({ agent, hint }): Lack => [`the agent ${agent} is not installed`, hint]);
  return { problems: [], lacks: [...lacks, ...(await unearned(plan.value, earned))] };
}

/** A run above the earned level does not begin. A state that cannot be read is told by another check. */
async function unearned(plan: Plan, earned: ProjectChecks["earned"]): Promise<readonly Lack[]> {
  const report = plan.level <= "L1" ? null : await earned(plan).catch(() => null);
  if (report === null || report.isEarned) return [];
  const what = `${plan.level} is not earned, and no run of it begins: the earned level is ${report.earned}`;
  return [[what, `Lower its \`level\` until \`pawl level\` says ${plan.level}: it shows which evidence is missing.`]];
}

function loopChecks(
  parts: Pick<ProjectChecks, "root" | "now">,
  loop: Loop,
  outlook: Outlook,
  standing: Standing | undefined,
): readonly DoctorCheck[] {
  const { name, level, source, where } = loop;
  const title = `loop ${name}`;
  if (outlook.problems.length > 0) return outlook.problems.map((problem) => failure(title, { where, ...problem }));
  const place = `${where.file}:${where.line}:${where.column}`;
  const lacks = [...outlook.lacks];
  const secret = loop.trigger?.kind === "webhook" ? resolve(parts.root, loop.trigger.secretFile) : null;
  if (secret !== null && !existsSync(secret)) lacks.push([`there is no file ${secret}`, "Write the secret into it."]);
  if (lacks.length > 0)
    return lacks.map(([what, hint]) => ({ name: title, status: "fail", detail: `${place} ${what}`, hint }));
  const next = nextTimeOf(loop, standing, parts.now);
  const detail = `${level}, ${triggerText(loop.trigger)}, ${source}${next === null ? "" : `; ${next.text}`}`;
  const hint = "Start `pawl serve`, or what starts it: nothing runs by itself without it.";
  return [
    next?.isLate === true
      ? { name: title, status: "warn", detail, hint }
      : { name: title, status: "ok", detail, hint: null },
  ];
}

function failure(name: string, { where, what, hint }: Diagnostic): DoctorCheck {
  const place = where === undefined ? "" : `${where.file}:${where.line}:${where.column} `;
  return { name, status: "fail", detail: `${place}${what}`, hint };
}

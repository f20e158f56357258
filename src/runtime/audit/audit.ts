/** The audit of the loops of a project: how ready it is, where its files disagree, which state has gone bad. Writes nothing. */
import { driftOf, patternOf } from "../../loops/audit/drift.ts";
import { readinessOf } from "../../loops/audit/readiness.ts";
import { MAX_AGE_DAYS, pathsOf, rottenItems } from "../../loops/audit/rot.ts";
import type { DrillRecord } from "../../ports/store/evidence.ts";
import { blueprintFiles } from "../blueprint-files.ts";
import type { Runtime } from "../runtime.ts";
import type { AuditReport, RotFound } from "./audit-report.ts";
import { gonePaths } from "./gone-paths.ts";
import { type LoopProject, readLoopProject } from "./loop-project.ts";
import { readinessFacts } from "./readiness-facts.ts";

export interface AuditParts {
  readonly root: string;
  readonly now: number;
  readonly evidence: Runtime["evidence"];
}

export async function audit({ root, now, evidence }: AuditParts): Promise<AuditReport> {
  const loops = await readLoopProject(root);
  const drills: DrillRecord[] = [];
  for (const blueprint of activeLoops(loops)) {
    const { records } = await evidence({ blueprint, kind: "drill", limit: 1 });
    drills.push(...(records as readonly DrillRecord[]));
  }
  return {
    readiness: readinessOf({ ...(await readinessFacts(root, now, loops)), drills }),
    ...(await findings(root, now, loops)),
  };
}

export async function findings(root: string, now: number, loops: LoopProject): Promise<Omit<AuditReport, "readiness">> {
  const { loopFile, patterns, project, limits, states, deviations, problems, sources } = loops;
  const blueprints = (await blueprintFiles(root)).map(({ name }) => name);
  const facts = { now, loopFile: loopFile?.file ?? null, patterns, project, limits, states, blueprints };
  const schema = deviations.map(({ what, hint, where }) => ({ where: `${where?.file}:${where?.line}`, what, hint }));
  return { drift: [...schema, ...driftOf(facts)], rot: await rotOf(root, now, loops), problems, sources };
}

async function rotOf(root: string, now: number, { states }: LoopProject): Promise<readonly RotFound[]> {
  const gone = await gonePaths(root, Object.values(states).flatMap(pathsOf));
  const rules = { now, maxAgeDays: MAX_AGE_DAYS, isGone: (path: string) => gone.has(path) };
  return Object.entries(states).flatMap(([file, state]) =>
    rottenItems(state, rules).map(({ item, why }) => ({ where: `${file}:${item.line}`, id: item.id, why })),
  );
}

/** By the names that their blueprints have. */
function activeLoops({ loopFile, patterns, project }: LoopProject): ReadonlySet<string> {
  const named = (loopFile?.file.loops ?? []).flatMap(({ name }) => patternOf(name, patterns ?? [])?.id ?? []);
  const ours = (project?.loops ?? []).map(({ kind, name, source }) =>
    kind === "pattern" ? source.replace(/^pattern:/, "") : name,
  );
  return new Set([...named, ...ours]);
}

/** The score alone, for a run that is to be started. */
export async function readinessScore(root: string, now: number): Promise<number> {
  return readinessOf({ ...(await readinessFacts(root, now, await readLoopProject(root))), drills: [] }).score;
}

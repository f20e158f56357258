/** The audit of the loops of a project: how ready it is, where its files disagree, which state has gone bad. Writes nothing. */
import { slugOf } from "../../blueprint/dialects/loop-engineering/slug.ts";
import { type Pattern, parseRegistry } from "../../blueprint/dialects/registry.ts";
import { driftOf, patternOf } from "../../loops/audit/drift.ts";
import { readinessOf } from "../../loops/audit/readiness.ts";
import { MAX_AGE_DAYS, pathsOf, rottenItems } from "../../loops/audit/rot.ts";
import type { DrillRecord } from "../../ports/store/evidence.ts";
import { blueprintFiles, blueprintName } from "../blueprints/blueprint-files.ts";
import type { Runtime } from "../runtime.ts";
import type { AuditReport, RotFound } from "./audit-report.ts";
import { gonePaths } from "./gone-paths.ts";
import { type LoopProject, readLoopProject } from "./loop-project.ts";
import { readinessFacts } from "./readiness-facts.ts";

const PATTERN = "pattern:";

export interface AuditParts {
  readonly root: string;
  readonly now: number;
  readonly evidence: Runtime["evidence"];
}

export async function audit({ root, now, evidence }: AuditParts): Promise<AuditReport> {
  const loops = await readLoopProject(root);
  const drills: (DrillRecord | null)[] = [];
  for (const blueprint of await activeLoops(root, loops)) {
    const { records } = blueprint === null ? { records: [] } : await evidence({ blueprint, kind: "drill", limit: 1 });
    drills.push((records[0] as DrillRecord | undefined) ?? null);
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

/** By the names that their blueprints have; null: one that cannot be run, and so was never drilled. */
async function activeLoops(
  root: string,
  { loopFile, patterns, project }: LoopProject,
): Promise<ReadonlySet<string | null>> {
  const active = new Set<string | null>();
  const known = patterns ?? (await shippedPatterns());
  const loops = project?.loops ?? [];
  const own = new Set(loops.map(({ name }) => name));
  for (const { name } of loopFile?.file.loops ?? [])
    if (!own.has(slugOf(name))) active.add(patternOf(name, known)?.id ?? null);
  for (const source of new Set(loops.map((loop) => loop.source)))
    active.add(source.startsWith(PATTERN) ? source.slice(PATTERN.length) : await blueprintName(root, source));
  return active;
}

/** A project without a registry has them. */
async function shippedPatterns(): Promise<readonly Pattern[]> {
  const { SHIPPED, SHIPPED_REGISTRY } = await import("../../blueprint/dialects/patterns/shipped-registry.ts");
  const read = parseRegistry(SHIPPED_REGISTRY, SHIPPED, "lenient");
  return read.ok ? read.value : [];
}

/** The score alone, for a run that is to be started. */
export async function readinessScore(root: string, now: number): Promise<number> {
  return readinessOf({ ...(await readinessFacts(root, now, await readLoopProject(root))), drills: [] }).score;
}

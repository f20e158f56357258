/**
 * Drills: changes that are known to be bad or harmless are planted in the tree that a run would start from, each in a tree of the vault,
 * and the gates of the plan judge them. Nothing is laid out but the checkouts of the gates, and nothing of a drill becomes work.
 */
import { pawlError } from "../../base/errors.ts";
import { formatEvidenceId, formatRunId, type RunId } from "../../base/ids.ts";
import { gatesDigest } from "../../gates/certificate/digests.ts";
import { catalogue, filesToRead } from "../../loops/drill/catalogue.ts";
import { type DrillPlan, drillPlan } from "../../loops/drill/drill-plan.ts";
import type { GivenPatch } from "../../loops/drill/patch-plants.ts";
import type { Plant } from "../../loops/drill/plant.ts";
import { isRight, type PlantEnd, scoreOf, type Tried, verdictOf } from "../../loops/drill/score.ts";
import type { Plan } from "../../plan/plan.ts";
import { needsTree } from "../../plan/walls.ts";
import type { Engine } from "../../ports/engine.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Trees } from "../../ports/trees.ts";
import { isTerminal } from "../../run/reasons.ts";
import { RUNTIME_ERRORS } from "../errors.ts";
import { type LaunchParts, requireNoSecret, requireWalls } from "../launch.ts";
import { readEvents } from "../past.ts";
import type { Baseline, DrillOptions, DrillReport } from "../runtime.ts";

export interface DrillParts extends LaunchParts {
  readonly trees: Trees;
  /** Where in its repository the project lies. */
  readonly projectFolder: string;
}

interface Open {
  readonly store: Store;
  readonly engine: Engine;
}

/** A drill of fewer plants than this says too little, unless there are no more. */
export const ENOUGH_PLANTS = 20;
const MOST_TEXT_BYTES = 256 << 10;

/** One drill under way. */
interface Drill extends Open {
  readonly parts: DrillParts;
  readonly id: string;
  readonly base: string;
  readonly options: DrillOptions;
}

export async function drill(parts: DrillParts, open: Open, plan: Plan, options: DrillOptions): Promise<DrillReport> {
  const made = drillPlan(plan);
  const { plan: strict } = made;
  if (strict === null) throw pawlError(RUNTIME_ERRORS, "DRILL_GATES_MISSING", { blueprint: plan.name });
  if (strict.workspace === null || !needsTree(strict))
    throw pawlError(RUNTIME_ERRORS, "DRILL_TREE_MISSING", { blueprint: plan.name });
  requireNoSecret(parts, strict);
  await requireWalls(parts, strict, options);
  await endLost(parts, open, plan, options.by);
  const base = await parts.workspaces.base(strict.workspace, parts.clock.now());
  const under: Drill = { ...open, parts, id: formatEvidenceId(parts.randomBytes(12)), base, options };
  const { plants, untried, leftOut } = await plantsFor(under, plan);
  const { baseline, judging } = await findBaseline(under, made);
  if (baseline !== null) options.onBaseline?.(baseline);
  const tried: Tried[] = [];
  for (const plant of baseline?.ok === true ? plants : []) {
    const one = options.signal.aborted ? null : await tryPlant(under, judging, plant);
    if (one === null) break;
    tried.push(one);
    options.onTried?.(one, tried.length, plants.length);
  }
  const report: DrillReport = {
    ...{ id: under.id, blueprint: plan.name, gates: gatesDigest(plan), baseline, tried, leftOut },
    untried: [...made.untried, ...untried],
    approvals: made.approvals,
    score: scoreOf(tried),
    unrecorded: whyUnrecorded({ made, baseline, leftOut, isWhole: tried.length === plants.length }, options),
  };
  if (report.unrecorded === null) await record(under, plan, report);
  return report;
}

interface Facts {
  readonly made: DrillPlan;
  readonly baseline: Baseline | null;
  readonly leftOut: number;
  readonly isWhole: boolean;
}

function whyUnrecorded({ made, baseline, leftOut, isWhole }: Facts, { plants, signal }: DrillOptions): string | null {
  if (signal.aborted) return "it was interrupted";
  if (baseline?.ok !== true) return "the gates do not pass without a change";
  if (!isWhole) return "it came to no end";
  const [gate] = made.untried;
  if (gate !== undefined) return `${gate.what} was not drilled`;
  if (leftOut > 0 && plants < ENOUGH_PLANTS)
    return `fewer than ${ENOUGH_PLANTS} changes were planted, and there are more`;
  return null;
}

async function record({ store, parts, id, options }: Drill, plan: Plan, { gates, score }: DrillReport): Promise<void> {
  const { name: blueprint, fingerprint } = plan;
  const at = parts.clock.now();
  const about = { plan: fingerprint, gates, gatesAtL2: gatesDigest(plan, "L2") };
  await store.evidence.add({ kind: "drill", id, at, blueprint, by: options.by, ...about, ...score });
}

/** What drills that were killed left open: nobody goes on with them. */
async function endLost({ workspaces }: DrillParts, { store, engine }: Open, plan: Plan, by: string): Promise<void> {
  for (const status of ["running", "queued", "waiting"] as const) {
    const { rows } = await store.runs.list({ drills: true, blueprint: plan.name, status, limit: 1000 });
    for (const { run, holder } of rows) {
      if (holder !== null) continue;
      await engine.cancel(run, by);
      await workspaces.drop(run);
    }
  }
}

async function plantsFor({ parts, base, options }: Drill, plan: Plan) {
  const { trees, projectFolder: folder } = parts;
  const project = { paths: Object.keys(await trees.hashes(base, ["**"])), folder };
  const read = async (path: string): Promise<string | null> => {
    // What cannot be read as a text of a fitting size is nothing to plant in.
    const bytes = await trees.read(base, path, MOST_TEXT_BYTES).catch(() => null);
    return bytes === null ? null : new TextDecoder().decode(bytes);
  };
  const own: GivenPatch[] = [];
  for (const name of project.paths.filter((path) => isOwnPatch(path, folder)))
    own.push({ name, text: (await read(name)) ?? "" });
  const patches = [...own, ...options.patches];
  const texts = new Map<string, string>();
  for (const path of filesToRead(plan, project, patches)) {
    const text = await read(path);
    if (text !== null) texts.set(path, text);
  }
  return catalogue(plan, project, texts, { patches, most: options.plants });
}

function isOwnPatch(path: string, folder: string): boolean {
  const begin = folder === "" ? "drills/" : `${folder}/drills/`;
  return path.startsWith(begin) && path.endsWith(".patch");
}

/** The gates must pass without a change; where they ask for an improvement, they are asked for no more than that nothing gets worse. */
async function findBaseline(
  under: Drill,
  { plan, relaxed }: DrillPlan,
): Promise<{ readonly baseline: Baseline | null; readonly judging: Plan }> {
  let judging = plan as Plan;
  let baseline = await judgeBase(under, judging, false);
  if (baseline?.ok === false && relaxed !== null) {
    judging = relaxed;
    baseline = await judgeBase(under, judging, true);
  }
  return { baseline, judging };
}

async function judgeBase(under: Drill, plan: Plan, relaxed: boolean): Promise<Baseline | null> {
  const run = formatRunId(under.parts.randomBytes(12));
  const end = await judge(under, plan, { run, plant: "the tree itself", files: [] });
  if (end === null) return null;
  return { ok: end.status === "succeeded", relaxed, run, gate: end.gate, why: end.why };
}

/** null: the drill was interrupted. */
async function tryPlant(under: Drill, plan: Plan, { id, kind, expect, why, files }: Plant): Promise<Tried | null> {
  const { clock, randomBytes } = under.parts;
  const run = formatRunId(randomBytes(12));
  const from = clock.now();
  const end = await judge(under, plan, { run, plant: id, files });
  if (end === null) return null;
  const verdict = verdictOf(end);
  const plant = { id, kind, expect, why };
  return { plant, verdict, gate: end.gate, ms: clock.now() - from, run, isRight: isRight(plant, verdict) };
}

interface Asked {
  readonly run: RunId;
  readonly plant: string;
  readonly files: Plant["files"];
}

async function judge(
  { parts, store, engine, id, base, options }: Drill,
  plan: Plan,
  { run, plant, files }: Asked,
): Promise<(PlantEnd & { readonly why: string | null }) | null> {
  const { workspaces, trees, clock } = parts;
  if (options.signal.aborted) return null;
  const tree = files.length === 0 ? base : await workspaces.plant(run, { base, files, at: clock.now() });
  const hosted = await engine.start({ run, plan, params: plan.params, tree, base, drill: { id, plant } });
  // It may have ended by itself in the same moment.
  const cancel = (): void => void engine.cancel(run, options.by).catch(() => undefined);
  options.signal.addEventListener("abort", cancel, { once: true });
  if (options.signal.aborted) cancel();
  const end = await hosted.ended;
  options.signal.removeEventListener("abort", cancel);
  if (!isTerminal(end.status) && end.status !== "running") await engine.cancel(run, options.by);
  const { gate, why } = await refusalIn(store, run);
  const planted = new Set(files.map(({ path }) => path));
  const changes = end.status === "succeeded" ? await trees.changes(base, end.tree ?? base) : [];
  const holds = changes.some(({ path, oldPath }) => planted.has(path) || planted.has(oldPath ?? path));
  if (!options.keep && end.status !== "running") await workspaces.drop(run);
  return options.signal.aborted ? null : { status: end.status, reason: end.reason, gate, why, holds };
}

/** The last stage that did not go on, and why. */
async function refusalIn(
  store: Store,
  run: RunId,
): Promise<{ readonly gate: string | null; readonly why: string | null }> {
  for (const event of [...(await readEvents(store, run))].reverse()) {
    if (event.type === "policy.denied" || event.type === "approval.requested")
      return { gate: event.stage, why: event.why };
    if (event.type === "stage.refused") return { gate: event.stage, why: event.error };
    if (event.type === "stage.finished" && event.outcome !== "pass" && event.outcome !== "empty")
      return { gate: event.stage, why: event.error ?? event.cause };
  }
  return { gate: null, why: null };
}

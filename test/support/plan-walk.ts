/**
 * A walk through a plan as a run may go, with the clock, the outcomes and the durations in the hand of chance. It keeps to
 * the caps a run keeps to and to nothing else, so that a worst case can be held against it.
 */
import { ENDING_MS } from "../../src/plan/bound.ts";
import type { Bound, GroupStage, LeafStage, Plan, PlanStage, Target } from "../../src/plan/plan.ts";

export interface Chance {
  /** A whole number from 0 to `most`. */
  readonly upTo: (most: number) => number;
  /** True `percent` times of a hundred. */
  readonly happens: (percent: number) => boolean;
}

/** Numbers that follow from a seed (xorshift). */
export function chance(seed: number): Chance {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
  return { upTo: (most) => next() % (most + 1), happens: (percent) => next() % 100 < percent };
}

class Stopped extends Error {}

function most(cap: number | null): number {
  return cap ?? Number.POSITIVE_INFINITY;
}

interface Lane {
  readonly leaf: LeafStage;
  failures: number;
  readyAt: number;
  endsAt: number | null;
  isDone: boolean;
}

interface Walk {
  readonly plan: Plan;
  readonly chance: Chance;
  /** How likely an attempt fails, and takes all its time. */
  readonly bad: number;
  started: number;
  total: { -readonly [K in keyof Bound]: number };
}

/** What one run came to. */
export function walkPlan(plan: Plan, random: Chance, bad: number): Bound {
  const total = { stages: 0, wallMs: 0, tokens: 0, microUsd: 0, spawns: 0, turns: 0 };
  const walk: Walk = { plan, chance: random, bad, started: 0, total };
  try {
    follow(walk);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
  const { wallMs } = plan.limits;
  return { ...walk.total, wallMs: Math.min(walk.total.wallMs, most(wallMs)) };
}

function follow(walk: Walk): void {
  const { plan } = walk;
  const visits = new Map<string, number>();
  let round = 1;
  let target: Target = { to: plan.start, back: false };
  while ("to" in target) {
    if (target.back && round >= most(plan.limits.rounds)) return;
    if (target.back) round += 1;
    const id: string = target.to;
    const stage = plan.stages.find((each) => each.id === id) as PlanStage;
    const visit = (visits.get(id) ?? 0) + 1;
    if (visit > most(stage.maxVisits)) return;
    visits.set(id, visit);
    visitStage(walk, stage);
    const routes: readonly Target[] = Object.values(stage.routes);
    const taken = routes[walk.chance.upTo(routes.length - 1)] as Target;
    target = "end" in taken ? (taken.resume ?? taken) : taken;
  }
}

function visitStage(walk: Walk, stage: PlanStage): void {
  const members = stage.kind === "group" ? lanesOf(walk, stage) : [laneOf(stage)];
  const before = walk.started;
  // The kernel asks how deep child runs may go before it asks anything else: such a stage uses up no start.
  if (stage.kind === "run" && walk.plan.limits.depth === 0) throw new Stopped();
  // A stage that cannot begin, and a fan-out over nothing, use up one start.
  if (!walk.chance.happens(5)) runLanes(walk, members, stage.kind === "group" ? stage.maxParallel : 1);
  if (walk.started === before) countStart(walk);
}

function lanesOf(walk: Walk, group: GroupStage): readonly Lane[] {
  const [member] = group.members;
  if (group.forEach === null || member === undefined) return group.members.map(laneOf);
  const items = walk.chance.happens(70) ? group.maxItems : walk.chance.upTo(group.maxItems);
  return Array.from({ length: items }, () => laneOf(member));
}

function laneOf(leaf: LeafStage): Lane {
  return { leaf, failures: 0, readyAt: 0, endsAt: null, isDone: false };
}

/** Lanes start in order as soon as they are ready and a place is free; a wait between attempts holds no place. */
function runLanes(walk: Walk, lanes: readonly Lane[], places: number): void {
  const began = walk.total.wallMs;
  let now = 0;
  while (lanes.some((lane) => !lane.isDone)) {
    const running = lanes.filter((lane) => lane.endsAt !== null);
    const ready = lanes.find((lane) => !lane.isDone && lane.endsAt === null && lane.readyAt <= now);
    if (ready !== undefined && running.length < places) {
      ready.endsAt = now + startLeaf(walk, ready.leaf);
      continue;
    }
    const waiting = running.length < places ? lanes.filter((lane) => !lane.isDone && lane.endsAt === null) : [];
    now = Math.min(...running.map((lane) => lane.endsAt as number), ...waiting.map((lane) => lane.readyAt));
    walk.total.wallMs = Math.max(walk.total.wallMs, began + now);
    for (const lane of running) if ((lane.endsAt as number) <= now) endLeaf(walk, lane, now);
  }
}

function endLeaf(walk: Walk, lane: Lane, now: number): void {
  const { backoff, maxAttempts } = lane.leaf;
  lane.endsAt = null;
  lane.failures += 1;
  if (lane.failures >= maxAttempts || !walk.chance.happens(walk.bad)) lane.isDone = true;
  else
    lane.readyAt = now + Math.min(backoff.maxMs, Math.round(backoff.firstMs * backoff.factor ** (lane.failures - 1)));
}

/** Starts one attempt; returns how long it will take. */
function startLeaf(walk: Walk, leaf: LeafStage): number {
  const { tokens, microUsd } = walk.plan.limits;
  const child =
    leaf.kind === "run" ? (walk.plan.children.find((each) => each.fingerprint === leaf.plan) as Plan) : null;
  const reserve = child === null ? (leaf.kind === "action" ? leaf.cost : { tokens: 0, microUsd: 0 }) : child.bound;
  if (walk.total.tokens + reserve.tokens > most(tokens)) throw new Stopped();
  if (walk.total.microUsd + reserve.microUsd > most(microUsd)) throw new Stopped();
  if (child !== null) checkSpawn(walk, child);
  countStart(walk);
  if (child === null) {
    walk.total.tokens += reserve.tokens;
    walk.total.microUsd += reserve.microUsd;
    const most = leaf.timeoutMs + (leaf.kind === "action" ? 0 : ENDING_MS);
    return walk.chance.happens(walk.bad) ? most : walk.chance.upTo(most);
  }
  const spent = walkPlan(child, walk.chance, walk.bad);
  walk.total.stages += spent.stages;
  walk.total.tokens += spent.tokens;
  walk.total.microUsd += spent.microUsd;
  walk.total.spawns += 1 + spent.spawns;
  return Math.min(spent.wallMs, leaf.timeoutMs + ENDING_MS);
}

function checkSpawn({ plan, total }: Walk, child: Plan): void {
  if (plan.limits.depth === 0) throw new Stopped();
  if (total.spawns + 1 + child.bound.spawns > most(plan.limits.spawns ?? null)) throw new Stopped();
}

function countStart(walk: Walk): void {
  if (walk.started >= most(walk.plan.limits.stages)) throw new Stopped();
  walk.started += 1;
  walk.total.stages += 1;
}

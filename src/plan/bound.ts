/**
 * The worst case of a plan, from its caps alone: no run, however it goes, starts more stages, takes longer or spends more.
 * The heaviest way through the parts of the route graph, each stage counted as often as it can be visited; then the limits
 * of the run, which end it. A stage that fails at the last moment of its last attempt is the worst stage.
 */
import { NO_USAGE, type Usage } from "../base/usage.ts";
import type { BackoffSpec, Judge } from "../blueprint/blueprint.ts";
import type { Bound, CommandStage, GroupStage, LeafStage, PlanLimits, PlanStage } from "./plan.ts";
import { nextOf } from "./routes.ts";
import { worstVisits } from "./visits.ts";

/** Worst cases of the child plans that may begin, by fingerprint. */
export type ChildBounds = ReadonlyMap<string, Bound>;

export const MEASURES = [
  "stages",
  "wallMs",
  "tokens",
  "microUsd",
  "spawns",
] as const satisfies readonly (keyof Bound)[];

/** What a process may take after its time is up: it is asked to end, and killed when it does not. */
export const ENDING_MS = 2000;

const NOTHING: Bound = { stages: 0, wallMs: 0, tokens: 0, microUsd: 0, spawns: 0, turns: 0 };
/** Waits are added one by one up to here; the rest counts as the longest wait. */
const WAITS_COUNTED = 1000;

/** `stages` in the order written, all of them reachable. Infinity where a number is not bounded or not exact. */
export function worstCase(stages: readonly PlanStage[], children: ChildBounds, limits: PlanLimits): Bound {
  const { most, parts } = worstVisits(stages, limits);
  const onward = new Map<string, Bound>();
  let total = NOTHING;
  for (const part of parts) {
    const own = part.reduce(
      (sum, stage) => plus(sum, times(visitBound(stage, children), most.get(stage.id) as number)),
      NOTHING,
    );
    const later = part.flatMap((stage) => nextOf(stage.routes)).map((id) => onward.get(id) ?? NOTHING);
    const weight = plus(own, later.reduce(larger, NOTHING));
    for (const stage of part) onward.set(stage.id, weight);
    total = larger(total, weight);
  }
  return smaller(smaller(total, byStarts(stages, children, limits)), {
    stages: Number.POSITIVE_INFINITY,
    wallMs: sum(limits.wallMs ?? Number.POSITIVE_INFINITY, leavesOf(stages).some(hasProcess) ? ENDING_MS : 0),
    tokens: limits.tokens ?? Number.POSITIVE_INFINITY,
    microUsd: limits.microUsd ?? Number.POSITIVE_INFINITY,
    spawns: limits.spawns ?? Number.POSITIVE_INFINITY,
    turns: limits.turns ?? Number.POSITIVE_INFINITY,
  });
}

/** The worst case of one visit of a stage with all its attempts. */
export function visitBound(stage: PlanStage, children: ChildBounds): Bound {
  return stage.kind === "group" ? groupBound(stage, children) : leafBound(stage, children);
}

function leafBound(leaf: LeafStage, children: ChildBounds): Bound {
  return plus(times(attemptBound(leaf, children), leaf.maxAttempts), waiting(allWaits(leaf.backoff, leaf.maxAttempts)));
}

/** One start of a leaf. A child run counts itself and all its stages; its budget is reserved like that of an action. */
function attemptBound(leaf: LeafStage, children: ChildBounds): Bound {
  switch (leaf.kind) {
    case "action":
      return { ...NOTHING, stages: 1, wallMs: leaf.timeoutMs, ...leaf.cost };
    case "run": {
      const child = children.get(leaf.plan);
      if (child === undefined) return NOTHING;
      return {
        ...child,
        stages: sum(child.stages, 1),
        wallMs: Math.min(child.wallMs, sum(leaf.timeoutMs, ENDING_MS)),
        spawns: sum(child.spawns, 1),
      };
    }
    case "approval":
      return { ...NOTHING, stages: 1 };
    case "inspection":
      return { ...NOTHING, stages: 1, wallMs: leaf.timeoutMs };
    case "gate":
      return { ...NOTHING, stages: 1, wallMs: product(sum(leaf.timeoutMs, ENDING_MS), processesOf(leaf.judge)) };
    case "agent":
    case "command":
      return {
        ...NOTHING,
        ...modelCost(leaf),
        stages: 1,
        wallMs: sum(leaf.timeoutMs, ENDING_MS),
        turns: leaf.models?.calls ?? 0,
      };
  }
}

/** The most that an attempt may spend on models. */
export function modelCost({ models }: Pick<CommandStage, "models">): Usage {
  return models === undefined ? NO_USAGE : { tokens: models.tokens, microUsd: models.microUsd };
}

/** How many processes a gate starts at most, one after the other. */
function processesOf(judge: Judge): number {
  switch (judge.by) {
    case "tests":
      return 2 + judge.reruns * (judge.must === "improve" ? 2 : 1);
    case "metric":
      return 2 * judge.repeats;
    default:
      return 1;
  }
}

function leavesOf(stages: readonly PlanStage[]): readonly LeafStage[] {
  return stages.flatMap((stage) => (stage.kind === "group" ? stage.members : [stage]));
}

/** An action is left behind when its time is up; a child run may have processes. */
function hasProcess({ kind }: LeafStage): boolean {
  return kind === "command" || kind === "agent" || kind === "gate" || kind === "run";
}

/** At least one start is counted, so that a fan-out over nothing uses up `limits.stages` too. */
function groupBound(group: GroupStage, children: ChildBounds): Bound {
  const copies = group.forEach === null ? 1 : group.maxItems;
  const members = group.members.map((leaf) => leafBound(leaf, children));
  const all = members.reduce((total, member) => plus(total, times(member, copies)), NOTHING);
  return { ...all, stages: Math.max(1, all.stages), wallMs: groupWall(group, children, copies) };
}

/**
 * Members that all fit run side by side. Else the last to end worked, waited between attempts, or waited for a place while
 * all places were at work on the others. A wait between attempts holds no place.
 */
function groupWall(group: GroupStage, children: ChildBounds, copies: number): number {
  const { members, maxParallel } = group;
  const works = members.map((leaf) => product(attemptBound(leaf, children).wallMs, leaf.maxAttempts));
  const allWork = works.reduce((total, work) => sum(total, product(work, copies)), 0);
  const mustQueue = members.length * copies > maxParallel;
  const ends = members.map((leaf, index) => {
    const work = works[index] as number;
    const queue = mustQueue ? Math.ceil((allWork - Math.min(work, Number.MAX_SAFE_INTEGER)) / maxParallel) : 0;
    return sum(queue, sum(work, allWaits(leaf.backoff, leaf.maxAttempts)));
  });
  return ends.reduce((last, end) => Math.max(last, end), 0);
}

/** What `limits.stages` starts can come to at most; infinite without that limit. */
function byStarts(stages: readonly PlanStage[], children: ChildBounds, limits: PlanLimits): Bound {
  const starts = leavesOf(stages).map((leaf) =>
    plus(attemptBound(leaf, children), waiting(longestWait(leaf.backoff, leaf.maxAttempts))),
  );
  return times(starts.reduce(larger, { ...NOTHING, stages: 1 }), limits.stages ?? Number.POSITIVE_INFINITY);
}

/** All waits between the attempts of one visit. */
function allWaits(backoff: BackoffSpec, attempts: number): number {
  const counted = Math.min(attempts - 1, WAITS_COUNTED);
  let total = product(backoff.maxMs, attempts - 1 - counted);
  for (let failures = 1; failures <= counted; failures += 1) total = sum(total, wait(backoff, failures));
  return total;
}

function longestWait(backoff: BackoffSpec, attempts: number): number {
  return attempts > 1 ? Math.max(wait(backoff, 1), wait(backoff, attempts - 1)) : 0;
}

/** Rounded up; the factor is capped so that it stays a number however many failures there are. */
function wait(backoff: BackoffSpec, failures: number): number {
  const factor = Math.min(backoff.factor ** (failures - 1), Number.MAX_SAFE_INTEGER);
  return Math.min(backoff.maxMs, Math.ceil(backoff.firstMs * factor));
}

function waiting(wallMs: number): Bound {
  return { ...NOTHING, wallMs };
}

function plus(a: Bound, b: Bound): Bound {
  return each(a, b, sum);
}

function times(bound: Bound, count: number): Bound {
  return each(
    bound,
    { stages: count, wallMs: count, tokens: count, microUsd: count, spawns: count, turns: count },
    product,
  );
}

function larger(a: Bound, b: Bound): Bound {
  return each(a, b, (x, y) => Math.max(x, y));
}

function smaller(a: Bound, b: Bound): Bound {
  return each(a, b, (x, y) => Math.min(x, y));
}

function each(a: Bound, b: Bound, join: (x: number, y: number) => number): Bound {
  return {
    stages: join(a.stages, b.stages),
    wallMs: join(a.wallMs, b.wallMs),
    tokens: join(a.tokens, b.tokens),
    microUsd: join(a.microUsd, b.microUsd),
    spawns: join(a.spawns, b.spawns),
    turns: join(a.turns, b.turns),
  };
}

function sum(a: number, b: number): number {
  return exact(a + b);
}

function product(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : exact(a * b);
}

/** Beyond the exact integers a number is no bound any more. */
function exact(value: number): number {
  return value > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : value;
}

/**
 * How often each stage can be visited in one run. Stages outside every cycle: once. In a cycle, the least of
 *   - the stage's own `maxVisits`;
 *   - `limits.rounds`: only edges back start a round, all others lead to later stages, so a round visits a stage once;
 *   - 1 + the caps of the cycle's capped stages, if every way round passes one: each return then uses one of their visits.
 */
import type { PlanLimits } from "./plan.ts";
import { nextOf, type Routes } from "./routes.ts";

export interface Node {
  readonly id: string;
  readonly maxVisits: number | null;
  readonly routes: Routes;
}

export interface Visits<N extends Node> {
  /** By stage id; Infinity where only `limits.stages` can end a cycle. */
  readonly most: ReadonlyMap<string, number>;
  /** Strongly connected parts; every edge between two parts leads to an earlier one. */
  readonly parts: readonly (readonly N[])[];
  /** One cycle without a cap of its own for each part that has such a cycle, from its earliest stage on. */
  readonly uncapped: readonly (readonly string[])[];
}

/** `nodes` in the order written. */
export function worstVisits<N extends Node>(nodes: readonly N[], limits: Pick<PlanLimits, "rounds">): Visits<N> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const successors = new Map(nodes.map((node) => [node, nextOf(node.routes).map((id) => byId.get(id) as N)]));
  const next = (node: N): readonly N[] => successors.get(node) as readonly N[];
  const capOf = (node: N): number =>
    Math.min(node.maxVisits ?? Number.POSITIVE_INFINITY, limits.rounds ?? Number.POSITIVE_INFINITY);
  const place = new Map(nodes.map((node, index) => [node, index]));
  const inOrder = (a: N, b: N): number => (place.get(a) as number) - (place.get(b) as number);

  const most = new Map<string, number>();
  const uncapped: (readonly string[])[] = [];
  const parts = components(nodes, next);
  for (const part of parts) {
    if (!isCyclic(part, next)) {
      for (const node of part) most.set(node.id, 1);
      continue;
    }
    const free = part.filter((node) => !Number.isFinite(capOf(node))).sort(inOrder);
    const cycles = cyclesAmong(free, next);
    uncapped.push(...cycles.map((cycle) => cycle.map((node) => node.id)));
    const caps = part.map(capOf).filter(Number.isFinite);
    const shared = cycles.length > 0 ? Number.POSITIVE_INFINITY : caps.reduce((sum, cap) => sum + cap, 1);
    for (const node of part) most.set(node.id, Math.min(capOf(node), shared));
  }
  return { most, parts, uncapped };
}

/** A cycle for each strongly connected part of the stages that no cap covers. */
function cyclesAmong<N>(free: readonly N[], next: (node: N) => readonly N[]): readonly (readonly N[])[] {
  const isFree = new Set(free);
  const within = (node: N): readonly N[] => next(node).filter((child) => isFree.has(child));
  return components(free, within)
    .filter((part) => isCyclic(part, within))
    .map((part) => {
      const members = new Set(part);
      const first = free.find((node) => members.has(node)) as N;
      return cycleThrough(first, within);
    });
}

interface Vertex<T> {
  readonly node: T;
  /** Successors not yet looked at. */
  readonly rest: T[];
  readonly order: number;
  low: number;
  open: boolean;
}

/**
 * Strongly connected parts (Tarjan), in reverse order of travel: every edge between two parts leads to an earlier one.
 * Without recursion: a graph may be as long as a file allows.
 */
function components<T>(nodes: readonly T[], next: (node: T) => readonly T[]): readonly (readonly T[])[] {
  const seen = new Map<T, Vertex<T>>();
  const open: Vertex<T>[] = [];
  const parts: T[][] = [];

  const enter = (node: T): Vertex<T> => {
    const vertex = { node, rest: [...next(node)], order: seen.size, low: seen.size, open: true };
    seen.set(node, vertex);
    open.push(vertex);
    return vertex;
  };
  const descend = (top: Vertex<T>, child: T, path: Vertex<T>[]): void => {
    const known = seen.get(child);
    if (known === undefined) path.push(enter(child));
    else if (known.open) top.low = Math.min(top.low, known.order);
  };
  const leave = (vertex: Vertex<T>, parent: Vertex<T> | undefined): void => {
    if (parent !== undefined) parent.low = Math.min(parent.low, vertex.low);
    if (vertex.low !== vertex.order) return;
    const part = open.splice(open.lastIndexOf(vertex));
    for (const member of part) member.open = false;
    parts.push(part.map((member) => member.node));
  };
  const walk = (root: T): void => {
    const path = [enter(root)];
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const child = top.rest.pop();
      if (child !== undefined) {
        descend(top, child, path);
      } else {
        path.pop();
        leave(top, path.at(-1));
      }
    }
  };
  for (const node of nodes) if (!seen.has(node)) walk(node);
  return parts;
}

/** Whether a part holds a cycle: more than one node, or one that leads to itself. */
function isCyclic<T>(part: readonly T[], next: (node: T) => readonly T[]): boolean {
  return part.length > 1 || part.some((node) => next(node).includes(node));
}

/** The shortest cycle through `start`, which must lie on one: `start` first, the node that leads back to it last. */
function cycleThrough<T>(start: T, next: (node: T) => readonly T[]): readonly T[] {
  const cameFrom = new Map<T, T>([[start, start]]);
  let last = start;
  // A map may grow while it is walked: what is added is walked too.
  for (const node of cameFrom.keys()) {
    last = node;
    const children = next(node);
    if (children.includes(start)) break;
    for (const child of children) if (!cameFrom.has(child)) cameFrom.set(child, node);
  }
  const cycle: T[] = [];
  for (let node = last; node !== start; node = cameFrom.get(node) as T) cycle.push(node);
  return [start, ...cycle.reverse()];
}

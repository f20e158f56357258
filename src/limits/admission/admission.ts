/**
 * Admission: whether what a job says it takes still fits beside everything that runs on the machine. Those who wait stand in line.
 * A light one may pass a heavy one that does not fit, but only so often: then nobody passes, until what runs has made room.
 * Times play no part, so a clock that is set starves nobody.
 */

export interface Weight {
  readonly memoryBytes: number;
  readonly cpus: number;
}

export interface Load {
  readonly weight: Weight;
  /** What all together may take, as this one was told. The strictest that runs or asks stands. */
  readonly total: Weight;
}

export interface Waiting extends Load {
  /** How often others have passed it. */
  readonly passed: number;
}

export type Admitted =
  /** `passes`: places in the line of those that are passed by it. */
  { readonly admitted: true; readonly passes: readonly number[] } | { readonly admitted: false; readonly why: string };

export const NO_WEIGHT: Weight = { memoryBytes: 0, cpus: 0 };
const MOST_PASSED = 8;
/** Who has not asked again for so long stands in nobody's way. */
const PATIENCE_MS = 10_000;

/** Times are of a clock that nobody sets. */
export function isInLine(seen: number, now: number): boolean {
  return now - seen <= PATIENCE_MS;
}

/** `ahead` are those who came before it, in their order. */
export function admitLoad(held: readonly Load[], ahead: readonly Waiting[], asking: Load): Admitted {
  const total = strictest([asking, ...held]);
  let taken = sumOf(held);
  const passes: number[] = [];
  for (const [place, waiting] of ahead.entries()) {
    const need = within(waiting.weight, total);
    if (fits(taken, need, total)) taken = add(taken, need);
    else if (waiting.passed >= MOST_PASSED && !isNothing(asking.weight))
      return refused("one that waits was passed often enough");
    else passes.push(place);
  }
  if (fits(taken, within(asking.weight, total), total)) return { admitted: true, passes };
  return refused(lackOf(taken, asking.weight, total));
}

function refused(why: string): Admitted {
  return { admitted: false, why };
}

/** What is heavier than the machine has it alone. */
function within(weight: Weight, total: Weight): Weight {
  return { memoryBytes: Math.min(weight.memoryBytes, total.memoryBytes), cpus: Math.min(weight.cpus, total.cpus) };
}

function strictest(loads: readonly Load[]): Weight {
  return {
    memoryBytes: Math.min(...loads.map(({ total }) => total.memoryBytes)),
    cpus: Math.min(...loads.map(({ total }) => total.cpus)),
  };
}

function sumOf(loads: readonly Load[]): Weight {
  return loads.map(({ weight }) => weight).reduce(add, NO_WEIGHT);
}

/** In thousandths of a processor, so that sums are exact. */
function add(a: Weight, b: Weight): Weight {
  return { memoryBytes: a.memoryBytes + b.memoryBytes, cpus: Math.round((a.cpus + b.cpus) * 1000) / 1000 };
}

function fits(taken: Weight, need: Weight, total: Weight): boolean {
  const sum = add(taken, need);
  const memory = need.memoryBytes === 0 || sum.memoryBytes <= total.memoryBytes;
  return memory && (need.cpus === 0 || sum.cpus <= total.cpus);
}

export function isNothing({ memoryBytes, cpus }: Weight): boolean {
  return memoryBytes === 0 && cpus === 0;
}

function lackOf(taken: Weight, { memoryBytes }: Weight, total: Weight): string {
  const isMemory = memoryBytes > 0 && taken.memoryBytes + memoryBytes > total.memoryBytes;
  return isMemory ? "the memory of the machine is taken" : "the processors of the machine are taken";
}

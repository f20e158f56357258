/** Ways to do the same thing that take turns on one machine: who begins changes with each round. */
import { median } from "../statistics.ts";

/** Does it once. Resolves to what it took, or to a rate. */
export type Way = () => Promise<number>;

/** Of each way one sample a round. */
export type Samples = Record<string, number[]>;

export async function takeTurn(samples: Samples, ways: Readonly<Record<string, Way>>, round: number): Promise<void> {
  const names = Object.keys(ways);
  const first = round % names.length;
  for (const name of [...names.slice(first), ...names.slice(0, first)]) {
    const sample = await (ways[name] as Way)();
    samples[name] = [...(samples[name] ?? []), sample];
  }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** Median over the rounds of one way over another in the same round. */
export function ratio(samples: Samples, name: string, reference: string): number {
  const references = samples[reference] ?? [];
  return median((samples[name] ?? []).map((sample, round) => sample / (references[round] ?? Number.NaN)));
}

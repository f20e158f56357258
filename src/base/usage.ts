/** What a stage spent. Money is in micro-dollars so that sums are exact. */

export interface Usage {
  readonly tokens: number;
  readonly microUsd: number;
}

export const NO_USAGE: Usage = { tokens: 0, microUsd: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return { tokens: a.tokens + b.tokens, microUsd: a.microUsd + b.microUsd };
}

/** With parts of a cent where there are any. */
export function formatUsd(microUsd: number): string {
  return `$${(microUsd / 1e6).toFixed(microUsd % 10_000 === 0 ? 2 : 4)}`;
}

/** Statistics over samples that may be empty: no samples give NaN, which no bar accepts. */

export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * q;
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? Number.NaN;
  return low + (high - low) * (place - Math.floor(place));
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

export function sum(samples: readonly number[]): number {
  let total = 0;
  for (const sample of samples) total += sample;
  return total;
}

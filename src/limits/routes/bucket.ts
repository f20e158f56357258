/** A token bucket: so much a minute, and as much at once after a minute of rest. */

export interface Bucket {
  /** What may be taken; below zero after more was taken than was known before. */
  readonly level: number;
  readonly at: number;
}

const MINUTE_MS = 60_000;

function filled(bucket: Bucket | undefined, perMinute: number, now: number): number {
  if (bucket === undefined) return perMinute;
  // A clock that went back gives nothing and takes nothing.
  const elapsed = Math.max(0, now - bucket.at);
  return Math.min(perMinute, bucket.level + (elapsed * perMinute) / MINUTE_MS);
}

/** How long until `amount` may be taken; more than a minute's worth waits for a full bucket only. */
export function bucketWaitMs(bucket: Bucket | undefined, perMinute: number, amount: number, now: number): number {
  const missing = Math.min(amount, perMinute) - filled(bucket, perMinute, now);
  return missing <= 0 ? 0 : Math.ceil((missing * MINUTE_MS) / perMinute);
}

/** The bucket after `amount` was taken from it; a negative amount is given back. */
export function takeFrom(bucket: Bucket | undefined, perMinute: number, amount: number, now: number): Bucket {
  return { level: Math.min(perMinute, filled(bucket, perMinute, now) - amount), at: Math.max(now, bucket?.at ?? now) };
}

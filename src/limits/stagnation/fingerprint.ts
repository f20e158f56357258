/** What stays of an error when everything is taken out that differs from one time to the next, and how near two of them are. */

const LONGEST = 400;
const NEAR = 0.85;
const GRAM = 3;

/** In this order: what is longer goes before what is part of it. */
const CHANGING: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:z|[+-]\d\d:?\d\d)?/g, "<time>"],
  [/\b\d\d?:\d\d(?::\d\d(?:[.,]\d+)?)?\b/g, "<time>"],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<id>"],
  [/(?:\/private)?\/(?:tmp|var\/tmp|var\/folders|dev\/shm|run\/user)\/[^\s:'"`)]*/g, "<temp>"],
  [/\b(?:run|r)_[0-9a-z]{8,}\b/g, "<id>"],
  [/\b0x[0-9a-f]+\b/g, "<hex>"],
  [/\b(?=[a-f]*\d)[0-9a-f]{7,}\b/g, "<hex>"],
  [/\b\d+(?:[.,]\d+)*\s?(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b/g, "<span>"],
  [/\d+(?:[.,]\d+)*/g, "#"],
  [/\s+/g, " "],
];

/** The error without numbers, hexadecimal names, ids, times, durations and names of temporary files. */
export function normalError(error: string): string {
  let text = error.slice(0, LONGEST).toLowerCase();
  for (const [pattern, instead] of CHANGING) text = text.replace(pattern, instead);
  return text.trim();
}

/** Whether two normal errors tell of the same thing: of all groups of three letters that they have, nearly all are in both. */
export function isNearlySame(a: string, b: string): boolean {
  return a === b || overlap(grams(a), grams(b)) >= NEAR;
}

function grams(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (let at = 0; at + GRAM <= text.length; at += 1) found.add(text.slice(at, at + GRAM));
  return found;
}

/** Jaccard: what both have, of what either has. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const gram of a) if (b.has(gram)) both += 1;
  return both / Math.max(1, a.size + b.size - both);
}

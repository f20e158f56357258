/** What a machine has too little of, read from the last words of a program that could not begin. It may be different soon. */

const SCARCE: readonly (readonly [RegExp, string])[] = [
  [/Resource temporarily unavailable|\bEAGAIN\b|Cannot fork/i, "there are too many processes (EAGAIN)"],
  [/Cannot allocate memory|\bENOMEM\b/i, "there is not enough memory (ENOMEM)"],
  [/Too many open files|\b(?:EMFILE|ENFILE)\b/i, "too many files are open (EMFILE)"],
];

/** undefined: it says something else. */
export function scarcityIn(said: string): string | undefined {
  return SCARCE.find(([pattern]) => pattern.test(said))?.[1];
}

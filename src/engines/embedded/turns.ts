/** Turns: of many runs that the same target has refused, one tries again first, and the others follow one by one. */

/** The part of the breakers of a project that is needed for it. */
export interface Turns {
  admit(target: string, rules: TurnRules, at: number): Promise<Admission>;
  report(ticket: string, end: "success" | "failure" | "ignored", at: number): Promise<void>;
  park(target: string, until: number, why: string, at: number): Promise<void>;
}

type Admission =
  | { readonly go: true; readonly ticket: string; readonly isTrial: boolean }
  | { readonly go: false; readonly until: number | null; readonly why: string };

interface TurnRules {
  readonly failures: number;
  readonly coolDownMs: number;
  readonly longestMs: number;
  readonly trialMs: number;
  readonly staggerMs: number;
}

/** A vendor refuses at once: what has run so long was let through. */
export const THROUGH_MS = 60_000;
export const STAGGER_MS = 2000;

export const TURN_RULES: TurnRules = {
  failures: 5,
  coolDownMs: 60_000,
  longestMs: 3_600_000,
  trialMs: 2 * THROUGH_MS,
  staggerMs: STAGGER_MS,
};

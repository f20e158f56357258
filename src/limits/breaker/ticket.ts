/** Ticket: what a caller holds between its admission and its end. It carries all that the end needs, so nothing is stored for it. */
import type { BreakerRules } from "./rules.ts";

export interface Ticket {
  readonly target: string;
  readonly epoch: number;
  readonly rules: BreakerRules;
}

export function writeTicket({ target, epoch, rules }: Ticket): string {
  const { failures, coolDownMs, longestMs, trialMs, staggerMs } = rules;
  return JSON.stringify([epoch, failures, coolDownMs, longestMs, trialMs, staggerMs, target]);
}

/** null: no breaker has given it. */
export function readTicket(text: string): Ticket | null {
  const parts = listIn(text);
  const target = parts.pop();
  if (parts.length !== 6 || typeof target !== "string" || !parts.every((part) => Number.isSafeInteger(part)))
    return null;
  const [epoch, failures, coolDownMs, longestMs, trialMs, staggerMs] = parts as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { target, epoch, rules: { failures, coolDownMs, longestMs, trialMs, staggerMs } };
}

function listIn(text: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

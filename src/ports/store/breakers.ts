/** Breakers: durable, per target, shared by every process of a project. The law is src/limits/breaker. */
import type { Admission, BreakerView, CallEnd } from "../../limits/breaker/breaker.ts";
import type { BreakerRules } from "../../limits/breaker/rules.ts";

export interface BreakerRow extends BreakerView {
  /** `model:anthropic/claude-x`, `action:git.push`, `loop:fix-tests`. */
  readonly target: string;
}

export interface BreakerQuery {
  readonly at: number;
  readonly limit: number;
  /** Opaque position from `next` of the page before. */
  readonly cursor?: string;
}

export interface BreakerPage {
  readonly breakers: readonly BreakerRow[];
  /** null: the last page. */
  readonly next: string | null;
}

export interface Breakers {
  /**
   * Whether the target may be used now. A closed breaker costs a look and stores nothing. Of all processes that ask while it
   * is half open exactly one gets the trial, durably; it is given up when it is not over in time, or its process is gone.
   */
  admit(target: string, rules: BreakerRules, at: number): Promise<Admission>;
  /** How it ended, once for each ticket. What is told of a ticket that is out of date, or that nobody gave, changes nothing. */
  report(ticket: string, end: CallEnd, at: number): Promise<void>;
  /** The target cannot be used before `until`: then one trial, then the others one by one. */
  park(target: string, until: number, why: string, at: number): Promise<void>;
  /** Closes it, because a person says so. false: there was nothing to close. */
  reset(target: string): Promise<boolean>;
  /** Targets that have ever failed or were parked, by name. */
  list(query: BreakerQuery): Promise<BreakerPage>;
}

/** Which models are left alone for a while because they kept failing: one memory for everybody who uses the same models. */
import { type Admission, admit, type Breaker, type CallEnd, CLOSED, report } from "../../limits/breaker/breaker.ts";
import { BREAKER_RULES, type BreakerRules } from "../../limits/breaker/rules.ts";
import { readTicket } from "../../limits/breaker/ticket.ts";
import { ROUTE_SETTINGS } from "../../limits/routes/settings.ts";
import type { Models } from "../ports.ts";

export interface Health {
  admit(target: string, now: number): Admission;
  report(ticket: string, end: CallEnd, now: number): void;
}

const RULES: BreakerRules = { ...BREAKER_RULES, ...ROUTE_SETTINGS.bench };
const KNOWN = new WeakMap<Models, Health>();

export function healthOf(models: Models | undefined): Health {
  const known = models === undefined ? undefined : KNOWN.get(models);
  if (known !== undefined) return known;
  const fresh = createHealth();
  if (models !== undefined) KNOWN.set(models, fresh);
  return fresh;
}

function createHealth(): Health {
  const breakers = new Map<string, Breaker>();
  return {
    admit(target, now) {
      const before = breakers.get(target) ?? CLOSED;
      const { admission, breaker } = admit(before, { target, rules: RULES, at: now, host: "harness" }, () => false);
      breakers.set(target, breaker);
      return admission;
    },
    report(text, end, now) {
      const ticket = readTicket(text);
      if (ticket === null) return;
      breakers.set(ticket.target, report(breakers.get(ticket.target) ?? CLOSED, ticket, end, now));
    },
  };
}

/** Breakers in memory. */
import { admit, type Breaker, CLOSED, park, report, reset, viewBreaker } from "../../../limits/breaker/breaker.ts";
import { readTicket } from "../../../limits/breaker/ticket.ts";
import type { BreakerPage, BreakerQuery, Breakers } from "../../../ports/store/breakers.ts";
import type { MemoryHost, MemoryState } from "../state.ts";

interface BreakersParts {
  readonly state: MemoryState;
  readonly self: MemoryHost;
  readonly guarded: <T>(work: () => T) => Promise<T>;
}

export function createMemoryBreakers({ state, self, guarded }: BreakersParts): Breakers {
  const { breakers, hosts } = state;
  const load = (target: string): Breaker => breakers.get(target) ?? CLOSED;
  const isGone = (host: string): boolean => hosts.get(host)?.alive !== true;
  const host = String(hosts.size + 1);
  hosts.set(host, self);

  function list({ at, limit, cursor = "" }: BreakerQuery): BreakerPage {
    const most = Math.max(0, Math.trunc(limit));
    const names = [...breakers.keys()].filter((target) => target > cursor).sort();
    const shown = names.slice(0, most);
    return {
      breakers: shown.map((target) => ({ target, ...viewBreaker(load(target), at) })),
      next: names.length > most ? (shown.at(-1) ?? null) : null,
    };
  }

  return {
    admit: (target, rules, at) =>
      guarded(() => {
        const before = load(target);
        const { admission, breaker } = admit(before, { target, rules, at, host }, isGone);
        if (breaker !== before) breakers.set(target, breaker);
        return admission;
      }),
    report: (text, end, at) =>
      guarded(() => {
        const ticket = readTicket(text);
        if (ticket === null) return;
        const before = load(ticket.target);
        const after = report(before, ticket, end, at);
        if (after !== before) breakers.set(ticket.target, after);
      }),
    park: (target, until, why, at) =>
      guarded(() => {
        breakers.set(target, park(load(target), until, why, at));
      }),
    reset: (target) =>
      guarded(() => {
        const before = load(target);
        const after = reset(before);
        if (after !== before) breakers.set(target, after);
        return after !== before;
      }),
    list: (query) => guarded(() => list(query)),
  };
}

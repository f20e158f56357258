/** A try that keeps to the rates: it waits for its turn, and is not made when that would take too long. */
import type { Clock } from "../../ports/clock.ts";
import { RouteRefusal, type Send } from "../exchange.ts";
import { refusalFor } from "../refusals.ts";
import type { RateLimits } from "./rate-limits.ts";
import { waitUntil } from "./wait-until.ts";

export interface Pace {
  readonly rates: RateLimits;
  readonly longestMs: number;
  readonly clock: Clock;
}

/** Bytes of a request for each token of it, about. */
const BYTES = 4;

export function paced(send: Send, { rates, longestMs, clock }: Pace): Send {
  return async (call, candidate, signal) => {
    const tokens = Math.ceil(call.bytes.length / BYTES);
    const { tenant = null } = call;
    const entry = rates.enter({ provider: candidate.provider, tenant, tokens }, longestMs, clock.now());
    if (!entry.ok) {
      const refusal = refusalFor("GATEWAY_RATE_REACHED", { rate: entry.why });
      throw new RouteRefusal(refusal, clock.now() + entry.waitMs);
    }
    if (entry.waitMs > 0) await waitUntil(clock.now() + entry.waitMs, signal, clock);
    const answer = await send(call, candidate, signal);
    return { ...answer, onCounted: (count) => entry.correct(count, clock.now()) };
  };
}

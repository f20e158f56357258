/** Rates: requests and tokens a minute, by provider and by tenant. Of this process only; what comes first goes first. */
import { type Bucket, bucketWaitMs, takeFrom } from "../../limits/routes/bucket.ts";
import type { RouteSettings } from "../../limits/routes/settings.ts";

export interface RatedCall {
  readonly provider: string;
  readonly tenant: string | null;
  /** As far as it is known before. */
  readonly tokens: number;
}

export type Entry =
  /** It may be made after this wait, which may be 0. `correct` tells how many tokens it was in the end. */
  | { readonly ok: true; readonly waitMs: number; correct(tokens: number, now: number): void }
  | { readonly ok: false; readonly waitMs: number; readonly why: string };

export interface RateLimits {
  /** Takes the place of a call, unless it would have to wait longer than `longestMs`. */
  enter(call: RatedCall, longestMs: number, now: number): Entry;
}

interface Limit {
  readonly key: string;
  readonly perMinute: number;
  readonly amount: number;
  readonly isTokens: boolean;
  readonly shown: string;
}

export function createRateLimits(rates: RouteSettings["rates"]): RateLimits {
  const buckets = new Map<string, Bucket>();
  const take = ({ key, perMinute }: Limit, amount: number, now: number): void => {
    buckets.set(key, takeFrom(buckets.get(key), perMinute, amount, now));
  };
  return {
    enter(call, longestMs, now) {
      const limits = limitsOf(rates, call);
      const waits = limits.map((limit) => ({
        limit,
        waitMs: bucketWaitMs(buckets.get(limit.key), limit.perMinute, limit.amount, now),
      }));
      const longest = waits.reduce((a, b) => (b.waitMs > a.waitMs ? b : a), { limit: null, waitMs: 0 } as Wait);
      if (longest.limit !== null && longest.waitMs > longestMs) {
        return { ok: false, waitMs: longest.waitMs, why: `${longest.limit.shown} is used up` };
      }
      for (const limit of limits) take(limit, limit.amount, now);
      return {
        ok: true,
        waitMs: longest.waitMs,
        correct(tokens, at) {
          for (const limit of limits) if (limit.isTokens) take(limit, tokens - limit.amount, at);
        },
      };
    },
  };
}

interface Wait {
  readonly limit: Limit | null;
  readonly waitMs: number;
}

function limitsOf({ providers, tenants }: RouteSettings["rates"], call: RatedCall): readonly Limit[] {
  const scopes = [
    { kind: "provider", name: call.provider, rate: providers[call.provider] },
    { kind: "tenant", name: call.tenant ?? "", rate: call.tenant === null ? undefined : tenants[call.tenant] },
  ];
  return scopes.flatMap(({ kind, name, rate }) =>
    (["requests", "tokens"] as const).flatMap((unit) => {
      const perMinute = rate?.[unit] ?? null;
      if (perMinute === null) return [];
      const isTokens = unit === "tokens";
      const shown = `the rate of ${perMinute} ${unit} a minute of ${kind} ${name}`;
      return [{ key: `${kind}/${name}/${unit}`, perMinute, amount: isTokens ? call.tokens : 1, isTokens, shown }];
    }),
  );
}

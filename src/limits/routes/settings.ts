/** How models are chosen, as people set it. */
import { RETRY_RULES, type RetryRules } from "./retry.ts";
import type { Tiers } from "./route.ts";

/** When a model that keeps failing is left alone. */
export interface BenchRules {
  /** Failures in a row. */
  readonly failures: number;
  /** The first time; each further time twice as long. */
  readonly coolDownMs: number;
  readonly longestMs: number;
}

/** A minute's worth; null: no limit. */
export interface Rate {
  readonly requests: number | null;
  readonly tokens: number | null;
}

export type Rates = Readonly<Record<string, Rate>>;

export interface RouteSettings {
  readonly tiers: Tiers;
  readonly retry: RetryRules;
  readonly bench: BenchRules;
  readonly rates: { readonly providers: Rates; readonly tenants: Rates };
}

export const ROUTE_SETTINGS: RouteSettings = {
  tiers: {},
  retry: RETRY_RULES,
  bench: { failures: 2, coolDownMs: 5000, longestMs: 300_000 },
  rates: { providers: {}, tenants: {} },
};

/** What one file says; the rest is left to the others. */
export interface RouteDraft {
  readonly tiers: Tiers;
  readonly retry: Partial<RetryRules>;
  readonly bench: Partial<BenchRules>;
  readonly rates: { readonly providers: Rates; readonly tenants: Rates };
}

/** From the outermost file to the innermost: the last word counts, but a rate is never raised by another file. */
export function mergeRoutes(drafts: readonly RouteDraft[]): RouteSettings {
  return drafts.reduce<RouteSettings>(
    (before, draft) => ({
      tiers: { ...before.tiers, ...draft.tiers },
      retry: { ...before.retry, ...draft.retry },
      bench: { ...before.bench, ...draft.bench },
      rates: {
        providers: strictest(before.rates.providers, draft.rates.providers),
        tenants: strictest(before.rates.tenants, draft.rates.tenants),
      },
    }),
    ROUTE_SETTINGS,
  );
}

function strictest(a: Rates, b: Rates): Rates {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return Object.fromEntries(
    names.map((name) => [
      name,
      { requests: least(a[name]?.requests, b[name]?.requests), tokens: least(a[name]?.tokens, b[name]?.tokens) },
    ]),
  );
}

function least(...given: readonly (number | null | undefined)[]): number | null {
  const said = given.filter((value) => typeof value === "number");
  return said.length === 0 ? null : Math.min(...said);
}

import { expect, it } from "vitest";
import { mergeRoutes, ROUTE_SETTINGS, type RouteDraft } from "./settings.ts";

const NOTHING: RouteDraft = { tiers: {}, retry: {}, bench: {}, rates: { providers: {}, tenants: {} } };

it("says nothing when nobody does", () => {
  expect(mergeRoutes([])).toEqual(ROUTE_SETTINGS);
  expect(mergeRoutes([NOTHING, NOTHING])).toEqual(ROUTE_SETTINGS);
});

it("lets the inner file have the last word, but never raise a rate", () => {
  const user: RouteDraft = {
    tiers: { fast: ["a"], smart: ["b"] },
    retry: { tries: 3 },
    bench: { failures: 4 },
    rates: { providers: { openai: { requests: 10, tokens: null } }, tenants: { t: { requests: null, tokens: 5 } } },
  };
  const project: RouteDraft = {
    tiers: { fast: ["c"] },
    retry: { tries: 1, firstMs: 1 },
    bench: {},
    rates: {
      providers: { openai: { requests: 99, tokens: 7 }, google: { requests: 1, tokens: null } },
      tenants: { t: { requests: 2, tokens: 4 } },
    },
  };
  expect(mergeRoutes([user, project])).toEqual({
    tiers: { fast: ["c"], smart: ["b"] },
    retry: { ...ROUTE_SETTINGS.retry, tries: 1, firstMs: 1 },
    bench: { ...ROUTE_SETTINGS.bench, failures: 4 },
    rates: {
      providers: { openai: { requests: 10, tokens: 7 }, google: { requests: 1, tokens: null } },
      tenants: { t: { requests: 2, tokens: 4 } },
    },
  });
});

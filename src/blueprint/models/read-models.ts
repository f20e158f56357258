/** `models` of one file → what it says about routes. */

import { splitEffort } from "../../limits/routes/candidate.ts";
import { MOST_CANDIDATES } from "../../limits/routes/route.ts";
import type { Rates, RouteDraft } from "../../limits/routes/settings.ts";
import type { Given, Reading, Shape } from "../shapes/shape.ts";
import type { MODELS } from "./model-fields.ts";

type Found<S> = S extends Shape<infer T> ? T : never;
type Models = Found<typeof MODELS>;
type Tier = Given<readonly string[]> & { readonly name: string };
type Rate = NonNullable<NonNullable<Models["rates"]>["value"]["tenants"]>["value"][number];

export const NO_ROUTES: RouteDraft = { tiers: {}, retry: {}, bench: {}, rates: { providers: {}, tenants: {} } };

export function readModels({ tiers, retry, bench, rates }: Models, reading: Reading): RouteDraft {
  const named = tiers?.value ?? [];
  for (const tier of named) checkTier(tier, new Set(named.map(({ name }) => name)), reading);
  const { tries, first, max } = retry?.value ?? {};
  const { failures, cool_down, longest } = bench?.value ?? {};
  return {
    tiers: Object.fromEntries(named.map(({ name, value }) => [name, value])),
    retry: {
      ...(tries === undefined ? {} : { tries: tries.value }),
      ...(first === undefined ? {} : { firstMs: first.value }),
      ...(max === undefined ? {} : { maxMs: max.value }),
    },
    bench: {
      ...(failures === undefined ? {} : { failures: failures.value }),
      ...(cool_down === undefined ? {} : { coolDownMs: cool_down.value }),
      ...(longest === undefined ? {} : { longestMs: longest.value }),
    },
    rates: { providers: ratesOf(rates?.value.providers?.value), tenants: ratesOf(rates?.value.tenants?.value) },
  };
}

/** A tier of tiers would have to be followed to know what it costs, and could lead back to itself. */
function checkTier({ name, value, node }: Tier, tiers: ReadonlySet<string>, { problems }: Reading): void {
  const inner = value.find((model) => tiers.has(model) || tiers.has(splitEffort(model).name));
  if (inner !== undefined) problems.report("BLUEPRINT_TIER_NESTED", { tier: name, inner }, node);
  if (value.length <= MOST_CANDIDATES) return;
  const expected = `at most ${MOST_CANDIDATES} models`;
  problems.report("BLUEPRINT_VALUE_INVALID", { field: `tiers.${name}`, expected, found: `${value.length}` }, node);
}

function ratesOf(given: readonly Rate[] = []): Rates {
  return Object.fromEntries(
    given.map(({ name, value }) => [
      name,
      { requests: value.requests?.value ?? null, tokens: value.tokens?.value ?? null },
    ]),
  );
}

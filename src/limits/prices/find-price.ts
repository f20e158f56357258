/** The price of a model by its name. A name that is not known has none: nothing is guessed from what it resembles. */
import { ANTHROPIC_PRICES } from "./anthropic-prices.ts";
import { GOOGLE_PRICES } from "./google-prices.ts";
import { OPENAI_PRICES } from "./openai-prices.ts";
import type { Price, PriceTable } from "./price.ts";

export const SHIPPED_PRICES: PriceTable = { ...ANTHROPIC_PRICES, ...OPENAI_PRICES, ...GOOGLE_PRICES };

/** `anthropic/` before it; a day, `latest` or `preview` behind it: the same model at the same price. */
const PREFIX = /^(?:models\/|anthropic\/|openai\/|google\/)+/;
const SUFFIX = /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest|preview(?:-\d{2}-\d{2,4})?)|\[1m\])$/;

/** null: nobody said what it costs. A table of one's own wins, with the name exactly as it is or without its day. */
export function findPrice(model: string, own: PriceTable = {}): Price | null {
  const names = namesOf(model);
  for (const table of [own, SHIPPED_PRICES]) {
    const name = names.find((each) => Object.hasOwn(table, each));
    if (name !== undefined) return table[name] as Price;
  }
  return null;
}

function namesOf(model: string): readonly string[] {
  const bare = model.replace(PREFIX, "");
  const names = [model, bare];
  for (let name = bare; SUFFIX.test(name); ) {
    name = name.replace(SUFFIX, "");
    names.push(name);
  }
  return names;
}

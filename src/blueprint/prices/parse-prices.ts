/** Prices that people write: in a file of the user, and under `prices` in `pawl.yaml`. A file that says nothing changes nothing. */
import { ok, type Result } from "../../base/result.ts";
import { type PriceTable, ratesOf } from "../../limits/prices/price.ts";
import { parseProjectText, parseText } from "../parse-text.ts";
import { REPOSITORY_FILE } from "../policy/repository-file.ts";
import type { Reading, Shape } from "../shapes/shape.ts";
import { PRICES } from "./price-fields.ts";

type Found<S> = S extends Shape<infer T> ? T : never;

const CONTEXT_TOKENS = 1_000_000;
const OUTPUT_TOKENS = 128_000;

/** The prices of a user, in a file of their own. */
export function parsePrices(text: string, file: string): Result<PriceTable> {
  return orNothing(
    parseText(text, file, (tree, reading) => {
      const found = PRICES.read(tree, reading, "the prices");
      return found === undefined ? undefined : tableOf(found, reading);
    }),
  );
}

/** The prices in `pawl.yaml`. */
export function parseRepositoryPrices(text: string, file: string): Result<PriceTable> {
  return orNothing(
    parseProjectText(text, file, (tree, reading) => {
      const found = REPOSITORY_FILE.read(tree, reading, "pawl.yaml")?.prices?.value;
      return tableOf(found ?? [], reading);
    }),
  );
}

function tableOf(found: Found<typeof PRICES>, { problems }: Reading): PriceTable {
  return Object.fromEntries(
    found.map(({ name, value: price, key }) => {
      const { file, line, column } = problems.source.span(key);
      const rates = ratesOf({
        input: price.input?.value ?? 0,
        output: price.output?.value ?? 0,
        cacheRead: price.cache_read?.value,
        cacheWrite: price.cache_write?.value,
        cacheWriteLong: price.cache_write_long?.value,
        reasoning: price.reasoning?.value,
      });
      const contextTokens = price.context?.value ?? CONTEXT_TOKENS;
      const outputTokens = price.max_output?.value ?? OUTPUT_TOKENS;
      return [name, { rates, contextTokens, outputTokens, source: `${file}:${line}:${column}`, date: "" }];
    }),
  );
}

function orNothing(parsed: Result<PriceTable>): Result<PriceTable> {
  const saysNothing = !parsed.ok && parsed.problems.every(({ code }) => code === "BLUEPRINT_TEXT_EMPTY");
  return saysNothing ? ok({}) : parsed;
}

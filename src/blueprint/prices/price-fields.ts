/** The keys of `prices`: model → what it costs, in dollars per million tokens. */
import { integer, object, record } from "../shapes/shape.ts";
import { anyNumber } from "../shapes/value-shapes.ts";

const MOST_TOKENS = 100_000_000;

const MODEL_NAME = {
  pattern: /^[A-Za-z0-9][\w.:@/-]{0,199}$/,
  expected: "the name of a model, such as my-model or openai/my-model",
} as const;

const PRICE = object(
  {
    input: { shape: anyNumber(0), about: "Input.", isRequired: true },
    output: { shape: anyNumber(0), about: "Output, with what it thinks.", isRequired: true },
    cache_read: { shape: anyNumber(0), about: "Input that comes from a cache (like input)." },
    cache_write: { shape: anyNumber(0), about: "Input that is written to a cache (like input)." },
    cache_write_long: { shape: anyNumber(0), about: "The same, to a cache that lives longer (like cache_write)." },
    reasoning: { shape: anyNumber(0), about: "What it thinks and does not say (like output)." },
    context: { shape: integer(1, MOST_TOKENS), about: "Most tokens one call can read (1000000)." },
    max_output: { shape: integer(1, MOST_TOKENS), about: "Most tokens one call can write (128000)." },
  },
  "a price",
);

export const PRICES = record(PRICE, MODEL_NAME);

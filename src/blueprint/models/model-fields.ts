/** The keys of `models` in pawl.yaml and in the file of the user. */
import { duration, either, integer, list, mapped, object, record, type Shape, text } from "../shapes/shape.ts";
import { NAME, PROVIDER_NAME, tokenCount } from "../shapes/value-shapes.ts";

const MODEL = /^[^\s,]{1,200}$/;
const CHAIN = /^[^\s,]+(?:\s*,\s*[^\s,]+)*$/;
const MOST_MODELS = 8;
const MOST_A_MINUTE = 1_000_000;

/** One text with commas, or a list: models in the order in which they are asked. */
function chain(): Shape<readonly string[]> {
  const written = text({ expected: "models such as claude-x:high, gpt-x", max: 2000, pattern: CHAIN });
  const model = text({ expected: "a model such as gpt-x or openai/gpt-x:high", max: 200, pattern: MODEL });
  return either<readonly string[]>({
    scalar: mapped(written, (value) => value.split(",").map((part) => part.trim())),
    list: mapped(list(model, { min: 1, max: MOST_MODELS }), (items) => items.map(({ value }) => value)),
  });
}

/** A rate of nothing would let nothing through, for ever. */
const someTokens: Shape<number> = mapped(tokenCount(), (count, node, { problems }) => {
  if (count > 0) return count;
  problems.report("BLUEPRINT_VALUE_INVALID", { field: "tokens", expected: "above zero", found: "0" }, node);
  return undefined;
});

const RATE = object(
  {
    requests: { shape: integer(1, MOST_A_MINUTE), about: "Requests a minute." },
    tokens: { shape: someTokens, about: "Tokens a minute, such as 400k." },
  },
  "a rate",
);

const RATES = object(
  {
    providers: { shape: record(RATE, PROVIDER_NAME), about: "By provider, for everybody together." },
    tenants: { shape: record(RATE, NAME), about: "By tenant: whoever PAWL_TENANT names." },
  },
  "rates",
);

const RETRY = object(
  {
    tries: { shape: integer(1, 10), about: "Times one model is asked for one request (2)." },
    first: { shape: duration(1), about: "The longest wait before the second try; it doubles each time (500ms)." },
    max: { shape: duration(1), about: "No wait is longer; a provider that asks for more is left alone (20s)." },
  },
  "retry",
);

const BENCH = object(
  {
    failures: { shape: integer(1, 100), about: "Failures in a row after which a model is left alone (2)." },
    cool_down: { shape: duration(1), about: "For so long the first time; each further time twice as long (5s)." },
    longest: { shape: duration(1), about: "Never longer than this (5m)." },
  },
  "bench",
);

export const MODELS = object(
  {
    tiers: { shape: record(chain(), NAME), about: "Name → models in the order in which they are asked." },
    retry: { shape: RETRY, about: "How often a model that is busy is asked again." },
    bench: { shape: BENCH, about: "When a model that keeps failing is left alone." },
    rates: { shape: RATES, about: "How much may be asked a minute." },
  },
  "models",
);

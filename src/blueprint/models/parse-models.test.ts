import { describe, expect, it } from "vitest";
import { parseModels, parseRepositoryModels } from "./parse-models.ts";
import { NO_ROUTES } from "./read-models.ts";

const problems = (text: string, parse = parseRepositoryModels): readonly string[] => {
  const parsed = parse(text, "m.yaml");
  return parsed.ok ? [] : parsed.problems.map(({ code, where }) => `${where?.line}:${where?.column} ${code}`);
};

describe("parseModels", () => {
  it("reads tiers, retries, benches and rates", () => {
    const text = `
models:
  tiers:
    fast: claude-h,  gpt-m
    smart: ["claude-o:high", openai/gpt-x]
  retry: { tries: 3, first: 1s, max: 30s }
  bench: { failures: 4, cool_down: 10s, longest: 1h }
  rates:
    providers: { anthropic: { requests: 50, tokens: 400k } }
    tenants: { acme: { requests: 5 }, zenith: { tokens: 10 } }
`;
    expect(parseRepositoryModels(text, "m.yaml")).toEqual({
      ok: true,
      value: {
        tiers: { fast: ["claude-h", "gpt-m"], smart: ["claude-o:high", "openai/gpt-x"] },
        retry: { tries: 3, firstMs: 1000, maxMs: 30_000 },
        bench: { failures: 4, coolDownMs: 10_000, longestMs: 3_600_000 },
        rates: {
          providers: { anthropic: { requests: 50, tokens: 400_000 } },
          tenants: { acme: { requests: 5, tokens: null }, zenith: { requests: null, tokens: 10 } },
        },
      },
    });
  });

  it.each(["", "# nothing", "{}", "models: {}", "models: { retry: {}, bench: {}, rates: {} }"])(
    "may say nothing: %j",
    (text) => {
      expect(parseRepositoryModels(text, "m.yaml")).toEqual({ ok: true, value: NO_ROUTES });
    },
  );

  it("reads the file of the user, which has nothing else in it", () => {
    const parsed = parseModels("tiers: { fast: a }", "m.yaml");
    expect(parsed).toEqual({ ok: true, value: { ...NO_ROUTES, tiers: { fast: ["a"] } } });
    expect(parseModels("", "m.yaml")).toEqual({ ok: true, value: NO_ROUTES });
    expect(problems("policy: {}", parseModels)).toEqual(["1:1 BLUEPRINT_KEY_UNKNOWN"]);
    expect(problems("- a", parseModels)).toEqual(["1:1 BLUEPRINT_VALUE_TYPE"]);
  });

  it.each([
    ["models: { tiers: { fast: a, smart: [b, fast] } }", "1:36 BLUEPRINT_TIER_NESTED"],
    ["models: { tiers: { fast: a, smart: 'fast:high' } }", "1:36 BLUEPRINT_TIER_NESTED"],
    ["models: { tiers: { fast: fast } }", "1:26 BLUEPRINT_TIER_NESTED"],
    ["models: { tiers: { Fast: a } }", "1:20 BLUEPRINT_KEY_INVALID"],
    ["models: { tiers: { fast: 'a,,b' } }", "1:26 BLUEPRINT_VALUE_INVALID"],
    ["models: { tiers: { fast: [] } }", "1:26 BLUEPRINT_VALUE_INVALID"],
    ["models: { tiers: { fast: ['a b'] } }", "1:27 BLUEPRINT_VALUE_INVALID"],
    ["models: { tiers: { fast: 'a,b,c,d,e,f,g,h,i' } }", "1:26 BLUEPRINT_VALUE_INVALID"],
    ["models: { tier: {} }", "1:11 BLUEPRINT_KEY_UNKNOWN"],
    ["models: { retry: { tries: 0 } }", "1:27 BLUEPRINT_VALUE_INVALID"],
    ["models: { bench: { cool_down: 0s } }", "1:31 BLUEPRINT_DURATION_INVALID"],
    ["models: { rates: { providers: { antropic: { tokens: 1 } } } }", "1:33 BLUEPRINT_KEY_INVALID"],
    ["models: { rates: { tenants: { a: { tokens: 0 } } } }", "1:44 BLUEPRINT_VALUE_INVALID"],
  ])("refuses %s", (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });
});

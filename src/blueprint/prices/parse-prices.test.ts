import { describe, expect, it } from "vitest";
import { parsePrices, parseRepositoryPrices } from "./parse-prices.ts";

const problems = (text: string): readonly string[] => {
  const parsed = parsePrices(text, "prices.yaml");
  return parsed.ok ? [] : parsed.problems.map(({ code, where }) => `${where?.line}:${where?.column} ${code}`);
};

describe("prices in files", () => {
  it("are dollars per million tokens, with where they were written", () => {
    const text = `my-model: { input: 1, output: 4 }
openai/other: { input: 2, output: 8, cache_read: 0.2, cache_write: 2.5, cache_write_long: 4, reasoning: 9, context: 5000, max_output: 100 }
`;
    expect(parsePrices(text, "prices.yaml")).toEqual({
      ok: true,
      value: {
        "my-model": {
          rates: { input: 1, output: 4, cacheRead: 1, cacheWrite: 1, cacheWriteLong: 1, reasoning: 4 },
          ...{ contextTokens: 1_000_000, outputTokens: 128_000, source: "prices.yaml:1:1", date: "" },
        },
        "openai/other": {
          rates: { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5, cacheWriteLong: 4, reasoning: 9 },
          ...{ contextTokens: 5000, outputTokens: 100, source: "prices.yaml:2:1", date: "" },
        },
      },
    });
  });

  it("may stand in pawl.yaml beside what others read there", () => {
    const parsed = parseRepositoryPrices("prices: { m: { input: 0, output: 0 } }\npolicy: { deny: [] }\n", "pawl.yaml");
    expect(parsed).toMatchObject({ ok: true, value: { m: { source: "pawl.yaml:1:11" } } });
    expect(parseRepositoryPrices("policy: { deny: [] }", "pawl.yaml")).toEqual({ ok: true, value: {} });
    expect(parseRepositoryPrices("", "pawl.yaml")).toEqual({ ok: true, value: {} });
    expect(parseRepositoryPrices("- a", "pawl.yaml")).toMatchObject({ ok: false });
  });

  it.each([
    ["m: { input: 1 }", "1:4 BLUEPRINT_KEY_MISSING"],
    ["m: { input: -1, output: 1 }", "1:13 BLUEPRINT_VALUE_INVALID"],
    ["m: { input: 1, output: 1, free: true }", "1:27 BLUEPRINT_KEY_UNKNOWN"],
    ["'a b': { input: 1, output: 1 }", "1:1 BLUEPRINT_KEY_INVALID"],
    ["[]", "1:1 BLUEPRINT_VALUE_TYPE"],
  ])("refuse %s", (text, problem) => {
    expect(problems(text)).toEqual([problem]);
  });
});

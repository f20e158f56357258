import { describe, expect, it } from "vitest";
import { RETRY_RULES, retryWaitMs } from "./retry.ts";

const rules = { tries: 5, firstMs: 100, maxMs: 1000 };

describe("retryWaitMs", () => {
  it("leaves everything below a doubling ceiling to chance", () => {
    const ceilings = [1, 2, 3, 4].map((failures) => retryWaitMs(rules, { failures, askedMs: null, chance: 0.999_999 }));
    expect(ceilings).toEqual([99, 199, 399, 799]);
    expect(retryWaitMs(rules, { failures: 1, askedMs: null, chance: 0 })).toBe(0);
    expect(retryWaitMs({ ...rules, tries: 90 }, { failures: 80, askedMs: null, chance: 0.5 })).toBe(500);
  });

  it("waits at least as long as it is asked to, and gives up when that is too long", () => {
    expect(retryWaitMs(rules, { failures: 1, askedMs: 700, chance: 0.5 })).toBe(750);
    expect(retryWaitMs(rules, { failures: 1, askedMs: 1000, chance: 0 })).toBe(1000);
    expect(retryWaitMs(rules, { failures: 1, askedMs: 1001, chance: 0 })).toBeNull();
  });

  it("has an end", () => {
    expect(retryWaitMs(rules, { failures: 5, askedMs: null, chance: 0 })).toBeNull();
    expect(retryWaitMs(RETRY_RULES, { failures: 2, askedMs: null, chance: 0 })).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import { createRateLimits } from "./rate-limits.ts";

const RATES = {
  providers: { anthropic: { requests: 2, tokens: 1000 } },
  tenants: { acme: { requests: 1, tokens: null } },
};
const call = (tokens = 100, tenant: string | null = null) => ({ provider: "anthropic", tenant, tokens });

describe("rate limits", () => {
  it("let through what nobody limits", () => {
    const limits = createRateLimits({ providers: {}, tenants: {} });
    expect(limits.enter(call(1e9, "acme"), 0, 0)).toMatchObject({ ok: true, waitMs: 0 });
  });

  it("make what comes first go first", () => {
    const limits = createRateLimits(RATES);
    const waits = [1, 2, 3, 4].map(() => limits.enter(call(), 120_000, 0).waitMs);
    expect(waits).toEqual([0, 0, 30_000, 60_000]);
  });

  it("refuse what would wait too long, and take nothing for it", () => {
    const limits = createRateLimits(RATES);
    limits.enter(call(), 0, 0);
    limits.enter(call(), 0, 0);
    const refused = {
      ok: false,
      waitMs: 30_000,
      why: "the rate of 2 requests a minute of provider anthropic is used up",
    };
    expect(limits.enter(call(), 10_000, 0)).toEqual(refused);
    expect(limits.enter(call(), 10_000, 0)).toEqual(refused);
    expect(limits.enter(call(), 0, 30_000)).toMatchObject({ ok: true, waitMs: 0 });
  });

  it("count tokens as they were in the end", () => {
    const limits = createRateLimits(RATES);
    const entry = limits.enter(call(1000), 0, 0);
    if (!entry.ok) throw new Error(entry.why);
    entry.correct(100, 0);
    expect(limits.enter(call(900), 0, 0)).toMatchObject({ ok: true });
    expect(limits.enter(call(1), 0, 60_000)).toMatchObject({ ok: true });
  });

  it("are of the tenant too", () => {
    const limits = createRateLimits(RATES);
    limits.enter(call(1, "acme"), 0, 0);
    expect(limits.enter(call(1, "acme"), 0, 0)).toMatchObject({ ok: false, waitMs: 60_000 });
    expect(limits.enter(call(1, "other"), 0, 0)).toMatchObject({ ok: true });
  });
});

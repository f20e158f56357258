import { describe, expect, it } from "vitest";
import { backoffMs } from "../backoff.ts";
import { chainNext, chainStart } from "./chain.ts";

describe("the chain", () => {
  it("covers the run, the events before and the event", () => {
    const start = chainStart("r_a");
    expect(start).not.toBe(chainStart("r_b"));
    expect(chainNext(start, "{}")).not.toBe(chainNext(chainStart("r_b"), "{}"));
    expect(chainNext(start, "{}")).not.toBe(chainNext(start, "[]"));
    expect(chainNext(start, "{}")).toHaveLength(43);
  });
});

describe("a backoff", () => {
  it("grows to its most, and stays nothing where it is nothing", () => {
    const backoff = { firstMs: 500, factor: 2, maxMs: 3000 };
    expect([1, 2, 3, 4, 5000].map((failures) => backoffMs(backoff, failures))).toEqual([500, 1000, 2000, 3000, 3000]);
    expect(backoffMs({ ...backoff, firstMs: 0 }, 5000)).toBe(0);
  });
});

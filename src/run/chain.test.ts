import { describe, expect, it } from "vitest";
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

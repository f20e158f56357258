import { describe, expect, it } from "vitest";
import { isNearlySame, normalError } from "./fingerprint.ts";

describe("a normal error", () => {
  it.each([
    ["exit code 1: 12 tests failed, 3.5 skipped", "exit code #: # tests failed, # skipped"],
    ["at 2026-11-16T14:02:33.120Z it broke", "at <time> it broke"],
    ["at 2026-11-16 14:02 it broke", "at <time> it broke"],
    ["14:02:33 it broke", "<time> it broke"],
    ["no file /tmp/pawl-x8Kq2/a/b.txt", "no file <temp>"],
    ["no file '/private/var/folders/zz/T/q'", "no file '<temp>'"],
    ["run r_0123456789ab blocked: stagnation", "run <id> blocked: stagnation"],
    ["request 9b2f3c44-1a2b-4c3d-8e9f-0a1b2c3d4e5f refused", "request <id> refused"],
    ["object 1a2b3c4d5e6f is bad, at 0xDEADBEEF", "object <hex> is bad, at <hex>"],
    ["took 120 ms, then 3.2s, then 5 minutes", "took <span>, then <span>, then <span>"],
    ["  a\n  b ", "a b"],
    ["the facade is defaced", "the facade is defaced"],
  ])("of %j is %j", (error, normal) => {
    expect(normalError(error)).toBe(normal);
  });

  it("is no longer than it must be", () => {
    expect(normalError("x".repeat(5000))).toHaveLength(400);
  });
});

describe("two errors", () => {
  it("are nearly the same when nearly all of their letters are", () => {
    const error =
      "node ended with #: AssertionError: the sum of the prices in the basket is wrong, expected # and got #";
    expect(isNearlySame(error, error)).toBe(true);
    expect(isNearlySame(error, `${error}.`)).toBe(true);
    expect(isNearlySame("", "")).toBe(true);
  });

  it("are different when they tell of something else", () => {
    expect(isNearlySame("cannot find module left", "the sum is wrong")).toBe(false);
    expect(isNearlySame("", "the sum is wrong")).toBe(false);
    expect(isNearlySame("a", "b")).toBe(false);
    expect(isNearlySame("abcdefghij", "abcdefghxx")).toBe(false);
  });
});

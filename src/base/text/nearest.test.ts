import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { nearest } from "./nearest.ts";

const KEYS = ["command", "action", "gate", "group", "run", "timeout", "max_attempts", "on_success"];

describe("nearest", () => {
  it.each([
    ["comand", "command"],
    ["commnad", "command"],
    ["acton", "action"],
    ["gaet", "gate"],
    ["rn", "run"],
    ["maxAttempts", "max_attempts"],
    ["max-attempts", "max_attempts"],
    ["ON_SUCCESS", "on_success"],
    ["tiemout", "timeout"],
  ])("takes %s for %s", (typed, meant) => {
    expect(nearest(typed, KEYS)).toBe(meant);
  });

  it.each(["", "-", "x", "wibble", "r".repeat(65), "commandcommand"])("has no guess for %j", (typed) => {
    expect(nearest(typed, KEYS)).toBeUndefined();
  });

  it("prefers the closer name and then the earlier one", () => {
    expect(nearest("tests", ["texts", "test", "tests2"])).toBe("texts");
    expect(nearest("tests", ["toasts", "test"])).toBe("test");
    expect(nearest("tests", ["test", "tests", "texts"])).toBe("tests");
  });

  it("does not replace a whole name by another", () => {
    expect(nearest("ab", ["cd"])).toBeUndefined();
    expect(nearest("a", ["b"])).toBeUndefined();
  });

  it("finds a name again after one slip", () => {
    const name = fc.stringMatching(/^[a-z]{4,20}$/);
    assertProperty(
      fc.property(name, fc.nat(), fc.constantFrom("drop", "swap", "double", "replace"), (original, seed, slip) => {
        const at = seed % (original.length - 1);
        const [a = "", b = ""] = original.slice(at, at + 2);
        const middle = { drop: b, swap: b + a, double: a + a + b, replace: `9${b}` }[slip];
        expect(nearest(original.slice(0, at) + middle + original.slice(at + 2), [original])).toBe(original);
      }),
    );
  });
});

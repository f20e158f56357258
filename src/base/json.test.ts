import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../test/support/property.ts";
import { canonical, isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

describe("canonical", () => {
  it("sorts keys at every depth and writes no spaces", () => {
    expect(canonical({ b: [1, { d: null, c: true }], a: "x" })).toBe('{"a":"x","b":[1,{"c":true,"d":null}]}');
  });

  it("sorts many keys like few, by UTF-16 code units", () => {
    const keys = Array.from({ length: 40 }, (_, i) => `k${i * 7}`);
    const object: JsonObject = Object.fromEntries([...keys, "é", "A", "\u{1f600}", "\uffff"].map((key) => [key, 1]));
    expect(Object.keys(JSON.parse(canonical(object)) as object)).toEqual(Object.keys(object).sort());
  });

  it("leaves out members that are undefined, and only those", () => {
    expect(canonical({ a: undefined, b: null, c: undefined })).toBe('{"b":null}');
    expect(canonical({ a: undefined })).toBe("{}");
  });

  it("writes both zeros as 0 and numbers as JavaScript does", () => {
    expect(canonical([0, -0, -1.5, 1e21, 1e-7])).toBe("[0,0,-1.5,1e+21,1e-7]");
  });

  it("escapes what JSON escapes, in short and long strings and in keys", () => {
    const hostile = [
      '"',
      "\\",
      "\n",
      "\u0000",
      "\u007f",
      "\u2028",
      "\ud800",
      "a\udfffb",
      "\u{1f600}",
      "x".repeat(100),
      `${"y".repeat(100)}"`,
    ];
    for (const text of hostile) {
      expect(canonical(text)).toBe(JSON.stringify(text));
      expect(canonical({ [text]: 1 })).toBe(JSON.stringify({ [text]: 1 }));
    }
  });

  it("keeps a member called __proto__", () => {
    expect(canonical(JSON.parse('{"__proto__":{"a":1},"b":2}') as JsonValue)).toBe('{"__proto__":{"a":1},"b":2}');
  });

  it("is the same for keys it has seen and keys it has not", () => {
    for (let i = 0; i < 1200; i += 1) expect(canonical({ [`key ${i}`]: i })).toBe(`{"key ${i}":${i}}`);
    expect(canonical({ "key 1199": 1, "key 3": 2 })).toBe('{"key 1199":1,"key 3":2}');
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, undefined, () => 1, 1n, Symbol("s")])("refuses %s", (value) => {
    expect(() => canonical(value as unknown as JsonValue)).toThrow(TypeError);
    expect(() => canonical([value as unknown as JsonValue])).toThrow(TypeError);
  });

  it("gives text that parses back to the same value and does not depend on the order of members", () => {
    assertProperty(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonical(value as JsonValue);
        expect(canonical(JSON.parse(text) as JsonValue)).toBe(text);
        expect(canonical(reversed(value as JsonValue))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

/** The same value with the members of every object the other way round. */
function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member as JsonValue)]),
  );
}

describe("isJsonObject", () => {
  it("is true for objects alone", () => {
    expect([{}, { a: 1 }].every(isJsonObject)).toBe(true);
    expect([null, [], "x", 1, undefined].some(isJsonObject)).toBe(false);
  });
});

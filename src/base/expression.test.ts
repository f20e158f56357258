import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../test/support/property.ts";
import { type Expression, type Lookup, references, resolve } from "./expression.ts";
import type { JsonValue } from "./json.ts";

const from =
  (values: Record<string, JsonValue>): Lookup =>
  (path) =>
    Object.hasOwn(values, path.join(".")) ? values[path.join(".")] : undefined;

const MIXED: Expression = {
  map: [
    ["plain", { lit: [1, { a: null }] }],
    ["whole", { ref: ["params", "n"] }],
    ["text", { text: ["n=", { ref: ["params", "n"] }, " list=", { ref: ["params", "list"] }] }],
    ["list", { list: [{ ref: ["item"] }, { lit: true }] }],
  ],
};

describe("resolve", () => {
  it("keeps the type of a reference that is the whole value and writes it out inside a text", () => {
    const lookup = from({ "params.n": 5, "params.list": ["b", { z: 1, a: false }], item: null });
    expect(resolve(MIXED, lookup)).toEqual({
      ok: true,
      value: { plain: [1, { a: null }], whole: 5, text: 'n=5 list=["b",{"a":false,"z":1}]', list: [null, true] },
    });
  });

  it.each<[Expression, string]>([
    [{ ref: ["params", "gone"] }, "params.gone"],
    [{ text: ["a", { ref: ["item"] }] }, "item"],
    [{ list: [{ lit: 1 }, { ref: ["index"] }] }, "index"],
    [{ map: [["k", { ref: ["stages", "a", "output"] }]] }, "stages.a.output"],
  ])("names the first reference without a value", (expression, ref) => {
    expect(resolve(expression, () => undefined)).toEqual({ ok: false, ref });
  });

  it("never reads a value for references again", () => {
    const value = `\${params.secret} $\${x}`;
    const lookup = from({ "params.a": value, "params.secret": "leaked" });
    expect(resolve({ ref: ["params", "a"] }, lookup)).toEqual({ ok: true, value });
    expect(resolve({ text: ["<", { ref: ["params", "a"] }, ">"] }, lookup)).toEqual({ ok: true, value: `<${value}>` });
  });

  it("builds maps without touching a prototype", () => {
    const resolved = resolve({ map: [["__proto__", { lit: { polluted: true } }]] }, () => undefined);
    const value = resolved.ok ? (resolved.value as Record<string, unknown>) : {};
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(["__proto__"]);
    expect(value["polluted"]).toBeUndefined();
  });

  it("puts any string in unchanged", () => {
    assertProperty(
      fc.property(fc.string(), (value) => {
        expect(resolve({ text: [{ ref: ["item"] }] }, () => value)).toEqual({ ok: true, value });
      }),
    );
  });
});

describe("references", () => {
  it("lists every path in the order written", () => {
    expect(references(MIXED)).toEqual([["params", "n"], ["params", "n"], ["params", "list"], ["item"]]);
  });
});

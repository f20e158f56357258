import { describe, expect, it, test } from "vitest";
import type { JsonValue } from "../json.ts";
import { readSchema, type Schema } from "./schema.ts";

function schemaOf(source: JsonValue): Schema {
  const reading = readSchema(source);
  if (!reading.ok) throw new Error(reading.problem);
  return reading.schema;
}

describe("a value against a schema", () => {
  it.each<[JsonValue, JsonValue, readonly string[]]>([
    [true, 1, []],
    [false, 1, ["it must not be there"]],
    [{ type: "string" }, "a", []],
    [{ type: "string" }, 1, ["it must be a text"]],
    [{ type: ["integer", "null"] }, null, []],
    [{ type: ["integer", "null"] }, 1.5, ["it must be null or a whole number"]],
    [{ type: "array" }, {}, ["it must be a list"]],
    [{ type: "object" }, [], ["it must be an object"]],
    [{ type: "boolean" }, false, []],
    [{ enum: ["a", { b: 1 }] }, { b: 1 }, []],
    [{ enum: ["a"] }, "b", ['it must be one of ["a"]']],
    [{ enum: ["x".repeat(300)] }, "b", [`it must be one of ["${"x".repeat(198)}…`]],
    [{ const: [1] }, [1], []],
    [{ const: [1] }, [2], ["it must be [1]"]],
    [{ minimum: 1, maximum: 3 }, 0, ["it must be at least 1"]],
    [{ minimum: 1, maximum: 3 }, 4, ["it must be at most 3"]],
    [{ minimum: 1 }, "0", []],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, 1, ["it must be more than 1"]],
    [{ exclusiveMinimum: 1, exclusiveMaximum: 2 }, 2, ["it must be less than 2"]],
    [{ multipleOf: 5 }, 10, []],
    [{ multipleOf: 5 }, 11, ["it must be a multiple of 5"]],
    [{ minLength: 1, maxLength: 2 }, "", ["it must have at least 1 characters"]],
    [{ minLength: 1, maxLength: 2 }, "🙂🙂", []],
    [{ maxLength: 2 }, "abc", ["it must have at most 2 characters"]],
    [{ maxLength: 2 }, 12345, []],
    [
      { minItems: 1, maxItems: 1, uniqueItems: true },
      [1, 1],
      ["it must have at most 1 entries", "it must not have an entry twice"],
    ],
    [{ minItems: 1 }, [], ["it must have at least 1 entries"]],
    [{ minItems: 1, uniqueItems: true }, "no list", []],
    [{ uniqueItems: false }, [1, 1], []],
    [{ uniqueItems: true }, [1, 2], []],
    [{ minProperties: 1, maxProperties: 1 }, {}, ["it must have at least 1 members"]],
    [{ minProperties: 1, maxProperties: 1 }, { a: 1, b: 2 }, ["it must have at most 1 members"]],
    [{ minProperties: 1 }, 1, []],
    [{ pattern: "^a+$" }, "aa", []],
    [{ pattern: "^a+$" }, "ab", ['it must match "^a+$"']],
    [{ pattern: "^a+$" }, 1, []],
    [{ items: { type: "string" } }, ["a", 1], ["[1] must be a text"]],
    [{ items: { type: "string" } }, 1, []],
    [{ prefixItems: [{ type: "string" }], items: false }, ["a", 1], ["[1] must not be there"]],
    [{ prefixItems: [{ type: "string" }] }, [1, 1], ["[0] must be a text"]],
    [{ prefixItems: [{ type: "string" }] }, 1, []],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, ["it must be at most 2"]],
    [{ anyOf: [{ type: "string" }, { minimum: 5 }] }, 4, ["it must fit one of the forms it may have"]],
    [{ anyOf: [{ type: "string" }, { minimum: 5 }] }, 6, []],
    [{ oneOf: [{ minimum: 1 }, { minimum: 5 }] }, 6, ["it must fit exactly one of the forms it may have"]],
    [{ not: { type: "string" } }, "a", ["it has a form that it must not have"]],
    [{ not: { type: "string" } }, 1, []],
    [{ title: "t", "x-own": 1, $defs: { a: 5 }, default: 1 }, 1, []],
  ])("%j against %j", (source, value, problems) => {
    expect(schemaOf(source).problems(value)).toEqual(problems);
  });

  test("names the place of every problem", () => {
    const schema = schemaOf({
      type: "object",
      properties: { list: { items: { required: ["id"] } }, name: { type: "string" } },
      patternProperties: { "^n_": { type: "number" } },
      propertyNames: { maxLength: 5 },
      required: ["name"],
      additionalProperties: false,
    });
    expect(schema.problems({ list: [{ id: 1 }, {}], n_a: "1", other_one: 1 })).toEqual([
      "list[1].id is missing",
      "n_a must be a number",
      "other_one must have at most 5 characters",
      "name is missing",
      "other_one is not known",
    ]);
    expect(schema.problems("text")).toEqual(["it must be an object"]);
    expect(schemaOf({ additionalProperties: { type: "string" } }).problems({ a: 1 })).toEqual(["a must be a text"]);
  });

  test("reads no member that only the prototype has", () => {
    const schema = schemaOf({ properties: { toString: { type: "number" } }, required: ["constructor"] });
    expect(schema.problems({})).toEqual(["constructor is missing"]);
    const strict = schemaOf({ properties: {}, additionalProperties: false });
    expect(strict.problems(JSON.parse('{"__proto__":1,"toString":2}'))).toEqual([
      "__proto__ is not known",
      "toString is not known",
    ]);
  });

  test("follows references, also those that lead back", () => {
    const tree = {
      $ref: "#/$defs/a~1b",
      $defs: { "a/b": { properties: { next: { $ref: "#/$defs/a~1b" } }, maxProperties: 1 } },
    };
    expect(schemaOf(tree).problems({ next: { next: {} } })).toEqual([]);
    expect(schemaOf(tree).problems({ next: { next: {}, x: 1 } })).toEqual(["next must have at most 1 members"]);
    expect(schemaOf({ $ref: "#" }).problems(1)).toEqual(["it is nested too deeply"]);
  });

  test("tells no more problems than anybody reads", () => {
    expect(schemaOf({ items: { type: "string" } }).problems(new Array<number>(100).fill(1))).toHaveLength(20);
  });
});

describe("a schema that cannot be used", () => {
  it.each<[JsonValue, string]>([
    [1, "# is no schema"],
    [{ properties: { a: null } }, "#/properties/a is no schema"],
    [{ type: "text" }, "#: type is no type, or a list with one that is none"],
    [{ type: ["string", "x"] }, "#: type is no type, or a list with one that is none"],
    [{ enum: [] }, "#: enum is no list of values"],
    [{ minimum: "1" }, "#: minimum is no number"],
    [{ multipleOf: 0 }, "#: multipleOf is no number above 0"],
    [{ maxLength: -1 }, "#: maxLength is no count"],
    [{ maxLength: 1.5 }, "#: maxLength is no count"],
    [{ pattern: 1 }, "#: pattern is no text"],
    [{ pattern: "(" }, "#: pattern is no pattern that can be used: error parsing regexp: missing closing ): `(`"],
    [{ uniqueItems: 1 }, "#: uniqueItems is neither true nor false"],
    [{ properties: [] }, "#: properties is no object"],
    [{ patternProperties: 1 }, "#: patternProperties is no object"],
    [
      { patternProperties: { "(": true }, additionalProperties: false },
      "#: patternProperties has a pattern that cannot be used: error parsing regexp: missing closing ): `(`",
    ],
    [{ required: [1] }, "#: required is no list of names"],
    [{ required: "a" }, "#: required is no list of names"],
    [{ prefixItems: {} }, "#: prefixItems is no list of schemas"],
    [{ allOf: [] }, "#: allOf is no list of schemas"],
    [{ anyOf: 1 }, "#: anyOf is no list of schemas"],
    [{ $ref: "other.json" }, "#: $ref leads out of the schema"],
    [{ $ref: 1 }, "#: $ref leads out of the schema"],
    [{ $ref: "#/$defs/none" }, "#: $ref leads nowhere: #/$defs/none"],
    [{ $ref: "#/type/none", type: "string" }, "#: $ref leads nowhere: #/type/none"],
    [{ dependentSchemas: {} }, "#: dependentSchemas is a keyword that is not known"],
    [{ toString: 1 }, "#: toString is a keyword that is not known"],
  ])("%j is refused", (source, problem) => {
    expect(readSchema(source)).toEqual({ ok: false, problem });
  });

  test("one that is too deep is refused", () => {
    let deep: JsonValue = true;
    for (let level = 0; level < 70; level += 1) deep = { not: deep };
    expect(readSchema(deep)).toMatchObject({ ok: false, problem: expect.stringContaining("is too deep") });
  });
});

describe("T7: arguments are coerced by their schema only", () => {
  it.each<[JsonValue, JsonValue, JsonValue]>([
    [{ type: "string" }, "007", "007"],
    [{ type: "string" }, "12345678901234567890", "12345678901234567890"],
    [{ type: ["string", "integer"] }, "5", "5"],
    [{ type: "integer" }, "5", 5],
    [{ type: "integer" }, "-5", -5],
    [{ type: "integer" }, "007", "007"],
    [{ type: "integer" }, "12345678901234567890", "12345678901234567890"],
    [{ type: "integer" }, "5.0", "5.0"],
    [{ type: "integer" }, " 5", " 5"],
    [{ type: "number" }, "0.25", 0.25],
    [{ type: "number" }, "1e3", 1000],
    [{ type: "number" }, "1e999", "1e999"],
    [{ type: "number" }, "0.12345678901234567", "0.12345678901234567"],
    [{ type: "number" }, "Infinity", "Infinity"],
    [{ type: "boolean" }, "true", true],
    [{ type: "boolean" }, "false", false],
    [{ type: "boolean" }, "yes", "yes"],
    [{ type: "boolean" }, 1, 1],
    [{ type: "null" }, "null", "null"],
    [{ type: "array", items: { type: "integer" } }, '["1",2]', [1, 2]],
    [{ type: "array" }, "a,b", "a,b"],
    [{ type: "array" }, '{"a":1}', '{"a":1}'],
    [{ type: "array" }, [1], [1]],
    [{ type: "object", properties: { a: { type: "integer" } } }, '{"a":"1"}', { a: 1 }],
    [{ type: "string" }, 5, "5"],
    [{ type: "string" }, 2 ** 60, 2 ** 60],
    [{ type: "string" }, 0.5, 0.5],
    [{}, "5", "5"],
    [true, "5", "5"],
    [{ anyOf: [{ type: "integer" }, { type: "boolean" }] }, "true", true],
    [{ oneOf: [{ type: "integer" }, { type: "boolean" }] }, "x", "x"],
    [{ anyOf: [{ type: "integer" }, { type: "string" }] }, "5", "5"],
    [{ $ref: "#/$defs/n", $defs: { n: { type: "integer" } } }, "5", 5],
    [{ $ref: "#" }, "5", "5"],
  ])("%j makes of %j: %j", (source, value, expected) => {
    expect(schemaOf(source).coerce(value)).toEqual(expected);
  });

  test("an object of which the schema says nothing stays as it is", () => {
    expect(schemaOf({ type: "object" }).coerce({ a: "5" })).toEqual({ a: "5" });
    expect(schemaOf({ properties: { a: { type: "integer" } } }).coerce({ a: "5" })).toEqual({ a: 5 });
  });

  test("null for what may be left out leaves it out, unless null may stand there", () => {
    const properties = { a: { type: "string" }, b: { type: "string" }, c: { type: ["string", "null"] } };
    const schema = schemaOf({ properties, required: ["a"] });
    expect(schema.coerce({ a: null, b: null, c: null, other: null })).toEqual({ a: null, c: null, other: null });
  });
});

test("a text that is nested beyond reason is not read as what it stands for", () => {
  const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const schema = schemaOf({ type: "array" });
  expect(schema.coerce(nested(200))).toEqual(JSON.parse(nested(200)));
  expect(schema.coerce(nested(202))).toBe(nested(202));
  expect(schema.coerce(nested(100_000))).toBe(nested(100_000));
});

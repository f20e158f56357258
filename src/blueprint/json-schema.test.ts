import { describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { BLUEPRINT_FIELDS, STAGE_FIELDS } from "./fields.ts";
import { blueprintJsonSchema } from "./json-schema.ts";

type Schema = JsonObject & {
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required?: readonly string[];
};
const schema = blueprintJsonSchema() as Schema & {
  readonly $defs: Readonly<Record<string, { readonly oneOf: readonly Schema[] }>>;
};
const titled = (definition: string, title: string): Schema =>
  schema.$defs[definition]?.oneOf.find((form) => form["title"] === title) as Schema;

/** Every schema below, the given one included. */
function everySchema(value: JsonValue | undefined): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(everySchema);
  return isJsonObject(value) ? [value, ...Object.values(value).flatMap(everySchema)] : [];
}

describe("blueprintJsonSchema", () => {
  it("has every key of the table, each with a description", () => {
    expect(Object.keys(schema.properties)).toEqual(Object.keys(BLUEPRINT_FIELDS));
    expect(schema.required).toEqual(["version", "name", "stages"]);
    const stageKeys = schema.$defs["stage"]?.oneOf.flatMap((form) => Object.keys(form.properties));
    expect(new Set(stageKeys)).toEqual(new Set(Object.keys(STAGE_FIELDS)));
    const described = everySchema(schema).flatMap(({ properties }) =>
      isJsonObject(properties) ? Object.values(properties) : [],
    );
    expect(described.filter((field) => !isJsonObject(field) || typeof field["description"] !== "string")).toEqual([]);
  });

  it("gives each kind of stage its own keys and its verb", () => {
    expect(titled("stage", "action stage").required).toEqual(["id", "action"]);
    expect(titled("member", "action stage").required).toEqual(["action"]);
    expect(Object.keys(titled("stage", "action stage").properties)).not.toContain("capture");
    expect(Object.keys(titled("stage", "gate stage").properties)).toContain("capture");
    expect(Object.keys(titled("stage", "group stage").properties)).not.toContain("timeout");
  });

  it("gives members of a group no routes and no groups", () => {
    expect(schema.$defs["member"]?.oneOf.map(({ title }) => title)).toEqual([
      "command stage",
      "agent stage",
      "action stage",
      "gate stage",
      "run stage",
    ]);
    expect(Object.keys(titled("member", "command stage").properties)).not.toContain("on_success");
  });

  it("closes every map with fixed keys, refers only to what it defines and holds valid patterns", () => {
    const all = everySchema(schema);
    expect(
      all.filter(({ properties, additionalProperties }) => isJsonObject(properties) && additionalProperties !== false),
    ).toEqual([]);
    const refs = all.flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
    expect(new Set(refs)).toEqual(new Set(["#/$defs/stage", "#/$defs/member"]));
    for (const { pattern } of all)
      if (typeof pattern === "string") expect(() => new RegExp(pattern, "u")).not.toThrow();
  });
});

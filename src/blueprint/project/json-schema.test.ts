import { describe, expect, it } from "vitest";
import { projectJsonSchema } from "./json-schema.ts";
import { PROJECT_FIELDS } from "./parse-project.ts";

describe("the JSON Schema of pawl.yaml", () => {
  it("has every key that the parser knows, and no other", () => {
    const schema = projectJsonSchema() as { properties: Record<string, unknown>; additionalProperties: boolean };
    expect(Object.keys(schema.properties)).toEqual(Object.keys(PROJECT_FIELDS));
    expect(schema.additionalProperties).toBe(false);
  });
});

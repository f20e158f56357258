/** The version that files of OpenExec name: 1, however they write it. */
import { scalar } from "../../shapes/shape.ts";

export const version = scalar({
  expected: "1",
  code: "BLUEPRINT_VERSION_UNSUPPORTED",
  schema: { type: ["string", "number"] },
  convert: (value) => (/^1(?:\.\d{1,4}){0,2}$/.test(String(value)) ? (1 as const) : undefined),
});

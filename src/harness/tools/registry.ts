/** Tools by name. A tool gets in only with a schema that can be checked whole. */
import { pawlError } from "../../base/errors.ts";
import { readSchema, type Schema } from "../../base/schema/schema.ts";
import { TOOL_ERRORS } from "../../ports/errors/tool-errors.ts";
import type { Tool } from "./tool.ts";

export interface RegisteredTool {
  readonly tool: Tool;
  readonly schema: Schema;
}

export interface ToolRegistry {
  get(name: string): RegisteredTool | undefined;
  /** In the order they were given. */
  readonly all: readonly RegisteredTool[];
}

const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** Throws TOOL_NAME_TAKEN, TOOL_NAME_UNFIT or TOOL_SCHEMA_UNFIT. */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const known = new Map<string, RegisteredTool>();
  for (const tool of tools) {
    if (!NAME.test(tool.name)) throw pawlError(TOOL_ERRORS, "TOOL_NAME_UNFIT", { tool: tool.name });
    if (known.has(tool.name)) throw pawlError(TOOL_ERRORS, "TOOL_NAME_TAKEN", { tool: tool.name });
    known.set(tool.name, { tool, schema: schemaOf(tool) });
  }
  return { get: (name) => known.get(name), all: [...known.values()] };
}

function schemaOf({ name: tool, input }: Tool): Schema {
  const reading = readSchema(input);
  if (!reading.ok) throw pawlError(TOOL_ERRORS, "TOOL_SCHEMA_UNFIT", { tool, problem: reading.problem });
  if (input["type"] === "object") return reading.schema;
  throw pawlError(TOOL_ERRORS, "TOOL_SCHEMA_UNFIT", { tool, problem: "it is not for an object" });
}

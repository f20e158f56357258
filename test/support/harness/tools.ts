/** Small tools for tests of the harness. */
import type { JsonObject } from "../../../src/base/json.ts";
import type { Tool, ToolContext, ToolResult } from "../../../src/harness/tools/tool.ts";

export interface TestTool extends Tool {
  readonly ran: { readonly input: JsonObject; readonly key: string }[];
}

export function testTool(
  name: string,
  work: (input: JsonObject, context: ToolContext) => ToolResult | Promise<ToolResult> = () => ({
    ok: true,
    output: "ok",
  }),
  more: Partial<Tool> = {},
): TestTool {
  const ran: { input: JsonObject; key: string }[] = [];
  return {
    name,
    summary: `Does ${name}.`,
    input: { type: "object" },
    risk: "low",
    timeout: "fast",
    idempotent: true,
    requests: () => [],
    async run(input, context) {
      ran.push({ input, key: context.key });
      return work(input, context);
    },
    ...more,
    ran,
  };
}

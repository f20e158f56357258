/** The same work by the loop of the AI SDK alone, and by the harness with its journal on disk. */

import { runAgent } from "../../src/harness/run-agent.ts";
import type { Tool } from "../../src/harness/tools/tool.ts";
import { createFileJournal } from "../../src/runtime/wire.ts";
import { callingModel, PAGE } from "./model.ts";

const INPUT = {
  type: "object",
  properties: { page: { type: "integer" } },
  required: ["page"],
  additionalProperties: false,
} as const;

function lookUp(idempotent: boolean): Tool {
  return {
    ...{ name: "look_up", summary: "Looks up a page.", input: INPUT, risk: "low", timeout: "fast", idempotent },
    requests: () => [],
    run: async () => ({ ok: true, output: PAGE }),
  };
}

/** Milliseconds a call. */
export type Loop = (calls: number, dir: string) => Promise<number>;

export const bare: Loop = async (calls) => {
  const { generateText, jsonSchema, stepCountIs, tool } = await import("ai");
  const look_up = tool({
    description: "Looks up a page.",
    inputSchema: jsonSchema<object>(INPUT),
    execute: async () => PAGE,
  });
  return timed(calls, async () => {
    const stopWhen = stepCountIs(calls + 1);
    const { text } = await generateText({ model: callingModel(calls), prompt: "go", tools: { look_up }, stopWhen });
    return text;
  });
};

const harness =
  (idempotent: boolean): Loop =>
  (calls, dir) =>
    timed(calls, async () => {
      const most = 1e12;
      const { output } = await runAgent({
        model: callingModel(calls),
        prompt: "go",
        tools: [lookUp(idempotent)],
        root: dir,
        budget: { turns: most, toolCalls: most, tokens: most, usd: most },
        compaction: { contextTokens: most },
        ports: { journal: createFileJournal(dir) },
      });
      return output;
    });

/** Every turn and result survives the process. */
export const durable: Loop = harness(true);
/** Besides, the intent of every call survives a power cut before the call. */
export const synced: Loop = harness(false);

async function timed(calls: number, run: () => Promise<string>): Promise<number> {
  const from = performance.now();
  const output = await run();
  if (output !== "done") throw new Error(`the loop ended with "${output}"`);
  return (performance.now() - from) / calls;
}

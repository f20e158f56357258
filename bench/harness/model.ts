/** A model that costs nothing: it asks for a tool so many times, then answers. The same object for both loops. */
import type { Answer, Model } from "../../src/harness/models/model.ts";

const USAGE: Answer["usage"] = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 10, text: 10, reasoning: 0 },
};

/** `by` the number of answers in the prompt, as a real model does. */
export function callingModel(calls: number): Model {
  let turn = 0;
  return {
    specificationVersion: "v3",
    provider: "bench",
    modelId: "bench",
    supportedUrls: {},
    async doGenerate() {
      turn += 1;
      const isLast = turn > calls;
      return {
        content: isLast
          ? [{ type: "text", text: "done" }]
          : [
              { type: "text", text: "I look it up." },
              { type: "tool-call", toolCallId: `c${turn}`, toolName: "look_up", input: `{"page":${turn}}` },
            ],
        finishReason: { unified: isLast ? "stop" : "tool-calls", raw: undefined },
        usage: USAGE,
        warnings: [],
      };
    },
    doStream: () => Promise.reject(new Error("it does not stream")),
  };
}

/** What the tool gives: a page of text. */
export const PAGE = "It was a bright cold day in April, and the clocks were striking thirteen. ".repeat(10);

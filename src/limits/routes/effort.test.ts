import { describe, expect, it } from "vitest";
import { effortMembers } from "./effort.ts";

describe("effortMembers", () => {
  it("says the effort in the words of the wire and keeps what stands beside it", () => {
    expect(effortMembers({ a: 1, output_config: { format: "f" } }, "anthropic", "c", "low")).toEqual({
      output_config: { format: "f", effort: "low" },
    });
    expect(effortMembers({ reasoning: { summary: "auto", effort: "low" } }, "responses", "g", "high")).toEqual({
      reasoning: { summary: "auto", effort: "high" },
    });
    expect(effortMembers({ reasoning: null }, "responses", "g", "high")).toEqual({ reasoning: { effort: "high" } });
    expect(effortMembers({}, "chat", "g", "medium")).toEqual({ reasoning_effort: "medium" });
  });

  it("gives Gemini a level, and older ones a budget, never both", () => {
    const body = { generationConfig: { topK: 1, thinkingConfig: { includeThoughts: true, thinkingBudget: 5 } } };
    expect(effortMembers(body, "gemini", "gemini-3-pro", "low")).toEqual({
      generationConfig: { topK: 1, thinkingConfig: { includeThoughts: true, thinkingLevel: "low" } },
    });
    expect(effortMembers(body, "gemini", "gemini-2.5-flash", "high")).toEqual({
      generationConfig: { topK: 1, thinkingConfig: { includeThoughts: true, thinkingBudget: 24_576 } },
    });
    expect(effortMembers({}, "gemini", "gemini-3", "medium")).toEqual({
      generationConfig: { thinkingConfig: { thinkingLevel: "medium" } },
    });
  });
});

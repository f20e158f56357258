import { describe, expect, it } from "vitest";
import { parseOrchestration } from "./orchestration.ts";

describe("parseOrchestration", () => {
  it.each([
    ["single", 1],
    ["maker-checker", 2],
    ["parallel:2", 3],
    ["parallel:5", 6],
    ["debate:1", 2],
    ["debate:3", 4],
  ])("%s costs %i times one agent", (mode, multiplier) => {
    expect(parseOrchestration(mode)).toEqual({ mode, multiplier });
  });

  it.each([
    "",
    "solo",
    "parallel",
    "parallel:1",
    "parallel:0",
    "debate:0",
    "debate:-1",
    "parallel:2x",
    "parallel:1000",
  ])("%j is none", (text) => {
    expect(parseOrchestration(text)).toBeUndefined();
  });
});

import { describe, expect, it } from "vitest";
import { type Providers, readCandidate, readPinned, showCandidate, splitEffort } from "./candidate.ts";

const PROVIDERS: Providers = { anthropic: ["anthropic"], openai: ["responses", "chat"], router: ["chat"] };

describe("splitEffort", () => {
  it.each([
    ["gpt-x:high", "gpt-x", "high"],
    ["gpt-x", "gpt-x", null],
    ["llama:8b", "llama:8b", null],
    ["llama:8b:low", "llama:8b", "low"],
    [":high", ":high", null],
  ])("reads %s", (text, name, effort) => {
    expect(splitEffort(text)).toEqual({ name, effort });
  });
});

describe("readCandidate", () => {
  it.each([
    ["claude-x", "anthropic", "claude-x"],
    ["gpt-x", "openai", "gpt-x"],
    ["o3", "openai", "o3"],
    ["gemini-x", "google", "gemini-x"],
    ["grok-x", "xai", "grok-x"],
    ["router/anthropic/claude-x", "router", "anthropic/claude-x"],
    ["meta/llama", "openai", "meta/llama"],
    ["constructor/x", "openai", "constructor/x"],
    ["claude-x:medium", "anthropic", "claude-x"],
  ])("knows whose %s is", (text, provider, model) => {
    expect(readCandidate(text, PROVIDERS, "chat")).toMatchObject({ provider, model });
  });

  it("goes by the wire when the name tells nothing", () => {
    expect(readCandidate("mine", {}, "anthropic").provider).toBe("anthropic");
    expect(readCandidate("mine", {}, "gemini").provider).toBe("google");
  });
});

describe("readPinned", () => {
  it.each([
    ["claude-x", "anthropic", "anthropic"],
    ["claude-x", "chat", "openai"],
    ["grok-x:low", "chat", "openai"],
    ["router/x", "chat", "router"],
    ["anthropic/claude-x:low", "chat", "anthropic"],
    ["gemini-x", "gemini", "google"],
  ] as const)("leaves %s on %s to %s", (text, wire, provider) => {
    expect(readPinned(text, PROVIDERS, wire).provider).toBe(provider);
  });
});

it("shows a candidate so that it can be read again", () => {
  for (const text of ["anthropic/claude-x:low", "router/a/b"]) {
    expect(showCandidate(readCandidate(text, PROVIDERS, "chat"))).toBe(text);
  }
});

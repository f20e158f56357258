import { describe, expect, it } from "vitest";
import type { WireName } from "./candidate.ts";
import { findRoute, MOST_CANDIDATES } from "./route.ts";

const SETUP = {
  tiers: { fast: ["claude-h", "gpt-m"], smart: ["claude-o:high", "claude-s", "gemini-p"], lost: ["grok-x"] },
  providers: { anthropic: ["anthropic"], openai: ["responses", "chat"], google: ["gemini"] } as const,
};

const shown = (asked: string, wire: WireName): unknown => {
  const found = findRoute(asked, wire, SETUP);
  if (!found.ok) return found.why;
  return found.route.candidates.map(({ model, effort }) => (effort === null ? model : `${model} ${effort}`));
};

describe("findRoute", () => {
  it.each<[string, WireName, unknown]>([
    ["claude-s", "anthropic", ["claude-s"]],
    ["unheard-of", "anthropic", ["unheard-of"]],
    ["claude-s", "chat", ["claude-s"]],
    ["fast", "anthropic", ["claude-h"]],
    ["fast", "responses", ["gpt-m"]],
    ["smart", "anthropic", ["claude-o high", "claude-s"]],
    ["smart:low", "anthropic", ["claude-o high", "claude-s low"]],
    ["claude-s:high", "anthropic", ["claude-s high"]],
    ["a, b,a", "chat", ["a", "b"]],
    ["smart,fast", "anthropic", ["claude-o high", "claude-s", "claude-h"]],
    ["toString", "chat", ["toString"]],
    ["a,,b", "chat", '"a,,b" names no model between two commas'],
  ])("reads %s on %s", (asked, wire, expected) => {
    expect(shown(asked, wire)).toEqual(expected);
  });

  it("names who was passed over, and why", () => {
    expect(findRoute("smart,lost", "gemini", SETUP)).toEqual({
      ok: true,
      route: {
        asked: "smart,lost",
        candidates: [{ provider: "google", model: "gemini-p", effort: null }],
        passedOver: [
          {
            model: "anthropic/claude-o:high",
            why: "anthropic does not speak gemini, and requests are not translated",
          },
          { model: "anthropic/claude-s", why: "anthropic does not speak gemini, and requests are not translated" },
          { model: "xai/grok-x", why: "no provider xai is set up" },
        ],
      },
    });
  });

  it("refuses a route on which nobody can answer", () => {
    expect(shown("claude-s,grok-x", "chat")).toBe(
      'no model of "claude-s,grok-x" can answer this request (anthropic/claude-s: anthropic does not speak chat, ' +
        "and requests are not translated; xai/grok-x: no provider xai is set up)",
    );
  });

  it("has an end", () => {
    const many = Array.from({ length: MOST_CANDIDATES + 1 }, (_, index) => `m${index}`);
    expect(shown(many.join(","), "chat")).toMatch(/names 9 models, and may name 8$/);
    expect(shown(many.slice(1).join(","), "chat")).toHaveLength(MOST_CANDIDATES);
  });
});

import { describe, expect, it } from "vitest";
import type { WireName } from "./candidate.ts";
import { type CallFailure, type FailureKind, judgeFailure } from "./failure.ts";

const failure = (wire: WireName, status: number | null, type: string | null, message = ""): CallFailure => ({
  wire,
  status,
  type,
  message,
  headers: {},
});

const GOOGLE_RATE =
  "You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. Please retry in 8s.";

const CASES: readonly (readonly [FailureKind, CallFailure])[] = [
  ["transient", failure("anthropic", null, null, "socket hang up")],
  ["transient", failure("anthropic", 529, "overloaded_error")],
  ["transient", failure("anthropic", 429, "rate_limit_error")],
  ["transient", failure("anthropic", 500, "api_error")],
  ["transient", failure("anthropic", 200, "overloaded_error")],
  ["transient", failure("chat", 408, null)],
  ["transient", failure("chat", 409, null)],
  ["transient", failure("chat", 503, "server_error", "the model is overloaded")],
  ["transient", failure("responses", 200, "server_is_overloaded")],
  ["transient", failure("responses", 429, "rate_limit_exceeded")],
  ["transient", failure("gemini", 503, "UNAVAILABLE")],
  ["transient", failure("gemini", 200, "RESOURCE_EXHAUSTED")],
  // Google says so of a rate too.
  ["transient", failure("gemini", 429, "RESOURCE_EXHAUSTED", GOOGLE_RATE)],
  ["exhausted", failure("gemini", 429, "RESOURCE_EXHAUSTED", "Your prepayment credits are depleted.")],
  ["exhausted", failure("chat", 429, "insufficient_quota", "You exceeded your current quota")],
  ["exhausted", failure("responses", 429, "usage_limit_reached")],
  ["exhausted", failure("anthropic", 400, "invalid_request_error", "Your credit balance is too low to use the API")],
  ["exhausted", failure("chat", 402, null, "Insufficient credits")],
  ["exhausted", failure("chat", 402, null)],
  ["absent", failure("anthropic", 404, "not_found_error", "model: claude-none")],
  ["absent", failure("chat", 404, "model_not_found", "The model `x` does not exist")],
  ["absent", failure("gemini", 404, "NOT_FOUND", "models/x is not found for API version v1beta")],
  ["absent", failure("chat", 400, "model_not_found")],
  ["permanent", failure("chat", 404, null, "no such path")],
  ["permanent", failure("anthropic", 400, "invalid_request_error", "messages: too few")],
  ["permanent", failure("anthropic", 400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000")],
  ["permanent", failure("responses", 400, "context_length_exceeded", "exceeds the context window")],
  ["permanent", failure("responses", 200, "context_length_exceeded")],
  ["permanent", failure("anthropic", 401, "authentication_error")],
  ["permanent", failure("gemini", 403, "PERMISSION_DENIED")],
  ["permanent", failure("gemini", 422, null)],
  ["permanent", failure("anthropic", 200, "something_new")],
  ["permanent", failure("anthropic", 200, null)],
];

describe("judgeFailure", () => {
  it.each(CASES)("%s: %o", (kind, given) => {
    expect(judgeFailure(given).kind).toBe(kind);
  });

  it("says why without repeating what the provider wrote", () => {
    expect(judgeFailure(failure("anthropic", 529, "overloaded_error", "secret")).why).toBe("529 overloaded_error");
    expect(judgeFailure(failure("anthropic", null, null, "secret")).why).toBe("no answer");
    expect(judgeFailure(failure("anthropic", 400, "x", "prompt is too long")).why).toBe(
      "400 x (longer than the model can read)",
    );
  });

  it("names billing where only money helps", () => {
    for (const failed of [failure("chat", 402, null), failure("responses", 429, "insufficient_quota")])
      expect(judgeFailure(failed).why).toMatch(/billing: the account has no credit/);
  });

  it("lets no word of others into a header as it is", () => {
    expect(judgeFailure(failure("chat", 500, `a b\r\nset-cookie: ${"x".repeat(99)}`)).why).toMatch(
      /^500 a\?b\?\?set-cookie\?\?x{43}$/,
    );
  });

  it("does not ask again who says not to be asked", () => {
    const busy = failure("anthropic", 429, "rate_limit_error");
    expect(judgeFailure({ ...busy, headers: { "x-should-retry": "false" } })).toEqual({
      kind: "exhausted",
      why: "429 rate_limit_error (it says not to try again)",
    });
    expect(judgeFailure({ ...busy, headers: { "x-should-retry": "true" } }).kind).toBe("transient");
  });
});

import { describe, expect, it, test } from "vitest";
import { refusalReason } from "./refusal.ts";

test.for([
  [402, "scripted", "budget"],
  [401, "no", "auth"],
  [403, "no", "auth"],
  [429, "slow down", "rate_limited"],
  [529, "Overloaded", "overloaded"],
  [503, "later", "overloaded"],
  [413, "large", "context_overflow"],
  [400, "This model's maximum context length is 200000 tokens", "context_overflow"],
  [400, "no such parameter", "provider"],
  [500, "oops", "provider"],
  [null, "unexpected status 402 Payment Required: scripted, url: http://127.0.0.1", "budget"],
  [null, "GATEWAY_CALLS_REACHED: All 3 calls that were granted are made.", "budget"],
  [null, "exceeded retry limit, last status: 429 Too Many Requests", "rate_limited"],
  [null, "429 slow down", "rate_limited"],
  [null, '{"error":{"code":529,"message":"x"}}', "overloaded"],
  [null, "RESOURCE_EXHAUSTED", "rate_limited"],
  [null, "The model is overloaded. Please try again later.", "overloaded"],
  [null, "Incorrect API key provided", "auth"],
  [null, "stream disconnected before completion", "provider"],
] as const)("status %s with %j is %s", ([status, message, reason]) => {
  expect(refusalReason({ status, message })).toBe(reason);
});

describe("a refusal that only money ends", () => {
  it.each([
    ["insufficient_quota: You exceeded your current quota, please check your plan and billing details.", 429],
    ["invalid_request_error: Your credit balance is too low to access the Anthropic API.", 400],
    ["PERMISSION_DENIED: This API method requires billing to be enabled.", 403],
    ["Your team has either used all available credits or reached its monthly spending limit.", 403],
    ["Insufficient Balance", 402],
  ])("is a matter of money, and of no wait: %s", (message, status) => {
    expect(refusalReason({ status, message })).toBe("billing");
    expect(refusalReason({ status: null, message })).toBe("billing");
  });

  it("of the gateway itself is its budget, in the words of every wire", () => {
    const message = "insufficient_quota: No. [GATEWAY_BUDGET_REACHED]";
    expect(refusalReason({ status: 402, message })).toBe("budget");
  });
});

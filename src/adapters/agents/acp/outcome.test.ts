import { RequestError } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { failureIn, outcomeOf } from "./outcome.ts";
import { usageIn } from "./usage.ts";

const short = (outcome: ReturnType<typeof outcomeOf>): string =>
  outcome.kind === "failed" ? outcome.why : outcome.kind;

test.for([
  ["end_turn", null, "completed"],
  ["end_turn", "not you", "denied"],
  ["cancelled", "not you", "denied"],
  ["cancelled", null, "lost"],
  ["refusal", null, "provider"],
  ["max_tokens", null, "context_overflow"],
  ["max_turn_requests", null, "budget"],
  ["done", null, "lost"],
] as const)("%s after the denial %j is %s", ([stopReason, denied, end]) => {
  expect(short(outcomeOf(stopReason, denied))).toBe(end);
});

test.for([
  [new RequestError(429, "slow down"), "rate_limited"],
  [new RequestError(-32_603, "x", { error: { statusCode: 402 } }), "budget"],
  [new RequestError(-32_003, "x", { http_status: 529 }), "overloaded"],
  [new RequestError(-32_603, "Internal error", "Incorrect API key provided"), "auth"],
  [new RequestError(-32_603, "Internal error", { details: "Input is too long" }), "context_overflow"],
  [new Error("stream ended"), "provider"],
  ["gone", "lost"],
] as const)("an error of a prompt is told by its data", ([error, end]) => {
  expect(short(failureIn(error))).toBe(end);
});

test.for([
  [{ usage: { totalTokens: 7, inputTokens: 1 } }, 7],
  [{ _meta: { quota: { token_count: { input_tokens: 3, output_tokens: 4 } } } }, 7],
  [{ _meta: { totalTokens: 1, usage: { totalTokens: 7 } } }, 7],
  [{ stopReason: "end_turn" }, null],
] as const)("usage is found in %j", ([answer, tokens]) => {
  expect(usageIn(answer)).toBe(tokens);
});

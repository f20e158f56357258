import { expect, test } from "vitest";
import type { CallFailure } from "./failure.ts";
import { retryAt } from "./retry-at.ts";

const AT = Date.parse("2026-03-04T12:00:00Z");
const BUSY: CallFailure = { wire: "chat", status: 429, headers: {}, type: null, message: "slow down" };
const GOOGLE = JSON.stringify({
  error: {
    code: 429,
    message: "You exceeded your current quota, please check your plan and billing details. See https://ai.google.dev.",
    status: "RESOURCE_EXHAUSTED",
    details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "8s" }],
  },
});

const header = (name: string, value: string): Partial<CallFailure> => ({ headers: { [name]: value } });

test.each<readonly [number | null, Partial<CallFailure>]>([
  [null, {}],
  [8000, header("retry-after", "8")],
  [8500, header("retry-after", "8.5")],
  [8000, header("retry-after", "Wed, 04 Mar 2026 12:00:08 GMT")],
  [8000, header("retry-after-ms", "8000")],
  [8000, header("x-ratelimit-reset-requests", "8s")],
  [0, header("retry-after", "0")],
  [8000, { wire: "gemini", body: GOOGLE }],
  [8000, { status: 500, ...header("retry-after", "8") }],
  [8000, { status: null, message: "too many requests: try again in 8s" }],
  ...["", "-8", "soon", "NaN", "Infinity", "1e3", "8, 9", "9".repeat(40)].map(
    (value) => [null, header("retry-after", value)] as const,
  ),
  [null, { type: "insufficient_quota", message: "insufficient_quota", ...header("retry-after", "8") }],
  [null, { message: "too many requests: try again at 3pm" }],
])("an instant in %s ms: %j", (ms, change) => {
  const until = retryAt({ ...BUSY, ...change }, { at: AT, zone: "" });
  expect(until === null ? null : until - AT).toBe(ms);
});

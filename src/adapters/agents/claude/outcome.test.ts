import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../base/json.ts";
import type { AgentOutcome } from "../../../ports/agents/agent-backend.ts";
import type { ProcessReport } from "../../../ports/executor.ts";
import { type Ending, outcomeOf } from "./outcome.ts";

const report: ProcessReport = { cause: "ok", exit: 0, log: { sha256: "x", bytes: 0, dropped: 0 }, artifacts: {} };

function outcome(result: JsonObject | null, change: Partial<Ending> = {}): AgentOutcome {
  return outcomeOf({ result, breach: null, deferred: null, report, isEnded: false, ...change });
}

const failed = (status: number | null, text = "API Error"): JsonObject => ({
  subtype: "success",
  is_error: true,
  terminal_reason: "api_error",
  api_error_status: status,
  result: text,
});

describe("the end of a task", () => {
  test("is good only by its own last word", () => {
    expect(outcome({ is_error: false, terminal_reason: "completed" })).toEqual({ kind: "completed" });
    for (const result of [
      { is_error: true, terminal_reason: "completed" },
      { terminal_reason: "completed" },
      { is_error: false, terminal_reason: "something new" },
      { is_error: false, subtype: "success" },
      {},
    ])
      expect(outcome(result)).toMatchObject({ kind: "failed", why: "provider" });
  });

  test.each([
    [429, "rate_limited"],
    [529, "overloaded"],
    [503, "overloaded"],
    [401, "auth"],
    [403, "auth"],
    [413, "context_overflow"],
    [500, "provider"],
    [404, "provider"],
    [null, "provider"],
  ])("is told by the status %s of its provider, not by its name", (status, why) => {
    expect(outcome(failed(status))).toEqual({
      kind: "failed",
      why,
      error: "Claude Code stopped (api_error): API Error",
    });
  });

  test("is told by words where there is no status", () => {
    expect(outcome(failed(null, "Overloaded"))).toMatchObject({ why: "overloaded" });
  });

  test("is a budget when the gateway, its turns or its own budget say so", () => {
    expect(outcome(failed(402))).toMatchObject({ kind: "budget" });
    expect(outcome({ is_error: true, terminal_reason: "max_turns" })).toMatchObject({ kind: "budget" });
    expect(outcome({ is_error: true, terminal_reason: "budget_exhausted" })).toMatchObject({ kind: "budget" });
  });

  test("is a context that is too long", () => {
    expect(outcome({ is_error: true, terminal_reason: "prompt_too_long" })).toMatchObject({ why: "context_overflow" });
  });

  test("is a cancel when somebody has interrupted it, although its exit code is 0", () => {
    expect(outcome({ is_error: true, terminal_reason: "aborted_tools" })).toEqual({ kind: "cancelled" });
    expect(outcome({ is_error: true, terminal_reason: "aborted_streaming" })).toEqual({ kind: "cancelled" });
  });

  test("is a cancel when we have ended it, whatever it says meanwhile", () => {
    expect(outcome(failed(null), { isEnded: true })).toEqual({ kind: "cancelled" });
    expect(outcome(null, { isEnded: true })).toEqual({ kind: "cancelled" });
  });

  test("is lost without a last word, whatever the exit code", () => {
    expect(outcome(null)).toEqual({ kind: "failed", why: "lost", error: "Claude Code ended without a result" });
    const killed = { ...report, cause: "signal" as const, error: "claude was ended by SIGKILL" };
    expect(outcome(null, { report: killed })).toMatchObject({ why: "lost", error: "claude was ended by SIGKILL" });
  });

  test("is a question when a person must decide", () => {
    const deferred = { id: "a", tool: "Write", input: {}, requests: [] };
    const result = { is_error: false, terminal_reason: "tool_deferred" };
    expect(outcome(result, { deferred })).toEqual({ kind: "deferred", call: deferred });
    expect(outcome({ is_error: false, terminal_reason: "completed" }, { deferred })).toMatchObject({
      kind: "deferred",
    });
  });

  test("is lost when the talk was broken off, although it said that all is well", () => {
    const good = { is_error: false, terminal_reason: "completed" };
    expect(outcome(good, { breach: "it lied" })).toEqual({
      kind: "failed",
      why: "lost",
      error: "Claude Code was ended: it lied",
    });
  });
});

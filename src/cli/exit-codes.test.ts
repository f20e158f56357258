import { describe, expect, it } from "vitest";
import { REASONS, type StopReason } from "../run/reasons.ts";
import { exitOfRun } from "./exit-codes.ts";

describe("exitOfRun", () => {
  it("is 0 for success and for nothing else", () => {
    for (const [reason, status] of Object.entries(REASONS)) {
      expect(exitOfRun(status, reason as StopReason) === 0, reason).toBe(status === "succeeded");
    }
    for (const status of ["queued", "running", "waiting", "paused"] as const)
      expect(exitOfRun(status, null)).not.toBe(0);
  });

  it("is 2 where a human is needed", () => {
    expect(exitOfRun("waiting", "awaiting_approval")).toBe(2);
    expect(exitOfRun("paused", null)).toBe(2);
    expect(exitOfRun("blocked", "escalated")).toBe(2);
    expect(exitOfRun("rejected", "policy_denied")).toBe(2);
    expect(exitOfRun("rejected", "approval_denied")).toBe(2);
  });

  it("is 1 for what failed, was blocked, timed out, was cancelled or killed", () => {
    expect(exitOfRun("failed", "stage_failed")).toBe(1);
    expect(exitOfRun("blocked", "max_rounds")).toBe(1);
    expect(exitOfRun("timed_out", "max_runtime")).toBe(1);
    expect(exitOfRun("cancelled", "cancelled")).toBe(1);
    expect(exitOfRun("killed", "kill_switch")).toBe(1);
  });

  it("is 3 for a plan that was no plan", () => {
    expect(exitOfRun("rejected", "invalid_plan")).toBe(3);
  });
});

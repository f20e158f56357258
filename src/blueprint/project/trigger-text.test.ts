import { describe, expect, it } from "vitest";
import { triggerText } from "./trigger-text.ts";

describe("when a loop is started", () => {
  it("is said in a few words", () => {
    expect([
      triggerText(null),
      triggerText({ kind: "every", minMs: 300_000, maxMs: 900_000 }),
      triggerText({ kind: "every", minMs: 3_600_000, maxMs: 3_600_000 }),
      triggerText({ kind: "cron", text: "0 3 * * 1-5", zone: "UTC" }),
      triggerText({ kind: "watch", files: ["src/**", "test/**"] }),
      triggerText({ kind: "watch_ref", ref: "main" }),
      triggerText({ kind: "webhook", secretFile: "x" }),
    ]).toEqual([
      "by hand",
      "every 5m to 15m",
      "every 1h",
      "at 0 3 * * 1-5 UTC",
      "when src/**, test/** changes",
      "when main moves",
      "by webhook",
    ]);
  });
});

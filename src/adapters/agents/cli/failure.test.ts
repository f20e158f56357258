import { expect, test } from "vitest";
import { failureOf, lost } from "./failure.ts";

test("what was told of a call is an end of the agent", () => {
  expect(failureOf({ status: 402, message: "no more" })).toEqual({ kind: "budget", error: "no more" });
  expect(failureOf({ status: 429, message: "slow\ndown" })).toEqual({
    kind: "failed",
    why: "rate_limited",
    error: "slow\\ndown",
  });
});

test("what is told is one line that a terminal can show", () => {
  expect(lost("a\u001b[2Jb\nc")).toEqual({ kind: "failed", why: "lost", error: "a\\x1b[2Jb\\nc" });
});

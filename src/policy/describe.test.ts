import { describe, expect, it } from "vitest";
import { describeRequest, requestJson } from "./describe.ts";

describe("describeRequest", () => {
  it("shows what will be executed on one line", () => {
    expect(describeRequest({ kind: "run", argv: ["npm", "run", "a b", ""] })).toBe('run npm run "a b" ""');
    expect(describeRequest({ kind: "shell", script: "a\nb" })).toBe('shell "a\\nb"');
    expect(describeRequest({ kind: "action", action: "git.commit" })).toBe("action git.commit");
  });

  it("shows nothing a terminal would act on and cuts long text", () => {
    const shown = describeRequest({ kind: "run", argv: ["echo", "\u001b[31m\u202e", "x".repeat(500)] });
    expect(shown).toMatch(/^run echo "\\u001b\[31m\\u202e" x+…$/);
    expect(shown.length).toBe(204);
  });
});

describe("requestJson", () => {
  it("keeps the request exactly", () => {
    const argv = ["x".repeat(500)];
    expect(requestJson({ kind: "run", argv })).toEqual({ kind: "run", argv });
  });
});

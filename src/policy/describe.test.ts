import { describe, expect, it } from "vitest";
import { describeRequest, requestJson } from "./describe.ts";

describe("describeRequest", () => {
  it("shows what will be executed on one line", () => {
    expect(describeRequest({ kind: "run", argv: ["npm", "run", "a b", ""] })).toBe('run npm run "a b" ""');
    expect(describeRequest({ kind: "shell", script: "a\nb" })).toBe('shell "a\\nb"');
    expect(describeRequest({ kind: "action", action: "git.commit" })).toBe("action git.commit");
    expect(describeRequest({ kind: "run", argv: ["rm", null] })).toBe("run rm …");
    expect(describeRequest({ kind: "read", path: "a b" })).toBe('read "a b"');
    expect(describeRequest({ kind: "edit", path: null })).toBe("edit …");
    expect(describeRequest({ kind: "fetch", host: "example.org", port: 443 })).toBe("fetch example.org:443");
    expect(describeRequest({ kind: "tool", tool: "grep", args: { for: "x" } })).toBe('tool grep {"for":"x"}');
    expect(describeRequest({ kind: "mcp", server: "files", tool: "list" })).toBe("mcp files/list");
    const push = { kind: "git", operation: "push", refs: ["main"], force: true } as const;
    expect(describeRequest(push)).toBe("git push main by force");
    expect(describeRequest({ ...push, force: false })).toBe("git push main");
    expect(describeRequest({ kind: "spend", microUsd: 1_500_000, tokens: 2 })).toBe("spend 1.5 dollars and 2 tokens");
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

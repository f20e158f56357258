import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../base/json.ts";
import type { PolicyRequest } from "../../../policy/request.ts";
import { requestsOf } from "./tools.ts";

let folder = "";
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pawl-claude-")));
  mkdirSync(join(folder, "secrets"));
  writeFileSync(join(folder, "secrets/key"), "");
  symlinkSync("secrets/key", join(folder, "note.txt"));
  symlinkSync("secrets", join(folder, "docs"));
  symlinkSync("/etc", join(folder, "system"));
  symlinkSync("/workspace/secrets", join(folder, "absolute"));
  symlinkSync("loop", join(folder, "loop"));
  symlinkSync("../..", join(folder, "up"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function requests(tool: string, input: JsonObject, cwd = "/workspace"): readonly PolicyRequest[] {
  return requestsOf({ tool, input, cwd }, { seenAt: "/workspace", folder });
}

describe("a call of a tool, in the words of policy", () => {
  test("is a shell text for a command", () => {
    expect(requests("Bash", { command: "npm test && rm x" })).toEqual([{ kind: "shell", script: "npm test && rm x" }]);
    expect(requests("Monitor", { command: "tail -f log" })).toEqual([{ kind: "shell", script: "tail -f log" }]);
  });

  test.each([
    ["Read", { file_path: "/workspace/src/a.ts" }, "read", "src/a.ts"],
    ["Read", { file_path: "src/../b.ts" }, "read", "b.ts"],
    ["Read", { file_path: "/workspace/../etc/passwd" }, "read", "/etc/passwd"],
    ["Read", { file_path: "/workspaces/x" }, "read", "/workspaces/x"],
    ["Read", { file_path: "..hidden" }, "read", "..hidden"],
    ["Read", { file_path: "~/.ssh/id" }, "read", "~/.ssh/id"],
    ["NotebookRead", { notebook_path: "n.ipynb" }, "read", "n.ipynb"],
    ["LS", { path: "/workspace" }, "read", "."],
    ["Write", { file_path: "/workspace/new.txt", content: "x" }, "edit", "new.txt"],
    ["Edit", { file_path: "/workspace/a", old_string: "a", new_string: "b" }, "edit", "a"],
    ["MultiEdit", { file_path: "a", edits: [] }, "edit", "a"],
    ["NotebookEdit", { notebook_path: "/workspace/n.ipynb", new_source: "" }, "edit", "n.ipynb"],
    ["Grep", { pattern: "x" }, "read", "."],
    ["Grep", { pattern: "x", path: "src" }, "read", "src"],
    ["Glob", { pattern: "**/*.ts" }, "read", "."],
    ["Glob", { pattern: "*", path: "src" }, "read", "src"],
    ["Glob", { pattern: "*", path: "" }, "read", "."],
  ] as const)("is a file for %s %j", (tool, input, kind, path) => {
    expect(requests(tool, input)).toEqual([{ kind, path }]);
  });

  test("counts from the folder that the agent works in", () => {
    expect(requests("Read", { file_path: "a" }, "/workspace/packages/b")).toEqual([
      { kind: "read", path: "packages/b/a" },
    ]);
    expect(requests("Grep", { pattern: "x" }, "/workspace/packages/b")).toEqual([{ kind: "read", path: "packages/b" }]);
  });

  test.each([
    ["note.txt", "secrets/key"],
    ["docs/key", "secrets/key"],
    ["docs/new", "secrets/new"],
    ["system/passwd", "/etc/passwd"],
    ["absolute/key", "secrets/key"],
    ["up/etc/passwd", "/etc/passwd"],
  ])("is both what a link is called and where it leads: %s", (path, target) => {
    expect(requests("Read", { file_path: path })).toEqual([
      { kind: "read", path },
      { kind: "read", path: target },
    ]);
    expect(requests("Write", { file_path: path })).toEqual([
      { kind: "edit", path },
      { kind: "edit", path: target },
    ]);
  });

  test("is only its name for a link that leads nowhere", () => {
    expect(requests("Read", { file_path: "loop/x" })).toEqual([{ kind: "read", path: "loop/x" }]);
  });

  test.each([
    ["Read", {}, "read"],
    ["Read", { file_path: 7 }, "read"],
    ["Write", { file_path: "" }, "edit"],
    ["Grep", { pattern: "x", path: ["a"] }, "read"],
    ["Glob", { pattern: "*/../../etc/*" }, "read"],
  ] as const)("is a file that nobody knows when the path is not told: %s %j", (tool, input, kind) => {
    expect(requests(tool, input)).toEqual([{ kind, path: null }]);
  });

  test("is also the place where a pattern of names begins", () => {
    expect(requests("Glob", { pattern: "/etc/*" })).toEqual([
      { kind: "read", path: "." },
      { kind: "read", path: "/etc" },
    ]);
    expect(requests("Glob", { pattern: "../other/*", path: "src" })).toEqual([
      { kind: "read", path: "src" },
      { kind: "read", path: "other" },
    ]);
    expect(requests("Glob", { pattern: "docs/*" })).toEqual([
      { kind: "read", path: "." },
      { kind: "read", path: "docs" },
      { kind: "read", path: "secrets" },
    ]);
  });

  test("is a host for a fetch, with every port that may be asked", () => {
    expect(requests("WebFetch", { url: "https://example.org/x" })).toEqual([
      { kind: "fetch", host: "example.org", port: 443 },
    ]);
    expect(requests("WebFetch", { url: "http://example.org:8080/" })).toEqual([
      { kind: "fetch", host: "example.org", port: 8080 },
    ]);
    expect(requests("WebFetch", { url: "http://example.org/" })).toEqual([
      { kind: "fetch", host: "example.org", port: 80 },
      { kind: "fetch", host: "example.org", port: 443 },
    ]);
  });

  test("is a tool of a server", () => {
    expect(requests("mcp__github__create_issue", { a: 1 })).toEqual([
      { kind: "mcp", server: "github", tool: "create_issue" },
    ]);
    expect(requests("ReadMcpResourceTool", { server: "docs", uri: "x" })).toEqual([
      { kind: "mcp", server: "docs", tool: "resources/read" },
    ]);
    expect(requests("ListMcpResourcesTool", { server: "docs" })).toEqual([
      { kind: "mcp", server: "docs", tool: "resources/list" },
    ]);
  });

  test.each([
    ["Task", { prompt: "x" }],
    ["WebSearch", { query: "x" }],
    ["SomethingNew", { a: { b: 1 } }],
    ["toString", {}],
    ["", {}],
    ["Bash", { script: "x" }],
    ["WebFetch", { url: "file:///etc/passwd" }],
    ["WebFetch", { url: "no address" }],
    ["ListMcpResourcesTool", {}],
  ])("is a tool by its name when nothing else is known of it: %s %j", (tool, args) => {
    expect(requests(tool, args)).toEqual([{ kind: "tool", tool, args }]);
  });
});

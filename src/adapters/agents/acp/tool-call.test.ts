import { expect, test } from "vitest";
import type { PolicyRequest } from "../../../policy/request.ts";
import { workPlaceOf } from "../cli/work-place.ts";
import { GEMINI } from "./gemini.ts";
import { OPENCODE } from "./opencode.ts";
import { addTold, toolCallOf } from "./tool-call.ts";

const place = workPlaceOf({ project: "", cwd: "." });

test.for<readonly [string, Record<string, unknown>, readonly PolicyRequest[]]>([
  ["a text for a shell", { kind: "execute", rawInput: { command: "ls | wc" } }, [{ kind: "shell", script: "ls | wc" }]],
  ["a list", { kind: "execute", rawInput: { command: ["ls", "-l"] } }, [{ kind: "run", argv: ["ls", "-l"] }]],
  [
    "a program with arguments",
    { kind: "execute", rawInput: { command: "ls", args: ["-l", 1] } },
    [{ kind: "run", argv: ["ls", "-l", null] }],
  ],
  ["a command that nobody names", { kind: "execute", title: "ls" }, [{ kind: "run", argv: [null] }]],
  [
    "a change with a diff, another place and its input",
    {
      kind: "edit",
      content: [{ type: "diff", path: "/workspace/a" }],
      locations: [{ path: "/etc/passwd" }],
      rawInput: { file_path: "b" },
    },
    [
      { kind: "edit", path: "a" },
      { kind: "edit", path: "b" },
      { kind: "edit", path: "/etc/passwd" },
    ],
  ],
  ["a change of nobody knows what", { kind: "delete" }, [{ kind: "edit", path: null }]],
  ["a read", { kind: "read", locations: [{ path: "/workspace/x" }] }, [{ kind: "read", path: "x" }]],
  ["a read of nobody knows what", { kind: "read" }, [{ kind: "read", path: null }]],
  ["a search without a place", { kind: "search", rawInput: { pattern: "x" } }, [{ kind: "read", path: "." }]],
  [
    "a fetch",
    { kind: "fetch", rawInput: { url: "http://a.example/x" } },
    [{ kind: "fetch", host: "a.example", port: 80 }],
  ],
  ["a fetch of nobody knows what", { kind: "fetch", rawInput: { prompt: "x" } }, []],
  ["any other tool", { kind: "other", title: "think" }, []],
])("%s is asked about as what it is", ([, told, requests]) => {
  expect(toolCallOf({ toolCallId: "1", ...told } as never, place).requests).toEqual(requests);
});

test("what is said later without saying anything takes nothing back", () => {
  const first = addTold(undefined, { toolCallId: "1", kind: "read", rawInput: { filePath: "x" }, locations: [] });
  const whole = addTold(first, { toolCallId: "1", kind: null, rawInput: {}, locations: [], status: "pending" });
  expect(whole).toEqual({ toolCallId: "1", kind: "read", rawInput: { filePath: "x" }, status: "pending" });
  expect(toolCallOf(whole, place)).toMatchObject({ tool: "read", requests: [{ kind: "read", path: "x" }] });
});

test("a command of Gemini is its title, and its tool begins its id", () => {
  const told = { toolCallId: "run_shell_command__1_0", kind: "execute", title: "rm -rf .", locations: [] };
  expect(toolCallOf(GEMINI.plain?.(told) ?? {}, place)).toEqual({
    id: "run_shell_command__1_0",
    tool: "run_shell_command",
    input: { command: "rm -rf ." },
    requests: [{ kind: "shell", script: "rm -rf ." }],
  });
});

test("a patch of opencode is asked about file by file, where a file is moved to too", () => {
  const files = [{ filePath: "/workspace/a" }, { filePath: "/workspace/b", movePath: "/etc/c" }];
  const told = { toolCallId: "1", kind: "edit", rawInput: { filepath: "a, b", files }, locations: [{ path: "a, b" }] };
  expect(toolCallOf(OPENCODE.plain?.(told) ?? {}, place).requests).toEqual([
    { kind: "edit", path: "a" },
    { kind: "edit", path: "b" },
    { kind: "edit", path: "/etc/c" },
  ]);
});

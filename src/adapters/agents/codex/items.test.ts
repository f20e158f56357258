import { expect, test } from "vitest";
import { workPlaceOf } from "../cli/work-place.ts";
import { callOf, commandCall, resultOf } from "./items.ts";
import { outcomeOf } from "./outcome.ts";

const place = workPlaceOf({ project: "", cwd: "." });

test("a command is asked about as the text that a shell reads", () => {
  expect(commandCall("1", { kind: "command", command: "/bin/sh -lc ls", cwd: "/workspace" }).requests).toEqual([
    { kind: "shell", script: "/bin/sh -lc ls" },
  ]);
});

test("what is typed into a command that runs already is not known, and neither is one without words", () => {
  const unknown = [{ kind: "run", argv: [null] }];
  expect(commandCall("1", { kind: "writeStdin", command: "cat" }).requests).toEqual(unknown);
  expect(commandCall("1", {}).requests).toEqual(unknown);
});

test("a patch is asked about by every path it touches, where it moves a file to too", () => {
  const changes = [
    { path: "/workspace/a", kind: { type: "update", move_path: "/etc/b" } },
    { path: "c", kind: { type: "add" } },
  ];
  const call = callOf({ id: "1", type: "fileChange", changes }, place);
  expect(call?.requests).toEqual(["a", "/etc/b", "c"].map((path) => ({ kind: "edit", path })));
  expect(callOf({ id: "1", type: "fileChange", changes: [] }, place)?.requests).toEqual([{ kind: "edit", path: null }]);
});

test("other items are calls by their names, and words are none", () => {
  const toolOf = (item: Record<string, string>) => callOf({ id: "1", ...item }, place)?.tool;
  expect(toolOf({ type: "mcpToolCall", server: "s", tool: "t" })).toBe("s/t");
  expect(toolOf({ type: "imageView", path: "a.png" })).toBe("view_image");
  expect(toolOf({ type: "webSearch", query: "x" })).toBe("web_search");
  expect(toolOf({ type: "collabAgentToolCall", tool: "spawn" })).toBe("spawn");
  expect(toolOf({ type: "agentMessage" })).toBeUndefined();
});

test("a command that exits with another code than 0 has not gone well", () => {
  expect(resultOf({ status: "completed", exitCode: 1, aggregatedOutput: "no" })).toEqual({
    ok: false,
    summary: "exit 1 no",
  });
  expect(resultOf({ status: "declined" })).toEqual({ ok: false, summary: "declined" });
  expect(resultOf({ status: "completed", exitCode: 0 })).toEqual({ ok: true, summary: "exit 0 completed" });
});

test.for([
  [{ status: "completed" }, null, "completed"],
  [{ status: "completed" }, "not you", "denied"],
  [{ status: "interrupted" }, "not you", "denied"],
  [{ status: "interrupted" }, null, "lost"],
  [{ status: "inProgress" }, null, "lost"],
  [
    { status: "failed", error: { message: "x", codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 402 } } } },
    null,
    "budget",
  ],
  [{ status: "failed", error: { message: "x", codexErrorInfo: "contextWindowExceeded" } }, null, "context_overflow"],
  [{ status: "failed", error: { message: "high demand", codexErrorInfo: "internalServerError" } }, null, "provider"],
] as const)("the turn %j after the denial %j is %s", ([turn, denied, end]) => {
  const outcome = outcomeOf(turn, denied);
  expect(outcome.kind === "failed" ? outcome.why : outcome.kind).toBe(end);
});

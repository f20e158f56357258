import { expect, test } from "vitest";
import type { JsonObject } from "../../../base/json.ts";
import type { ToolCall } from "../../../ports/agents/agent-backend.ts";
import type { HostLine } from "../../../ports/agents/model-program.ts";
import { NO_HOST_TOOLS } from "./host-hands.ts";
import { createModelSpeaker } from "./speaker.ts";

test("what is part of a call is ruled on as a part, with its path from the project", async () => {
  const asked: ToolCall[] = [];
  const sent: JsonObject[] = [];
  const host = {
    onEvent: () => undefined,
    decide: async (call: ToolCall) => {
      asked.push(call);
      return { answer: "deny", why: "no" } as const;
    },
  };
  const records = { keep: async () => undefined, close: async () => undefined };
  const start = { type: "start", past: [] } as unknown as Extract<HostLine, { type: "start" }>;
  const speaker = createModelSpeaker(start, { host, records, cwd: "packages/a", tools: NO_HOST_TOOLS });
  void speaker.speak({ send: (message) => void sent.push(message) });
  const call = { id: "1/1", tool: "grep", input: {}, requests: [{ kind: "read", path: "x.ts" }] };
  speaker.hear({ type: "ask", id: 1, call: { ...call, isPart: true } });
  speaker.hear({ type: "ask", id: 2, call });
  await new Promise((resolve) => setImmediate(resolve));
  const ruled = { ...call, requests: [{ kind: "read", path: "packages/a/x.ts" }] };
  expect(asked).toEqual([{ ...ruled, isPart: true }, ruled]);
  expect(sent.slice(1)).toEqual([1, 2].map((id) => ({ type: "ruling", id, ruling: { answer: "deny", why: "no" } })));
});

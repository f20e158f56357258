import { expect, test } from "vitest";
import type { AgentEvent, AgentTask, Ruling, ToolCall } from "../../../ports/agents/agent-backend.ts";
import { createHearing } from "./hearing.ts";

const call = (id: string): ToolCall => ({ id, tool: "edit", input: {}, requests: [] });

function hearingWith(rule: (call: ToolCall) => Ruling, maxTurns: number | null = null) {
  const events: AgentEvent[] = [];
  let stops = 0;
  const hearing = createHearing(
    { maxTurns } as AgentTask,
    { onEvent: (event) => void events.push(event), decide: async (asked) => rule(asked) },
    () => {
      stops += 1;
    },
  );
  return { hearing, events, stops: () => stops };
}

const allow = (): Ruling => ({ answer: "allow" });

test("a message is told whole, and each call once", () => {
  const { hearing, events } = hearingWith(allow);
  for (const piece of ["I ", "write."]) hearing.say(piece);
  hearing.announce(call("1"));
  hearing.announce(call("1"));
  for (const ok of [true, false]) hearing.ended("1", ok, "done");
  hearing.say("Done.");
  expect(events).toEqual([
    { type: "text", text: "I write." },
    { type: "tool_request", call: call("1") },
    { type: "tool_result", id: "1", ok: true, summary: "done" },
  ]);
  expect(hearing.text()).toBe("Done.");
});

test("who is denied and goes on has not given up", async () => {
  const { hearing } = hearingWith(() => ({ answer: "deny", why: "not you" }));
  expect(await hearing.ask(call("1"))).toBe("deny");
  expect(hearing.denied()).toBe("not you");
  hearing.say("So be it.");
  hearing.pause();
  expect(hearing.denied()).toBeNull();
});

test("a call that a person must decide ends it, and no other call is even asked about", async () => {
  const asked: string[] = [];
  const { hearing, stops } = hearingWith(({ id }) => {
    asked.push(id);
    return { answer: "defer", why: "ask" };
  });
  expect(await hearing.ask(call("1"))).toBe("defer");
  expect(await hearing.ask(call("2"))).toBe("deny");
  expect({ verdict: hearing.verdict(), stops: stops() }).toEqual({
    verdict: { kind: "deferred", call: call("1") },
    stops: 1,
  });
  expect(asked).toEqual(["1"]);
});

test("a call that was allowed while it was being ended does not happen", async () => {
  const { hearing } = hearingWith(allow, 1);
  const asked = hearing.ask(call("1"));
  hearing.announce(call("2"));
  expect(await asked).toBe("deny");
});

test("more turns than it may make end it", async () => {
  const { hearing, stops } = hearingWith(allow, 1);
  expect(await hearing.ask(call("1"))).toBe("allow");
  expect(await hearing.ask(call("2"))).toBe("deny");
  expect(hearing.verdict()).toEqual({ kind: "budget", error: "it made more than 1 turns" });
  expect(stops()).toBe(1);
  expect(await hearing.over).toEqual(hearing.verdict());
});

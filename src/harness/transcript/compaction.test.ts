import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { testTool } from "../../../test/support/harness/tools.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import type { CallOptions, Message } from "../models/model.ts";
import { runAgent } from "../run-agent.ts";
import { applyCut, COMPACT_RULES, digestOf, findCut } from "./compact.ts";
import { beginTalk, estimate, resultPart, say, type Talk, userMessage } from "./talk.ts";

const RULES = "1. Never push.\n2. Say {{nothing}} of «this».";

function longTalk(turns: number, bytes = 200): Talk {
  const talk = beginTalk([{ role: "system", content: "be good" }, userMessage("the task")]);
  for (let turn = 0; turn < turns; turn += 1) {
    const call = { id: `c${turn}`, tool: "look" };
    say(talk, {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: call.id, toolName: "look", input: { turn } }],
    });
    say(talk, { role: "tool", content: [resultPart(call, true, "x".repeat(bytes))] });
  }
  return talk;
}

/** Ids of calls without a result, and of results without a call. */
function unpaired(messages: readonly Message[]): readonly string[] {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : [...content]));
  const ids = (type: string): string[] =>
    parts.flatMap((part) => (part.type === type && "toolCallId" in part ? [part.toolCallId] : []));
  const [calls, results] = [new Set(ids("tool-call")), new Set(ids("tool-result"))];
  return [...calls].filter((id) => !results.has(id)).concat([...results].filter((id) => !calls.has(id)));
}

describe("A13: a long talk", () => {
  test.each([9, 10, 11, 12])("A13: never parts a call from its result, with %i messages kept", (keep) => {
    const talk = longTalk(60);
    const cut = findCut(talk, { contextTokens: 2000, ratio: 0.6, keep });
    expect(cut).not.toBeNull();
    if (cut === null) return;
    applyCut(talk, cut, "they looked", RULES);
    expect(unpaired(talk.messages)).toEqual([]);
    expect(talk.messages[2]?.role).toBe("user");
    expect(talk.messages.length).toBeGreaterThanOrEqual(keep + 3);
    expect(talk.size).toBe(beginTalk(talk.messages).size);
  });

  test("A13: is left alone below its threshold, and when there is nothing to sum up", () => {
    expect(findCut(longTalk(5), COMPACT_RULES)).toBeNull();
    expect(findCut(longTalk(5, 100_000), { contextTokens: 100, ratio: 0.5, keep: 50 })).toBeNull();
  });

  test("A13: gives its summariser a share of every message, and no more than it can read", () => {
    const talk = longTalk(1000, 5000);
    const digest = digestOf(talk, { from: 2, count: 1990 }, 200_000);
    expect(digest.length).toBeLessThan(220_000);
    expect(digest).toContain('{"turn":900}');
  });

  const isSummary = ({ prompt }: CallOptions): boolean => JSON.stringify(prompt[0]).includes("You sum up");
  const looking = (turns: number, summary: string | null) => {
    let turn = 0;
    return scriptedModel((options) => {
      if (isSummary(options)) return summary === null ? { throws: new Error("no") } : { text: summary };
      turn += 1;
      return turn > turns ? { text: "done" } : { calls: [{ tool: "look", input: { turn } }] };
    });
  };
  const look = testTool("look", (input) => ({ ok: true, output: `${JSON.stringify(input)} ${"x".repeat(400)}` }));
  const compaction = { contextTokens: 2000, ratio: 0.6, keep: 4 };

  test("A13: is summed up as it goes, with the rules word for word and the summary before it", async () => {
    const model = looking(60, "so far so good");
    const agent = { model, system: "be good", rules: RULES, tools: [look], limits: { turns: 100 } };
    const result = await runAgent({ agent, prompt: "the task", compaction });
    expect(result.status).toBe("completed");
    const asked = model.asked.filter((options) => !isSummary(options));
    for (const { prompt } of asked) {
      expect(unpaired(prompt)).toEqual([]);
      expect(JSON.stringify(prompt).length).toBeLessThan(2000 * 4 * 1.5);
    }
    const last = asked.at(-1)?.prompt ?? [];
    expect(last[0]).toEqual({ role: "system", content: `be good\n\n${RULES}` });
    expect(last[1]).toEqual(userMessage("the task"));
    expect(JSON.stringify(last[2])).toContain(JSON.stringify(RULES).slice(1, -1));
    const summaries = model.asked.filter(isSummary);
    expect(summaries.length).toBeGreaterThan(2);
    expect(JSON.stringify(summaries[1]?.prompt)).toContain("so far so good");
  });

  test("A13: goes on as it is when its summariser fails, and asks it again only after it has grown", async () => {
    const model = looking(30, null);
    const journal = createMemoryJournal();
    const agent = { model, tools: [look], limits: { turns: 100 } };
    const result = await runAgent({ agent, prompt: "the task", compaction, ports: { journal, chance: () => 0 } });
    expect(result.status).toBe("completed");
    const notes = (await journal.read(result.runId)).filter(
      (record) => record.type === "run.noted" && record.what === "compaction_failed",
    );
    expect(notes.length).toBeGreaterThan(1);
    expect(notes.length).toBeLessThan(20);
    expect(model.asked.at(-1)?.prompt).toHaveLength(61);
  });

  test.for([
    ["is longer than what it sums up", { text: "s".repeat(100_000) }, "longer than what it sums up"],
    ["was cut off", { text: "so far", finish: "length" }, "cut off"],
    ["was filtered", { text: "so far", finish: "content-filter" }, "filtered"],
    ["does not come", { hangs: true }, "cancelled"],
  ] as const)("A13: goes on as it is when its summary %s", async ([, line, why]) => {
    let turn = 0;
    const model = scriptedModel((options) => {
      if (isSummary(options)) return line;
      turn += 1;
      return turn > 14 ? { text: "done" } : { calls: [{ tool: "look", input: { turn } }] };
    });
    const journal = createMemoryJournal();
    const agent = { model, tools: [look], limits: { turns: 100, wallMs: 2000 } };
    const result = await runAgent({ agent, prompt: "the task", compaction, ports: { journal } });
    expect(result.status).toBe("completed");
    const past = JSON.stringify(await journal.read(result.runId));
    expect(past).toContain("compaction_failed");
    expect(past).toContain(why);
    expect(past).not.toContain("talk.compacted");
  });

  test("A13: is told by what the provider counts, where it counts", () => {
    const talk = longTalk(3);
    talk.measured = { tokens: 5000, since: 400 };
    expect(estimate(talk)).toBe(5100);
  });
});

import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { testTool } from "../../../test/support/harness/tools.ts";
import type { RunId } from "../../base/ids.ts";
import type { Message } from "../models/model.ts";
import { runAgent } from "../run-agent.ts";
import type { Tool } from "../tools/tool.ts";
import { createFileJournal } from "./file-journal.ts";
import { createMemoryJournal } from "./memory-journal.ts";
import type { AgentJournal, JournalRecord } from "./record.ts";

const RUN = "r_000000000001" as RunId;

/** Its process dies before the record of this number is stored. */
function dying(journal: AgentJournal, before: number): AgentJournal {
  let count = 0;
  return {
    ...journal,
    append: (run, record, sync) => {
      count += 1;
      if (count >= before) throw new Error("killed");
      return journal.append(run, record, sync);
    },
  };
}

/** Turns are told by how often the assistant has spoken, as with a real model. */
const turnsIn = (prompt: readonly Message[]): number => prompt.filter(({ role }) => role === "assistant").length;
const pays = () =>
  scriptedModel(({ prompt }) =>
    turnsIn(prompt) < 2
      ? { calls: [{ tool: "pay", input: { amount: 5 }, id: `p${turnsIn(prompt)}` }] }
      : { text: "paid" },
  );

describe("T13: a crash", () => {
  const once: Partial<Tool> = { idempotent: false };

  test("T13: at any record repeats nothing that must not be repeated, and the run goes on", async () => {
    let crashes = 0;
    for (let before = 1; before < 20; before += 1) {
      const journal = createMemoryJournal();
      const pay = testTool("pay", undefined, once);
      const options = { prompt: "pay twice", tools: [pay] };
      const first = runAgent({ ...options, id: RUN, model: pays(), ports: { journal: dying(journal, before) } });
      const died = await first.then(
        () => false,
        () => true,
      );
      if (!died) continue;
      crashes += 1;
      if ((await journal.read(RUN)).length === 0) continue;
      const result = await runAgent({ ...options, resume: RUN, model: pays(), ports: { journal } });
      expect(result.status).toBe("completed");
      expect(new Set(pay.ran.map(({ key }) => key)).size).toBe(pay.ran.length);
      expect(pay.ran.length).toBeLessThanOrEqual(2);
      expect(result.steps.flatMap(({ calls }) => calls)).toHaveLength(2);
    }
    expect(crashes).toBe(10);
  });

  test("T13: between the effect and its result is told to the agent, not repeated in silence", async () => {
    const journal = createMemoryJournal();
    const pay = testTool("pay", undefined, once);
    const at = dying(journal, 5);
    await expect(
      runAgent({ prompt: "x", tools: [pay], id: RUN, model: pays(), ports: { journal: at } }),
    ).rejects.toThrow();
    expect(pay.ran).toHaveLength(1);
    const model = pays();
    await runAgent({ prompt: "x", tools: [pay], resume: RUN, model, ports: { journal } });
    expect(JSON.stringify(model.asked[0]?.prompt.at(-1))).toContain("was not repeated");
    expect(pay.ran).toHaveLength(2);
  });

  test("T13: a call that may be repeated is, under the same key", async () => {
    const journal = createMemoryJournal();
    const look = testTool("pay");
    const at = dying(journal, 4);
    await expect(
      runAgent({ prompt: "x", tools: [look], id: RUN, model: pays(), ports: { journal: at } }),
    ).rejects.toThrow();
    await runAgent({ prompt: "x", tools: [look], resume: RUN, model: pays(), ports: { journal } });
    const keys = look.ran.map(({ key }) => key);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[2]).not.toBe(keys[1]);
  });

  test("T13: two equal calls are two calls, and one that failed can be made again", async () => {
    let tries = 0;
    const pay = testTool(
      "pay",
      () => {
        tries += 1;
        return tries === 1 ? { ok: false, error: "no" } : { ok: true, output: "ok" };
      },
      once,
    );
    const result = await runAgent({ prompt: "x", tools: [pay], model: pays() });
    expect(result.steps.flatMap(({ calls }) => calls.map(({ ok }) => ok))).toEqual([false, true]);
    expect(new Set(pay.ran.map(({ key }) => key)).size).toBe(2);
  });

  test("T13: an intent is durable before its call, and synced", async () => {
    const synced: string[] = [];
    const journal = createMemoryJournal();
    const pay = testTool(
      "pay",
      () => {
        expect(synced).toContain("call.intended");
        return { ok: true, output: "ok" };
      },
      once,
    );
    const append: AgentJournal["append"] = (run, record, sync) => {
      if (sync) synced.push(record.type);
      return journal.append(run, record, sync);
    };
    await runAgent({ prompt: "x", tools: [pay], model: pays(), ports: { journal: { ...journal, append } } });
    expect(synced).toEqual(["call.intended", "call.intended"]);
  });
});

describe("going on with a run", () => {
  test("asks again about a call that was left to a person", async () => {
    const journal = createMemoryJournal();
    const pay = testTool("pay", undefined, { idempotent: false, risk: "high" });
    const base = { prompt: "x", tools: [pay], policy: { ask: [{ tool: "pay" }] } };
    const later = { ask: () => Promise.resolve("later" as const) };
    const first = await runAgent({ ...base, model: pays(), ports: { journal, approvals: later } });
    expect(first).toMatchObject({ status: "deferred", deferred: { id: "p0", tool: "pay", input: { amount: 5 } } });
    expect(pay.ran).toEqual([]);
    const asked: string[] = [];
    const yes = {
      ask: (call: { readonly id: string }) => {
        asked.push(call.id);
        return Promise.resolve("allow" as const);
      },
    };
    const model = pays();
    const second = await runAgent({ ...base, model, resume: first.runId, ports: { journal, approvals: yes } });
    expect(second.status).toBe("completed");
    expect(asked).toEqual(["p0", "p1"]);
    expect(model.asked).toHaveLength(2);
  });

  test("keeps counting where it was", async () => {
    const journal = createMemoryJournal();
    const model = () =>
      scriptedModel((_, times) => ({ calls: [{ tool: "look", input: { times } }], usage: { input: 10 } }));
    const base = { prompt: "x", tools: [testTool("look")] };
    const first = await runAgent({ ...base, model: model(), budget: { turns: 2 }, ports: { journal } });
    const second = await runAgent({
      ...base,
      model: model(),
      budget: { turns: 3 },
      resume: first.runId,
      ports: { journal },
    });
    expect(second).toMatchObject({ status: "max_turns", usage: { tokens: 30 } });
    expect(second.steps).toHaveLength(3);
  });

  test("answers a new prompt in the same talk when it had ended, and tells of files that were put back", async () => {
    const journal = createMemoryJournal();
    const first = await runAgent({ prompt: "one", model: scriptedModel([{ text: "first" }]), ports: { journal } });
    const model = scriptedModel([{ text: "second" }]);
    const second = await runAgent({ prompt: "two", model, resume: first.runId, ports: { journal } });
    expect(second.output).toBe("second");
    expect(model.asked[0]?.prompt.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    const third = scriptedModel([{ text: "third" }]);
    await runAgent({ prompt: "three", model: third, resume: first.runId, restored: true, ports: { journal } });
    expect(JSON.stringify(third.asked[0]?.prompt.at(-1))).toContain("as they were when the task began");
  });

  test("makes no call that was owed when the files were put back", async () => {
    const journal = createMemoryJournal();
    const pay = testTool("pay", undefined, { idempotent: false });
    const at = dying(journal, 4);
    await expect(
      runAgent({ prompt: "x", tools: [pay], id: RUN, model: pays(), ports: { journal: at } }),
    ).rejects.toThrow();
    const model = scriptedModel([{ text: "done" }]);
    await runAgent({ prompt: "x", tools: [pay], resume: RUN, restored: true, model, ports: { journal } });
    expect(pay.ran).toEqual([]);
    expect(model.asked[0]?.prompt.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
  });

  test("needs a run that is known", async () => {
    const result = await runAgent({ prompt: "x", model: scriptedModel([{ text: "x" }]), resume: RUN });
    expect([result.status, result.error?.code]).toEqual(["failed", "HARNESS_JOURNAL_UNFIT"]);
  });
});

describe("a journal in a folder", () => {
  const folderOf = (): string => {
    const folder = mkdtempSync(join(tmpdir(), "pawl-journal-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  };
  const note = (detail: string): JournalRecord => ({ type: "run.noted", at: 1, what: "x", detail });

  test("holds a run that another process goes on with", async () => {
    const folder = folderOf();
    const base = { prompt: "x", tools: [testTool("pay")] };
    const first = await runAgent({
      ...base,
      model: pays(),
      budget: { turns: 1 },
      ports: { journal: createFileJournal(folder) },
    });
    expect(first.status).toBe("max_turns");
    const journal = createFileJournal(folder);
    const second = await runAgent({ ...base, model: pays(), resume: first.runId, ports: { journal } });
    expect(second).toMatchObject({ status: "completed", output: "paid" });
    expect(readdirSync(folder)).toEqual([`${first.runId}.jsonl`]);
  });

  test("leaves out what a crash has cut off, and goes on behind it", async () => {
    const folder = folderOf();
    const journal = createFileJournal(folder);
    await journal.append(RUN, note("a"), true);
    await journal.release(RUN);
    await journal.release(RUN);
    appendFileSync(join(folder, `${RUN}.jsonl`), '{"type":"run.no');
    const next = createFileJournal(folder);
    expect(await next.read(RUN)).toEqual([note("a")]);
    await next.append(RUN, note("b"), false);
    expect(await next.read(RUN)).toEqual([note("a"), note("b")]);
    expect(readFileSync(join(folder, `${RUN}.jsonl`), "utf8").split("\n")).toHaveLength(3);
    await next.release(RUN);
  });

  test("is not read when it is damaged, and no name leads out of it", async () => {
    const folder = folderOf();
    writeFileSync(join(folder, `${RUN}.jsonl`), "{}\nnonsense\n{}\n");
    expect(() => createFileJournal(folder).read(RUN)).toThrow("line 2");
    expect(() => createFileJournal(folder).read("../x" as RunId)).toThrow("no id of a run");
  });
});

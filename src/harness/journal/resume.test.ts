import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { testTool } from "../../../test/support/harness/tools.ts";
import { createVirtualClock } from "../../../test/support/virtual-clock.ts";
import type { RunId } from "../../base/ids.ts";
import type { Clock } from "../../ports/clock.ts";
import { createFileJournal } from "../../runtime/wire.ts";
import type { Message } from "../models/model.ts";
import { runAgent } from "../run-agent.ts";
import type { Tool } from "../tools/tool.ts";
import { createMemoryJournal } from "./memory-journal.ts";
import type { AgentJournal, JournalRecord } from "./record.ts";
import { timeUsed } from "./state.ts";

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
      // What a model that was cut off has cost nobody knows: the most that it can is charged.
      const options = { prompt: "pay twice", tools: [pay], budget: { usd: 100 } };
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
    expect(crashes).toBe(13);
  });

  test("T13: between the effect and its result is told to the agent, not repeated in silence", async () => {
    const journal = createMemoryJournal();
    const pay = testTool("pay", undefined, once);
    const at = dying(journal, 6);
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
    const at = dying(journal, 5);
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
    const at = dying(journal, 5);
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

describe("what was used before a crash", () => {
  const START = 1_700_000_000_000;
  /** A clock that its host leaves to the next one. */
  const handClock = (): Clock & { pass(ms: number): void } => {
    let now = START;
    const pass = (ms: number): void => {
      now += ms;
    };
    return { now: () => now, after: () => () => undefined, pass };
  };

  test("A5: the time of a run is counted through all its hosts, and not while it had none", async () => {
    const journal = createMemoryJournal();
    const clock = handClock();
    const look = testTool("pay", () => {
      clock.pass(40_000);
      return { ok: true, output: "ok" };
    });
    const base = { prompt: "x", tools: [look], budget: { wallMs: 100_000 } };
    const left = async (before: number | null): Promise<string> => {
      const at = before === null ? journal : dying(journal, before);
      const known = (await journal.read(RUN)).length === 0 ? { id: RUN } : { resume: RUN };
      return runAgent({ ...base, ...known, model: pays(), ports: { journal: at, clock } }).then(
        ({ status }) => status,
        () => "died",
      );
    };
    expect(await left(6)).toBe("died");
    clock.pass(3_600_000);
    const model = scriptedModel([{ hangs: true }]);
    const virtual = createVirtualClock(clock.now());
    const running = runAgent({ ...base, resume: RUN, model, ports: { journal, clock: virtual } });
    const pump = setInterval(() => virtual.advance(), 1);
    onTestFinished(() => clearInterval(pump));
    expect((await running).status).toBe("timeout");
    expect(virtual.now() - clock.now()).toBe(60_000);
    const again = await runAgent({ ...base, resume: RUN, model: pays(), ports: { journal, clock: virtual } });
    expect([again.status, again.steps.length]).toEqual(["timeout", 1]);
  });

  test("A5: between two hosts no time passes", () => {
    const at = (type: "run.resumed" | "run.lived", ms: number): JournalRecord => ({ type, at: ms });
    const lives = [at("run.lived", 5), at("run.lived", 15), at("run.resumed", 5000), at("run.lived", 5007)];
    expect(timeUsed([...lives, at("run.resumed", 9000), at("run.lived", 8999)])).toBe(17);
  });

  test("A5: while a model thinks, its journal says every few seconds that the run lives", async () => {
    const journal = createMemoryJournal();
    const clock = createVirtualClock();
    const running = runAgent({
      prompt: "x",
      id: RUN,
      model: scriptedModel([{ hangs: true }]),
      budget: { wallMs: 12_000 },
      ports: { journal, clock },
    });
    const pump = setInterval(() => clock.advance(), 1);
    onTestFinished(() => clearInterval(pump));
    expect((await running).status).toBe("timeout");
    const beats = (await journal.read(RUN)).filter(({ type }) => type === "run.lived");
    expect(beats.map(({ at }) => at - START)).toEqual([5000, 10_000]);
  });

  test("A6: a model that was cut off is paid for as if it had said all it could", async () => {
    const journal = createMemoryJournal();
    const base = { prompt: "x", tools: [testTool("pay")], budget: { tokens: 100_000, usd: 1000 } };
    await expect(
      runAgent({ ...base, id: RUN, model: pays(), ports: { journal: dying(journal, 4) } }),
    ).rejects.toThrow();
    const { usage } = await runAgent({
      ...base,
      resume: RUN,
      model: scriptedModel([{ text: "done", usage: { input: 1, output: 1 } }]),
      ports: { journal },
    });
    expect(usage.tokens).toBeGreaterThan(16_384);
    expect(usage.tokens).toBeLessThan(25_000);
    expect(usage.modelCalls).toBe(2);
    const again = await runAgent({
      ...base,
      prompt: "y",
      resume: RUN,
      model: scriptedModel([{ text: "x", usage: { input: 1, output: 1 } }]),
      ports: { journal },
    });
    expect(again.usage.tokens).toBe(usage.tokens + 2);
  });

  const delegating = (times: number) =>
    scriptedModel([
      ...Array.from({ length: times }, () => ({
        calls: [{ tool: "agent__x", input: { task: "go" } }],
        usage: { input: 5, output: 5 },
      })),
      { text: "done", usage: { input: 5, output: 5 } },
    ]);
  const digging = () =>
    scriptedModel((_, turn) =>
      turn < 3 ? { calls: [{ tool: "dig", input: { turn } }], usage: { input: 900, output: 100 } } : { text: "dug" },
    );

  test.each([
    ["what its own journal says of it", true, 20 + 2000],
    ["all that it could spend, when another journal has it", false, 20 + 50_000],
  ])("T10: a child that was cut off is paid for: %s", async (_, isShared, tokens) => {
    const journal = createMemoryJournal();
    let isDead = false;
    const dead: AgentJournal = {
      ...journal,
      append: (run, record, sync) => {
        if (isDead) throw new Error("killed");
        return journal.append(run, record, sync);
      },
    };
    const dig = testTool("dig", () => {
      isDead = dig.ran.length === 2;
      return { ok: true, output: "earth" };
    });
    const limits = { tokens: 50_000, usd: 50 };
    const x = { model: digging(), tools: [dig], limits };
    const spawn = testTool("agent__x", async () => {
      const { status } = await runAgent({ agent: x, prompt: "go" });
      return { ok: status === "completed", output: "x", error: status } as never;
    });
    const base = {
      prompt: "go",
      budget: { tokens: 1e6, usd: 1000 },
      ...(isShared ? { agent: { delegates: { x } } } : { tools: [spawn] }),
    };
    await expect(runAgent({ ...base, id: RUN, model: delegating(1), ports: { journal: dead } })).rejects.toThrow();
    const { status, usage } = await runAgent({ ...base, resume: RUN, model: delegating(0), ports: { journal } });
    expect([status, usage.tokens]).toEqual(["completed", tokens]);
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

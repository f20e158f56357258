/** Ports that hang, throw or talk nonsense, and options that do not fit: the run ends in time, with a status. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { scriptedModel } from "../../test/support/harness/scripted-model.ts";
import { testTool } from "../../test/support/harness/tools.ts";
import { createVirtualClock } from "../../test/support/virtual-clock.ts";
import type { RunId } from "../base/ids.ts";
import type { AgentUsage } from "./agent.ts";
import { createMemoryJournal } from "./journal/memory-journal.ts";
import type { JournalRecord } from "./journal/record.ts";
import type { AgentPorts } from "./ports.ts";
import { type RunAgentOptions, runAgent } from "./run-agent.ts";

const RUN = "r_000000000001" as RunId;
const NEVER = new Promise<never>(() => undefined);
const ASK = { ask: [{ tool: "look" }] } as const;

function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), "pawl-ports-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

const looking = (more: Partial<RunAgentOptions> = {}): RunAgentOptions => ({
  model: scriptedModel([{ calls: [{ tool: "look" }] }, { text: "done" }]),
  prompt: "go",
  tools: [testTool("look")],
  ...more,
});

function withNotes(ports: Partial<AgentPorts> = {}): { ports: Partial<AgentPorts>; notes(): readonly string[] } {
  const journal = createMemoryJournal();
  const records = (): readonly JournalRecord[] => journal.read(RUN) as readonly JournalRecord[];
  return {
    ports: { journal, ...ports },
    notes: () => records().flatMap((record) => (record.type === "run.noted" ? [record.what] : [])),
  };
}

describe("a port that never answers", () => {
  /** It is called, then the caller has had enough. */
  const stuck = (): { signal: AbortSignal; hangs: () => Promise<never> } => {
    const stop = new AbortController();
    const hangs = (): Promise<never> => {
      setImmediate(() => stop.abort());
      return NEVER;
    };
    return { signal: stop.signal, hangs };
  };
  const cases: readonly [string, (hangs: () => Promise<never>) => Partial<RunAgentOptions>][] = [
    ["a budget", (hangs) => ({ ports: { budget: { check: hangs, commit: () => undefined } } })],
    ["policy", (hangs) => ({ policy: { decide: hangs } })],
    ["whoever approves", (hangs) => ({ policy: ASK, ports: { approvals: { ask: hangs } } })],
    ["a hook before a turn", (hangs) => ({ ports: { hooks: { preStep: hangs } } })],
    ["a hook before a call", (hangs) => ({ ports: { hooks: { preTool: hangs } } })],
    ["a hook after a call", (hangs) => ({ ports: { hooks: { postTool: hangs } } })],
    ["a hook after a turn", (hangs) => ({ ports: { hooks: { postStep: hangs } } })],
    ["a critic", (hangs) => ({ ports: { critic: { judge: hangs } } })],
  ];
  test.each(cases)("does not keep a run that is cancelled: %s", async (_, given) => {
    const { signal, hangs } = stuck();
    expect((await runAgent(looking({ ...given(hangs), signal }))).status).toBe("cancelled");
  });

  test("is waited for as long as the run may take: a budget, which is given back what it grants too late", async () => {
    const clock = createVirtualClock();
    const told: number[] = [];
    let grant: (answer: { ok: true }) => void = () => undefined;
    const answer = new Promise<{ ok: true }>((resolve) => {
      grant = resolve;
    });
    const budget = { check: () => answer, commit: (_: RunId, used: AgentUsage) => void told.push(used.tokens) };
    const running = runAgent(looking({ ports: { budget, clock }, budget: { wallMs: 3000 } }));
    setTimeout(() => clock.advance(), 10);
    expect(await running).toMatchObject({ status: "rejected", error: { code: "HARNESS_BUDGET_REJECTED" } });
    expect(clock.now() - 1_700_000_000_000).toBe(3000);
    expect(told).toEqual([]);
    grant({ ok: true });
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([0]);
  });

  test("is not gone on with by two: a run that somebody has", async () => {
    const journal = createMemoryJournal();
    await journal.hold(RUN);
    const told: number[] = [];
    const budget = { check: () => ({ ok: true }) as const, commit: () => void told.push(1) };
    const model = scriptedModel([{ text: "x" }]);
    const result = await runAgent(looking({ id: RUN, model, ports: { journal, budget } }));
    expect([result.status, result.error?.code]).toEqual(["failed", "HARNESS_RUN_HELD"]);
    expect(result.error?.message).toContain("this process");
    expect([model.asked, told, await journal.hold(RUN)]).toEqual([[], [1], "this process"]);
  });

  test("leaves the call that it was asked about to whoever goes on", async () => {
    const { signal, hangs } = stuck();
    const { ports } = withNotes();
    const options = looking({ id: RUN, ports });
    await runAgent({ ...options, signal, policy: { decide: hangs } });
    const { id: _, ...again } = options;
    const result = await runAgent({ ...again, resume: RUN });
    expect(result).toMatchObject({ status: "completed", output: "done" });
    expect(result.steps[0]?.calls).toMatchObject([{ tool: "look", ok: true, output: "ok" }]);
  });

  const after: readonly [string, string, Partial<AgentPorts>][] = [
    ["a delivery", "delivery_failed", { delivery: { deliver: () => NEVER, deliverError: () => NEVER } }],
    ["a hook at the end", "hook_failed", { hooks: { onStop: () => NEVER } }],
  ];
  test.each(after)("after the end has its time, and then the run is over without it: %s", async (_, what, more) => {
    const clock = createVirtualClock();
    const { ports, notes } = withNotes({ ...more, clock });
    const running = runAgent(
      looking({ id: RUN, ports, target: { kind: "chat", id: "1" }, budget: { wallMs: 3_600_000 } }),
    );
    setTimeout(() => clock.advance(), 50);
    expect((await running).status).toBe("completed");
    expect(notes()).toEqual([what]);
  });
});

describe("a port that fails", () => {
  test("whoever only watches cannot end the process by failing later", async () => {
    const failing = (): Promise<never> => Promise.reject(new Error("nobody catches this"));
    const unhandled: unknown[] = [];
    const hear = (error: unknown): void => void unhandled.push(error);
    process.on("unhandledRejection", hear);
    onTestFinished(() => void process.off("unhandledRejection", hear));
    const observer = { onStep: failing, onText: failing, onCall: failing, onResult: failing };
    const ports = { observer, sinks: { trace: failing, usage: failing } };
    expect((await runAgent(looking({ ports }))).status).toBe("completed");
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  });

  test.each([
    ["throws", () => Promise.reject(new Error("no ledger")), "no ledger"],
    ["says nothing", () => undefined, "no answer"],
    ["says something else", () => ({ granted: true }), "undefined"],
  ])("A2: a budget that %s has granted nothing: no model is asked", async (_, check, why) => {
    const model = scriptedModel([{ text: "hi" }]);
    const budget = { check: check as AgentPorts["budget"]["check"], commit: () => undefined };
    const result = await runAgent({ model, prompt: "go", ports: { budget } });
    expect(result).toMatchObject({ status: "rejected", error: { message: expect.stringContaining(why) } });
    expect(model.asked).toEqual([]);
  });

  test("steering that throws has said nothing", async () => {
    const take = (): never => {
      throw new Error("no");
    };
    const { ports, notes } = withNotes({ steering: { take } });
    expect((await runAgent(looking({ id: RUN, ports }))).status).toBe("completed");
    expect(notes()).toEqual(["steering_failed", "steering_failed"]);
  });

  test("a critic that says what nobody knows has said nothing", async () => {
    const ports = { critic: { judge: () => ({ do: "dance" }) as never } };
    expect((await runAgent(looking({ ports }))).status).toBe("completed");
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("no key");
      },
    ],
    ["gives nothing", () => undefined],
  ])("a provider that %s has no model", async (_, open) => {
    const providers = { p: open as never };
    const result = await runAgent({ model: "p/m", prompt: "go", ports: { models: { providers } } });
    expect(result).toMatchObject({ status: "failed", error: { code: "HARNESS_MODEL_UNKNOWN" } });
  });
});

describe("options that do not fit", () => {
  test.each([
    ["a limit that nobody knows", { budget: { token: 5 } }, "there is no limit token"],
    [
      "a limit of a phase that is none",
      { agent: { phases: [{ name: "a", prompt: "b", limits: { turns: Number.NaN } }] } },
      "turns is no number",
    ],
    [
      "a time of a phase",
      { agent: { phases: [{ name: "a", prompt: "b", limits: { wallMs: 5 } }] } },
      "there is no limit of the phase a wallMs",
    ],
    ["a depth that is none", { dispatch: { depth: Number.NaN } }, "depth is no number"],
    ["less than no messages to keep", { compaction: { keep: -5 } }, "keep is no number"],
    ["a root that is not there", { root: "/nowhere/at/all" }, "is no folder"],
    ["a root that is a file", { root: import.meta.filename ?? "" }, "is no folder"],
  ])("are refused before anything is spent: %s", async (_, more, problem) => {
    const model = scriptedModel([{ text: "hi" }]);
    const result = await runAgent(looking({ ...(more as Partial<RunAgentOptions>), model }));
    expect(result).toMatchObject({ status: "failed", error: { code: "HARNESS_OPTIONS_UNFIT" } });
    expect(result.error?.message).toContain(problem);
    expect(model.asked).toEqual([]);
  });

  test("no time at all is no turn", async () => {
    const model = scriptedModel([{ text: "hi" }]);
    expect((await runAgent({ model, prompt: "go", budget: { wallMs: 0 } })).status).toBe("timeout");
    expect(model.asked).toEqual([]);
  });

  test("the id of a run that has been is not taken for another one", async () => {
    const { ports } = withNotes();
    await runAgent(looking({ id: RUN, ports }));
    const before = JSON.stringify(ports.journal?.read(RUN));
    const again = await runAgent(looking({ id: RUN, ports }));
    expect(again).toMatchObject({ status: "failed", error: { code: "HARNESS_OPTIONS_UNFIT" } });
    expect(JSON.stringify(ports.journal?.read(RUN))).toBe(before);
  });
});

test("A14: a phase that had ended gives its value again to whoever goes on", async () => {
  const { ports } = withNotes();
  const agent = {
    schema: { type: "object" },
    phases: [
      { name: "__proto__", prompt: "{{input}}" },
      { name: "b", prompt: "{{__proto__}}" },
    ],
  };
  const model = scriptedModel([{ text: "one" }, { text: '{"a":1}' }]);
  const first = await runAgent({ agent, model, prompt: "go", id: RUN, ports });
  expect(JSON.stringify(model.asked[1]?.prompt)).toContain('"one"');
  expect(first.value).toEqual({ a: 1 });
  expect((await runAgent({ agent, model, prompt: "go", resume: RUN, ports })).value).toEqual({ a: 1 });
});

describe("A19: files of two runs in one workspace", () => {
  const files = [{ name: "a.txt", bytes: Buffer.from("new") }];
  test("A19: stay apart", async () => {
    const root = tempDir();
    const model = scriptedModel([{ text: "hi" }]);
    await runAgent({ model, prompt: "go", root, files });
    await runAgent({ model, prompt: "go", root, files });
    expect(readdirSync(join(root, "inputs")).sort()).toEqual(["a-2.txt", "a.txt"]);
    expect(JSON.stringify(model.asked[1]?.prompt)).toContain("inputs/a-2.txt");
  });

  test("A19: follow no link out of it", async () => {
    const [root, outside] = [tempDir(), tempDir()];
    symlinkSync(outside, join(root, "inputs"));
    const result = await runAgent({ model: scriptedModel([{ text: "hi" }]), prompt: "go", root, files });
    expect(result).toMatchObject({ status: "failed", error: { code: "HARNESS_OPTIONS_UNFIT" } });
    expect(readdirSync(outside)).toEqual([]);
  });

  test("A19: are not written through a link in their place", async () => {
    const [root, outside] = [tempDir(), tempDir()];
    await runAgent({ model: scriptedModel([{ text: "hi" }]), prompt: "go", root, files });
    rmSync(join(root, "inputs", "a.txt"));
    writeFileSync(join(outside, "kept"), "old");
    symlinkSync(join(outside, "kept"), join(root, "inputs", "a.txt"));
    await runAgent({ model: scriptedModel([{ text: "hi" }]), prompt: "go", root, files });
    expect(readFileSync(join(outside, "kept"), "utf8")).toBe("old");
  });

  test("A19: may have names that are longer than a file system takes", async () => {
    const root = tempDir();
    const long = { name: `${"語".repeat(200)}.txt`, bytes: Buffer.from("") };
    expect((await runAgent({ model: scriptedModel([{ text: "hi" }]), prompt: "go", root, files: [long] })).status).toBe(
      "completed",
    );
    expect(readdirSync(join(root, "inputs"))).toEqual([expect.stringMatching(/^語+\.txt$/)]);
  });
});

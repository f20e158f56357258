/** What people, critics, phases, files and deliveries do to a run. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { apiError, type Line, scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { testTool } from "../../../test/support/harness/tools.ts";
import { createVirtualClock } from "../../../test/support/virtual-clock.ts";
import type { RunId } from "../../base/ids.ts";
import type { Agent } from "../agent.ts";
import { createMemoryJournal } from "../journal/memory-journal.ts";
import type { CallOptions } from "../models/model.ts";
import type { Critic, CriticView, Delivery } from "../ports.ts";
import { type RunAgentOptions, runAgent } from "../run-agent.ts";
import { createSteering } from "../steering.ts";

const said = (options: CallOptions | undefined): string => JSON.stringify(options?.prompt ?? []);
const looks =
  (turns: number): ((options: CallOptions, times: number) => Line) =>
  (_, times) =>
    times <= turns ? { text: `turn ${times}`, calls: [{ tool: "look", input: { times } }] } : { text: "done" };

describe("A14: phases", () => {
  test("A14: each has a talk, tools and bounds of its own, and sees what was before it", async () => {
    const [first, second] = [scriptedModel([{ text: "three bugs" }]), scriptedModel([{ text: '{"ok":true}' }])];
    const agent: Agent = {
      model: first,
      system: "you are careful",
      tools: [testTool("look")],
      schema: { type: "object" },
      phases: [
        { name: "scan", prompt: "Scan {{input}}." },
        {
          name: "fix",
          prompt: "Of {{input}}: fix {{scan}} ({{ output }}).",
          model: second,
          tools: [],
          system: "you fix",
        },
      ],
    };
    const result = await runAgent({ agent, prompt: "{{scan}} src" });
    expect(result).toMatchObject({ status: "completed", output: '{"ok":true}', value: { ok: true } });
    expect(first.asked[0]?.tools).toHaveLength(1);
    expect(first.asked[0]?.responseFormat).toBeUndefined();
    expect(said(second.asked[0])).toContain("Of {{scan}} src: fix three bugs (three bugs).");
    expect(said(second.asked[0])).toContain("you fix");
    expect(second.asked[0]?.tools).toBeUndefined();
    expect(result.steps.map(({ phase }) => phase)).toEqual(["scan", "fix"]);
  });

  test.each([
    ["says nothing", [{ throws: apiError(400, "no") }], "no luck"],
    ["said something", [{ text: "half a finding", calls: [{ tool: "look" }] }], "half a finding"],
  ] as const)("A14: an optional one that fails and %s gives the next one what there is", async (_, script, given) => {
    const next = scriptedModel([{ text: "done" }]);
    const phases = [
      {
        name: "look",
        prompt: "Look.",
        optional: true,
        fallback: "no luck",
        model: scriptedModel(script),
        limits: { turns: 1 },
      },
      { name: "use", prompt: "Use {{look}}.", model: next },
    ];
    const result = await runAgent({ agent: { phases, tools: [testTool("look")], model: next }, prompt: "go" });
    expect(result.status).toBe("completed");
    expect(said(next.asked[0])).toContain(`Use ${given}.`);
  });

  test("A14: one that must succeed ends the run with its own status and what it has said", async () => {
    const phases = [
      { name: "look", prompt: "Look.", limits: { turns: 2 } },
      { name: "use", prompt: "Use {{look}}." },
    ];
    const model = scriptedModel(looks(9));
    const result = await runAgent({ agent: { phases, tools: [testTool("look")], model }, prompt: "go" });
    expect(result).toMatchObject({ status: "max_turns", output: "turn 2" });
  });

  test.each([
    [[{ name: "a", prompt: "{{b}}" }], "{{b}}"],
    [
      [
        { name: "a", prompt: "x" },
        { name: "a", prompt: "y" },
      ],
      "named a",
    ],
    [[{ name: "input", prompt: "x" }], "named input"],
  ])("A14: %j is refused before anything is spent", async (phases, told) => {
    const model = scriptedModel([{ text: "x" }]);
    const result = await runAgent({ agent: { model, phases }, prompt: "go" });
    expect(result.error?.code).toBe("HARNESS_OPTIONS_UNFIT");
    expect(result.error?.message).toContain(told);
    expect(model.asked).toEqual([]);
  });
});

describe("A17: a critic", () => {
  const watched = (critic: Critic, more: Partial<RunAgentOptions> = {}) =>
    runAgent({
      model: scriptedModel(looks(6)),
      prompt: "go",
      tools: [testTool("look")],
      ...more,
      ports: { critic, ...more.ports },
    });

  test("A17: can nudge, and the agent hears it before its next turn", async () => {
    const model = scriptedModel(looks(2));
    const critic: Critic = {
      judge: ({ turns }) => (turns === 1 ? { do: "nudge", message: "hurry up" } : { do: "go_on" }),
    };
    await watched(critic, { model });
    expect(model.asked.map((options) => said(options).includes("hurry up"))).toEqual([false, true, true]);
  });

  test("A17: can kill, and a run that was killed is not gone on with", async () => {
    const journal = createMemoryJournal();
    const critic: Critic = { judge: ({ turns }) => (turns === 2 ? { do: "kill", why: "no use" } : { do: "go_on" }) };
    const result = await watched(critic, { ports: { journal } });
    expect(result).toMatchObject({ status: "killed", output: "turn 2" });
    expect(result.error?.message).toContain("no use");
    const model = scriptedModel([{ text: "again" }]);
    const again = await runAgent({ model, prompt: "go", resume: result.runId, ports: { journal } });
    expect(again.status).toBe("killed");
    expect(model.asked).toEqual([]);
  });

  test("A17: can give more time once in each run", async () => {
    const hanging = async (critic: Critic) => {
      const clock = createVirtualClock();
      const model = scriptedModel([{ hangs: true }]);
      const running = runAgent({ model, prompt: "go", budget: { wallMs: 1000 }, ports: { critic, clock } });
      const pump = setInterval(() => clock.advance(), 1);
      const result = await running.finally(() => clearInterval(pump));
      return { result, took: clock.now() - 1_700_000_000_000 };
    };
    const views: CriticView["at"][] = [];
    const generous: Critic = {
      judge: ({ at }) => {
        views.push(at);
        return { do: "extend", ms: 500 };
      },
    };
    for (const _ of [1, 2]) {
      const { result, took } = await hanging(generous);
      expect([result.status, took]).toEqual(["timeout", 1500]);
    }
    expect(views).toEqual(["deadline", "deadline", "deadline", "deadline"]);
    expect((await hanging({ judge: () => ({ do: "extend", ms: 1e9 }) })).took).toBe(3000);
    expect((await hanging({ judge: () => ({ do: "go_on" }) })).took).toBe(1000);
    expect((await hanging({ judge: () => ({ do: "kill", why: "no" }) })).result.status).toBe("killed");
  });

  test("A17: can give more time once in each run, whoever goes on with it", async () => {
    const journal = createMemoryJournal();
    const clock = createVirtualClock();
    const id = "r_000000000017" as RunId;
    const asks = [500, 1500, 1500];
    const critic: Critic = { judge: () => ({ do: "extend", ms: asks.shift() ?? 0 }) };
    const life = async (more: Partial<RunAgentOptions>, dies: boolean): Promise<string> => {
      const model = scriptedModel([{ hangs: true }]);
      const stop = new AbortController();
      const ports = { critic, clock, journal };
      const running = runAgent({ model, prompt: "go", budget: { wallMs: 1000 }, signal: stop.signal, ports, ...more });
      const pump = setInterval(() => {
        if (dies && clock.now() - 1_700_000_000_000 >= 1000) stop.abort();
        else clock.advance();
      }, 1);
      return (await running.finally(() => clearInterval(pump))).status;
    };
    expect(await life({ id }, true)).toBe("cancelled");
    expect(JSON.stringify(await journal.read(id))).toContain('"type":"time.extended","toMs":1500');
    expect(await life({ resume: id }, false)).toBe("timeout");
    // What was given to it stays given, and no more is.
    expect(clock.now() - 1_700_000_000_000).toBe(1500);
  });

  test("A17: that fails has said nothing", async () => {
    const critic: Critic = {
      judge: () => {
        throw new Error("no");
      },
    };
    expect((await watched(critic)).status).toBe("completed");
  });
});

describe("A19: files that come with a task", () => {
  test("A19: are laid out under names of their own, and the largest are left out and named", async () => {
    const root = mkdtempSync(join(tmpdir(), "pawl-files-"));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const model = scriptedModel([{ text: "done" }]);
    const bytes = Buffer.from("abc");
    const huge = Object.create(Buffer.from("x"), { byteLength: { value: 50 * 1024 * 1024 + 1 } }) as Uint8Array;
    const names = ["a.txt", "a.txt", "A.TXT", "../../etc/passwd", ".env", "\u001b[31m\n.md"];
    const files = [...names.map((name) => ({ name, bytes })), { name: "huge.bin", bytes: huge }];
    await runAgent({ model, prompt: "Read them.", files, root });
    const laid = ["A-3.TXT", "__31m_.md", "_env", "a-2.txt", "a.txt", "passwd"];
    expect(readdirSync(join(root, "inputs")).sort()).toEqual(laid.sort());
    expect(readFileSync(join(root, "inputs", "a-2.txt"), "utf8")).toBe("abc");
    expect(said(model.asked[0])).toContain("huge.bin was left out");
    expect(said(model.asked[0])).not.toContain("abc");
  });
});

describe("A20: delivery", () => {
  const target = { kind: "channel", id: "7" };
  const keeping = (told: unknown[]): Delivery => ({
    deliver: (...given) => void told.push(["answer", ...given]),
    deliverError: (...given) => void told.push(["error", ...given]),
  });

  test("A20: the answer goes to its target, and so does an error", async () => {
    const told: unknown[] = [];
    const ports = { delivery: keeping(told) };
    await runAgent({ model: scriptedModel([{ text: "hi" }]), prompt: "go", target, ports });
    await runAgent({ model: scriptedModel([{ throws: apiError(400, "no") }]), prompt: "go", target, ports });
    expect(told).toEqual([
      ["answer", target, "hi", []],
      ["error", target, { status: "failed", message: "No model has answered: test/scripted: 400 no." }],
    ]);
  });

  test("A20: a delivery that fails is recorded and changes nothing", async () => {
    const journal = createMemoryJournal();
    const delivery: Delivery = {
      deliver: () => Promise.reject(new Error("unreachable")),
      deliverError: () => undefined,
    };
    const result = await runAgent({
      model: scriptedModel([{ text: "hi" }]),
      prompt: "go",
      target,
      ports: { delivery, journal },
    });
    expect(result.status).toBe("completed");
    const noted = (await journal.read(result.runId)).filter(({ type }) => type === "run.noted");
    expect(noted).toMatchObject([{ what: "delivery_failed", detail: "unreachable" }]);
  });

  test("A21: what tools attach is delivered with the answer, all at once", async () => {
    const told: unknown[] = [];
    const attaching = (name: string) =>
      testTool(name, (_, { attach }) => {
        attach({ name: `${name}.png`, bytes: Buffer.from(name) });
        return { ok: true, output: "attached" };
      });
    const model = scriptedModel([{ calls: [{ tool: "plot" }, { tool: "chart" }] }, { text: "see there" }]);
    const tools = [attaching("plot"), attaching("chart")];
    await runAgent({ model, prompt: "go", tools, target, ports: { delivery: keeping(told) } });
    const attachments = ["plot", "chart"].map((name) => ({ name: `${name}.png`, bytes: Buffer.from(name) }));
    expect(told).toEqual([["answer", target, "see there", attachments]]);
  });
});

test("A22: what a person says is heard at the next turn, once", async () => {
  const steering = createSteering();
  const model = scriptedModel(looks(3));
  const look = testTool("look", ({ times }) => {
    if (times === 2) steering.say("look left too");
    return { ok: true, output: String(times) };
  });
  await runAgent({ model, prompt: "go", tools: [look], ports: { steering } });
  const heard = model.asked.map((options) => said(options).split("look left too").length - 1);
  expect(heard).toEqual([0, 0, 1, 1]);
  expect(said(model.asked[2]).indexOf("look left too")).toBeGreaterThan(said(model.asked[2]).indexOf('"c2-0"'));
});

describe("P12: hooks", () => {
  test("P12: can say no to a step and to a call, and what they throw is a no", async () => {
    const look = testTool("look");
    const calling = (): ReturnType<typeof scriptedModel> =>
      scriptedModel([{ calls: [{ tool: "look" }] }, { text: "done" }]);
    const run = (hooks: NonNullable<RunAgentOptions["ports"]>["hooks"]) =>
      runAgent({ model: calling(), prompt: "go", tools: [look], ...(hooks === undefined ? {} : { ports: { hooks } }) });
    expect((await run({ preTool: () => ({ deny: "not today" }) })).steps[0]?.calls[0]?.output).toContain("not today");
    const throwing = (): never => {
      throw new Error("broken hook");
    };
    expect((await run({ preTool: throwing })).steps[0]?.calls[0]?.ok).toBe(false);
    expect(look.ran).toEqual([]);
    const stopped = await run({ preStep: ({ turn }) => (turn === 2 ? { deny: "enough" } : undefined) });
    expect([stopped.status, stopped.error?.code]).toEqual(["failed", "HARNESS_HOOK_DENIED"]);
  });

  test("P12: hear of every call, step and end, and change nothing when they fail", async () => {
    const heard: string[] = [];
    const tell = (what: string) => () => {
      heard.push(what);
      throw new Error("no");
    };
    const hooks = { postTool: tell("tool"), postStep: tell("step"), onStop: tell("stop") };
    const model = scriptedModel([{ calls: [{ tool: "look" }] }, { text: "done" }]);
    const result = await runAgent({ model, prompt: "go", tools: [testTool("look")], ports: { hooks } });
    expect(heard).toEqual(["tool", "step", "step", "stop"]);
    expect(result.status).toBe("completed");
  });
});

test("a workspace of its own is gone afterwards", async () => {
  let root = "";
  const look = testTool("look", (_, context) => {
    root = context.root;
    return { ok: true, output: existsSync(root) };
  });
  const model = scriptedModel([{ calls: [{ tool: "look" }] }, { text: "done" }]);
  const result = await runAgent({ model, prompt: "go", tools: [look] });
  expect(result.steps[0]?.calls[0]?.output).toBe(true);
  expect(existsSync(root)).toBe(false);
});

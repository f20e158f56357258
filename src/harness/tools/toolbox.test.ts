import { describe, expect, it, test } from "vitest";
import { benchOf, rulesOf } from "../../../test/support/tools/toolbox-fixture.ts";
import { createToolRegistry } from "./registry.ts";
import type { Tool } from "./tool.ts";
import { findToolset, TOOLSETS, type Toolset } from "./toolsets.ts";

const ROOT = "/nowhere";

function toolOf(more: Partial<Tool> = {}): Tool {
  return {
    name: "count",
    summary: "Counts.",
    input: {
      type: "object",
      properties: { to: { type: "integer" }, label: { type: "string" } },
      required: ["to"],
      additionalProperties: false,
    },
    risk: "low",
    timeout: "fast",
    idempotent: true,
    requests: () => [],
    run: async (input) => ({ ok: true, output: input }),
    ...more,
  };
}

function setOf(more: Partial<Toolset> = {}): Toolset {
  return { name: "own", tools: ["count"], risk: "low", requiresApproval: false, ...more };
}

describe("T1: the registry of tools", () => {
  it.each<[string, Partial<Tool>, string]>([
    ["a name that is taken", {}, "There are two tools with the name count."],
    ["a name that no provider takes", { name: "a b" }, "a b cannot be the name of a tool."],
    [
      "a keyword that is not known",
      { name: "x", input: { type: "object", dependencies: {} } },
      "The input schema of x cannot be used: #: dependencies is a keyword that is not known.",
    ],
    [
      "a schema that is not for an object",
      { name: "x", input: { type: "string" } },
      "The input schema of x cannot be used: it is not for an object.",
    ],
  ])("refuses %s", (_what, more, problem) => {
    expect(() => createToolRegistry([toolOf(), toolOf(more)])).toThrow(problem);
  });

  test("T1: input that does not fit is told to the model, and the body does not run", async () => {
    let ran = 0;
    const run: Tool["run"] = async () => {
      ran += 1;
      return { ok: true, output: null };
    };
    const { call } = benchOf({ root: ROOT, tools: [toolOf({ run })] });
    for (const input of [{}, { to: "many" }, { to: 1, more: 2 }, [], "no json", null, 5]) {
      expect(await call("count", input)).toMatchObject({ status: "failure", code: "TOOL_INPUT_INVALID" });
    }
    expect(ran).toBe(0);
    const outcome = await call("count", { to: "x", more: 1 });
    expect(outcome).toMatchObject({
      error: "The input of count does not fit: to must be a whole number; more is not known.",
    });
  });

  test("T7: arguments are coerced by their schema only", async () => {
    const { output } = benchOf({ root: ROOT, tools: [toolOf()] });
    expect(await output("count", { to: "5", label: "007" })).toEqual({ to: 5, label: "007" });
    expect(await output("count", '{"to":5,"label":12}')).toEqual({ to: 5, label: "12" });
  });

  test("input that means nothing to the tool is invalid too", async () => {
    const requests = (): never => {
      throw new Error("it is no patch.");
    };
    const { call } = benchOf({ root: ROOT, tools: [toolOf({ requests })] });
    expect(await call("count", { to: 1 })).toMatchObject({ error: "The input of count does not fit: it is no patch." });
  });
});

describe("T2: toolsets", () => {
  test("there are six built in", () => {
    expect(TOOLSETS.map(({ name, risk, requiresApproval }) => [name, risk, requiresApproval])).toEqual([
      ["repo_readonly", "low", false],
      ["coding_backend", "medium", false],
      ["coding_frontend", "medium", false],
      ["debug_ci", "medium", false],
      ["docs_research", "low", false],
      ["release_ops", "high", true],
    ]);
    for (const toolset of TOOLSETS) expect(findToolset(toolset.name)).toBe(toolset);
  });

  test("every tool that a built-in set names is there", () => {
    for (const toolset of TOOLSETS) {
      const names = benchOf({ root: ROOT, toolset }).box.tools.map(({ name }) => name);
      expect([...names].sort()).toEqual([...toolset.tools].sort());
    }
  });

  test("T2: an unknown set, or an unknown tool in one, is an error", () => {
    expect(() => findToolset("repo_readonyl")).toThrow("There is no toolset repo_readonyl.");
    const tools = [toolOf()];
    expect(() => benchOf({ root: ROOT, tools, toolset: setOf({ tools: ["cuont"] }) })).toThrow(
      "The toolset own names a tool that does not exist: cuont.",
    );
    expect(benchOf({ root: ROOT, tools, toolset: setOf({ tools: ["co*", "other__*"] }) }).box.tools).toEqual(tools);
  });

  test("T2: a call outside the set is denied, with an event, and does not run", async () => {
    let ran = 0;
    const other = toolOf({
      name: "other",
      run: async () => {
        ran += 1;
        return { ok: true, output: null };
      },
    });
    const { call, events } = benchOf({ root: ROOT, tools: [toolOf(), other], toolset: setOf() });
    const outcome = await call("other", { to: 1 });
    expect(outcome).toMatchObject({ status: "denied", code: "TOOL_OUTSIDE_SET" });
    expect(events[0]).toEqual({
      type: "tool.denied",
      id: "call_1",
      tool: "other",
      code: "TOOL_OUTSIDE_SET",
      why: "other is not in the toolset own.",
    });
    expect(ran).toBe(0);
    expect(await call("cuont", {})).toMatchObject({
      code: "TOOL_UNKNOWN",
      error: "There is no tool cuont (did you mean count?).",
    });
    expect(await call("zzz", {})).toMatchObject({ error: "There is no tool zzz." });
  });

  test("a set that requires approval asks a person, unless a rule names the tool; looking is free", async () => {
    const changes = toolOf({ risk: "medium", requests: () => [{ kind: "edit", path: "a" }] });
    const looks = toolOf({ name: "look", requests: () => [{ kind: "read", path: "a" }] });
    const toolset = setOf({ tools: ["count", "look"], requiresApproval: true });
    const both = [
      ["allow", { edit: "**" }],
      ["allow", { read: "**" }],
    ] as const;
    const asks = benchOf({ root: ROOT, tools: [changes, looks], toolset, rules: rulesOf(...both) });
    expect(await asks.call("count", { to: 1 })).toMatchObject({ status: "deferred", code: "TOOL_DEFERRED" });
    expect(await asks.call("look", { to: 1 })).toMatchObject({ status: "success" });
    const named = rulesOf(...both, ["allow", { tool: "count" }]);
    const free = benchOf({ root: ROOT, tools: [changes, looks], toolset, rules: named });
    expect(await free.call("count", { to: 1 })).toMatchObject({ status: "success" });
  });

  test("policy sees how dangerous a call is: the tool or its set, whichever is more", async () => {
    const seen: unknown[] = [];
    const decide = async (call: { requests: readonly { tier?: string }[] }) => {
      seen.push(call.requests.map(({ tier }) => tier));
      return { answer: "allow" } as const;
    };
    const tools = [toolOf(), toolOf({ name: "run", risk: "medium", requests: () => [{ kind: "shell", script: "x" }] })];
    for (const risk of ["low", "high"] as const) {
      const { call } = benchOf({ root: ROOT, tools, toolset: setOf({ tools: ["count", "run"], risk }), decide });
      await call("count", { to: 1 });
      await call("run", { to: 1 });
    }
    expect(seen).toEqual([["low"], ["medium"], ["high"], ["high"]]);
  });
});

describe("T3: a call of a tool", () => {
  test("T3: is resolved, validated, ruled, recorded, run, kept, recorded and answered, in this order", async () => {
    const order: string[] = [];
    const { call } = benchOf({
      root: ROOT,
      tools: [
        toolOf({
          requests: () => {
            order.push("validate");
            return [];
          },
          run: async () => {
            order.push("execute");
            return { ok: true, output: "done", artifacts: [{ name: "log", bytes: Buffer.from("x") }] };
          },
        }),
      ],
      decide: async () => {
        order.push("policy");
        return { answer: "allow" };
      },
      artifacts: {
        put: async (bytes) => {
          order.push("persist");
          return { sha256: "abc", bytes: bytes.length };
        },
      },
      emit: (event) => void order.push(event.type),
    });
    expect(await call("count", { to: 1 })).toEqual({
      status: "success",
      output: "done",
      artifacts: [{ name: "log", artifactId: "abc" }],
      summary: "done",
    });
    expect(order).toEqual(["validate", "policy", "tool.requested", "execute", "persist", "tool.ended"]);
  });

  const broken = (): never => {
    throw new Error("broken\u202E.");
  };
  const withFile: Partial<Tool> = {
    run: async () => ({ ok: true, output: 1, artifacts: [{ name: "a", bytes: new Uint8Array() }] }),
  };
  it.each<[string, string, Parameters<typeof benchOf>[0] & { tool?: Partial<Tool> }]>([
    ["TOOL_DENIED", "count was denied: no.", { root: ROOT, decide: async () => ({ answer: "deny", why: "no" }) }],
    ["TOOL_DENIED", "count was denied: no ruling could be had: broken\\u202e.", { root: ROOT, decide: broken }],
    [
      "TOOL_DEFERRED",
      "count waits for a person: so.",
      { root: ROOT, decide: async () => ({ answer: "defer", why: "so" }) },
    ],
    ["TOOL_CALLER_REFUSED", "tester may not call count.", { root: ROOT, callers: { count: ["other"] } }],
    ["TOOL_FAILED", "count failed: so.", { root: ROOT, tool: { run: async () => ({ ok: false, error: "so" }) } }],
    ["TOOL_BROKEN", "count broke off: broken\\u202e.", { root: ROOT, tool: { run: broken } }],
    [
      "TOOL_BROKEN",
      "count broke off: canonical JSON has no NaN.",
      { root: ROOT, tool: { run: async () => ({ ok: true, output: Number.NaN }) } },
    ],
    [
      "TOOL_TIMED_OUT",
      "count took more than 0.02 seconds.",
      { root: ROOT, timeoutsMs: { fast: 20 }, tool: { run: (_input, { signal }) => untilAborted(signal) } },
    ],
    [
      "TOOL_ARTIFACT_LOST",
      "What count made could not be kept: the disk is full.",
      { root: ROOT, tool: withFile, artifacts: { put: () => Promise.reject(new Error("the disk is full")) } },
    ],
    ["TOOL_EVENT_LOST", "What happened with count could not be recorded: broken\\u202e.", { root: ROOT, emit: broken }],
  ])("that ends with %s says: %s", async (code, error, { tool, ...options }) => {
    const { call } = benchOf({ ...options, tools: [toolOf(tool)] });
    expect(await call("count", { to: 1 })).toMatchObject({ code, error });
  });

  test("does not run when its request cannot be recorded, and does not succeed when its end cannot", async () => {
    let ran = 0;
    const run: Tool["run"] = async () => {
      ran += 1;
      return { ok: true, output: null };
    };
    const failing = (type: string) =>
      benchOf({
        root: ROOT,
        tools: [toolOf({ run })],
        emit: (event) => {
          if (event.type === type) throw new Error("full");
        },
      });
    expect(await failing("tool.requested").call("count", { to: 1 })).toMatchObject({ code: "TOOL_EVENT_LOST" });
    expect(ran).toBe(0);
    expect(await failing("tool.ended").call("count", { to: 1 })).toMatchObject({ code: "TOOL_EVENT_LOST" });
    expect(ran).toBe(1);
  });

  test("that is cancelled is neither a failure nor a success, and one cancelled before starts nothing", async () => {
    const stop = new AbortController();
    let ran = 0;
    const run: Tool["run"] = (_input, { signal }) => {
      ran += 1;
      stop.abort();
      return untilAborted(signal);
    };
    const { call } = benchOf({ root: ROOT, tools: [toolOf({ run })] });
    expect(await call("count", { to: 1 }, stop.signal)).toMatchObject({ status: "cancelled", code: "TOOL_CANCELLED" });
    expect(await call("count", { to: 1 }, stop.signal)).toMatchObject({ status: "cancelled" });
    expect(ran).toBe(1);
  });

  test("hands the tool its key, its model, its way to others and a place for files", async () => {
    const attached: string[] = [];
    const seen: unknown[] = [];
    const run: Tool["run"] = async (_input, context) => {
      context.attach({ name: "report", bytes: new Uint8Array() });
      seen.push(
        context.key,
        context.callId,
        context.run,
        context.root,
        await context.dispatch?.("agent__x", {}, context.signal),
      );
      return {
        ok: true,
        output: (await context.models?.ask({ system: "", prompt: "" }, context.signal).then(String)) ?? "",
      };
    };
    const { call } = benchOf({
      root: ROOT,
      tools: [toolOf({ run })],
      attach: ({ name }) => void attached.push(name),
      models: { ask: async () => ({ ok: true, text: "hi" }) },
      dispatch: async () => ({ ok: true, output: "child" }),
    });
    expect(await call("count", { to: 1 })).toMatchObject({ status: "success" });
    expect(seen).toEqual(["key_1", "call_1", "run_test", ROOT, { ok: true, output: "child" }]);
    expect(attached).toEqual(["report"]);
  });

  test("gives back text without anything hidden, and no more than anybody reads", async () => {
    const hidden = benchOf({
      root: ROOT,
      tools: [toolOf({ run: async () => ({ ok: true, output: { text: "x\u202Ey\nz" } }) })],
    });
    expect(await hidden.output("count", { to: 1 })).toEqual({ text: "x\\u202ey\nz" });
    const named = benchOf({
      root: ROOT,
      tools: [toolOf({ run: async () => ({ ok: true, output: { "a\u200b": 1, gone: undefined } }) })],
    });
    expect(await named.output("count", { to: 1 })).toEqual({ "a\\u200b": 1 });
    const huge = benchOf({
      root: ROOT,
      tools: [toolOf({ run: async () => ({ ok: true, output: "x".repeat(1 << 20) }) })],
    });
    expect(await huge.output("count", { to: 1 })).toMatchObject({ truncated: true, characters: (1 << 20) + 2 });
  });

  test("is asked about again when more comes up, and what is not allowed is not", async () => {
    const answers: boolean[] = [];
    const run: Tool["run"] = async (_input, { allows }) => {
      for (const path of ["a", "b"]) answers.push(await allows([{ kind: "read", path }]));
      answers.push(await allows([]));
      return { ok: true, output: null };
    };
    const rules = rulesOf(["allow", { tool: "count" }], ["allow", { read: "a" }]);
    await benchOf({ root: ROOT, tools: [toolOf({ run })], rules }).output("count", { to: 1 });
    expect(answers).toEqual([true, false, false]);
  });
});

describe("T6: three stages of permission", () => {
  const admin = toolOf({ authoring: "admin", safeToShare: true });
  const holder = { name: "helper", author: "anyone", visibility: "private" } as const;

  test("T6: saving: a tool for administrators cannot be given to an agent of anyone else", () => {
    expect(() => benchOf({ root: ROOT, tools: [admin], holder })).toThrow("helper cannot be given the tool count.");
    expect(benchOf({ root: ROOT, tools: [admin], holder: { ...holder, author: "admin" } }).box.tools).toHaveLength(1);
  });

  test("T6: sharing: an agent with a tool that is not safe to share stays private", () => {
    for (const visibility of ["shared", "public"] as const) {
      expect(() => benchOf({ root: ROOT, tools: [toolOf()], holder: { ...holder, visibility } })).toThrow(
        `helper cannot be ${visibility} with the tool count.`,
      );
      expect(
        benchOf({ root: ROOT, tools: [toolOf({ safeToShare: true })], holder: { ...holder, visibility } }).box.tools,
      ).toHaveLength(1);
    }
  });

  test("T6: executing: a tool that is kept for some runs for them only", async () => {
    const callers = { count: ["helper"] };
    const { call } = benchOf({ root: ROOT, tools: [toolOf()], holder, callers });
    expect(await call("count", { to: 1 })).toMatchObject({ status: "success" });
    const other = benchOf({ root: ROOT, tools: [toolOf()], holder: { ...holder, name: "other" }, callers });
    expect(await other.call("count", { to: 1 })).toMatchObject({ status: "denied", code: "TOOL_CALLER_REFUSED" });
  });
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
    if (signal.aborted) reject(new Error("aborted"));
  });
}

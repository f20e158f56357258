/** The real Claude Code behind the real wall, with nothing but the gateway to reach; only where it is installed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { AGENT_PROGRAMS, findAgent } from "../../scripts/agent-clis.ts";
import { createClaudeAgent } from "../../src/adapters/agents/claude/claude-agent.ts";
import type { AgentBackend, Ruling, ToolCall } from "../../src/ports/agents/agent-backend.ts";
import { live, metered, type Place, type PlaceOptions, placeBehindWall } from "../support/agents/behind-wall.ts";
import { filesWith } from "../support/agents/run-agent.ts";
import { KEY } from "../support/gateway/fixture.ts";
import type { Step } from "../support/model-api/script.ts";
import { totalOf } from "../support/model-api/script.ts";
import { removeFolders } from "../support/process-fixture.ts";

const [claude] = AGENT_PROGRAMS.filter(({ name }) => name === "claude");
const program = claude === undefined ? null : findAgent(claude);
const USAGE = { input: 1200, cacheRead: 300, output: 40, reasoning: 0 } as const;

function agentIn({ executor }: Place): AgentBackend {
  return createClaudeAgent({ executor, root: "/nonexistent", path: "", program: program ?? "" });
}

const write = (path: string, content: string): NonNullable<Step["tools"]>[number] => ({
  name: "Write",
  args: { file_path: path, content },
});
const bash = (command: string): NonNullable<Step["tools"]>[number] => ({ name: "Bash", args: { command } });

/** Ids of the processes that this attempt has left. */
function leftBy({ taskOf }: Place): readonly string[] {
  const { key } = taskOf().process;
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/environ`, "latin1").split("\0").includes(`PAWL_KEY=${key}`);
    } catch {
      return false;
    }
  });
}

/** Counted by the provider, the gateway and the agent alike; nothing left running; the key nowhere. */
function expectExact(place: Place, reported: { readonly tokens: number } | null): void {
  const { gateway, api } = metered(place);
  expect(gateway).toEqual(api);
  expect(reported?.tokens).toBe(totalOf(place.api.counted()));
  expectClean(place);
}

function expectClean(place: Place): void {
  expect(leftBy(place)).toEqual([]);
  expect(filesWith(KEY, place.home, place.work)).toEqual([]);
}

async function placeWith(steps: readonly Step[], more: Partial<PlaceOptions> = {}): Promise<Place> {
  return placeBehindWall({ script: { steps }, ...more });
}

afterEach(removeFolders);

describe.runIf(program !== null)("Claude Code behind the wall", { timeout: 600_000 }, () => {
  test("is the version that the adapter was tested with", async () => {
    const place = await placeWith([{ text: "x" }]);
    expect(await agentIn(place).probe()).toEqual({
      version: claude?.version,
      program,
      tested: `2.1.317 – ${claude?.version}`,
      inRange: true,
      hint: null,
    });
  });

  test("gives a plain answer", async () => {
    const place = await placeWith([{ text: "The answer is 42.", usage: USAGE }]);
    const { report, events, calls } = await live(agentIn(place), place.taskOf({ system: "Be brief." }));
    expect(report).toMatchObject({
      outcome: { kind: "completed" },
      text: "The answer is 42.",
      session: expect.stringMatching(/^[0-9a-f-]{36}$/),
      process: { cause: "ok" },
    });
    expect(events.map(({ type }) => type)).toEqual(["session", "text", "usage"]);
    expect(calls).toEqual([]);
    expect(place.api.calls()[0]?.body).toContain("Be brief.");
    expectExact(place, report.reported);
  });

  test("is asked about each call of a tool before it happens, also of those it would allow itself", async () => {
    const place = await placeWith([
      {
        text: "I look and write.",
        tools: [
          { name: "Read", args: { file_path: "/workspace/README.md" } },
          bash("ls"),
          write("/workspace/new.txt", "forty-two"),
        ],
        usage: USAGE,
      },
      { text: "Done.", usage: { ...USAGE, cacheRead: 900 } },
    ]);
    const { report, events, calls } = await live(agentIn(place), place.taskOf());
    expect(report.outcome).toEqual({ kind: "completed" });
    expect(calls.map(({ tool, requests }) => [tool, requests])).toEqual([
      ["Read", [{ kind: "read", path: "README.md" }]],
      ["Bash", [{ kind: "shell", script: "ls" }]],
      ["Write", [{ kind: "edit", path: "new.txt" }]],
    ]);
    expect(readFileSync(join(place.work, "new.txt"), "utf8")).toBe("forty-two");
    const results = events.flatMap((event) => (event.type === "tool_result" ? [event.ok] : []));
    expect(results).toEqual([true, true, true]);
    expectExact(place, report.reported);
  });

  test("goes on without what is denied", async () => {
    const place = await placeWith([
      { text: "w", tools: [write("/workspace/new.txt", "x"), bash("cat README.md; touch made")], usage: USAGE },
      { text: "Then not.", usage: USAGE },
    ]);
    const decide = (): Ruling => ({ answer: "deny", why: "rule 7 says no" });
    const { report, events } = await live(agentIn(place), place.taskOf(), { decide });
    expect(report).toMatchObject({ outcome: { kind: "completed" }, text: "Then not." });
    expect(events.filter(({ type }) => type === "tool_result")).toEqual(
      [0, 1].map(() => expect.objectContaining({ ok: false, summary: expect.stringContaining("rule 7 says no") })),
    );
    expect(["new.txt", "made"].filter((name) => existsSync(join(place.work, name)))).toEqual([]);
    expect(place.api.calls()[1]?.body).toContain("rule 7 says no");
    expectExact(place, report.reported);
  });

  const TOOLS: NonNullable<Step["tools"]> = [
    { name: "ToolSearch", args: { query: "select:WebFetch", max_results: 1 } },
    { name: "TaskCreate", args: { subject: "s", description: "d" } },
    { name: "TaskList", args: {} },
    { name: "ReportFindings", args: { findings: [] } },
    { name: "Skill", args: { skill: "verify" } },
    { name: "WebFetch", args: { url: "https://example.org/", prompt: "p" } },
    { name: "WebSearch", args: { query: "pawl" } },
    { name: "Monitor", args: { command: "touch monitored", description: "d", timeout_ms: 1000 } },
    { name: "Glob", args: { pattern: "*" } },
    { name: "Grep", args: { pattern: "A" } },
    { name: "CronCreate", args: { cron: "* * * * *", prompt: "p" } },
    { name: "SomethingNew", args: {} },
  ];

  test("does none of what it offers without asking", async () => {
    const place = await placeWith([{ text: "t", tools: TOOLS }, { text: "Done." }]);
    const denied = await live(agentIn(place), place.taskOf(), { decide: () => ({ answer: "deny", why: "no" }) });
    expect(denied.report.outcome).toEqual({ kind: "completed" });
    const results = denied.events.flatMap((event) => (event.type === "tool_result" ? [event] : []));
    expect(results.filter(({ ok }) => ok)).toEqual([]);
    expect(results).toHaveLength(TOOLS.length);
    // Of the others it knows nothing, or they were taken from it.
    expect(denied.calls.map(({ tool }) => tool)).toEqual([
      ...["ToolSearch", "TaskCreate", "TaskList", "ReportFindings", "WebFetch", "WebSearch", "Monitor"],
    ]);
    expect(existsSync(join(place.work, "monitored"))).toBe(false);
  });

  test("asks for what its own helpers do", async () => {
    const task = { description: "d", prompt: "Look.", subagent_type: "general-purpose" };
    const place = await placeWith([
      { text: "t", tools: [{ name: "Task", args: task }], usage: USAGE },
      { text: "b", tools: [bash("echo seen > seen.txt")], usage: USAGE },
      { text: "Done.", usage: USAGE },
    ]);
    const decide = ({ tool }: ToolCall): Ruling => {
      const isFirst = tool === "Agent" && place.api.calls().length === 1;
      return isFirst ? { answer: "allow" } : { answer: "deny", why: "no" };
    };
    const { report, calls } = await live(agentIn(place), place.taskOf(), { decide });
    expect(report.outcome).toEqual({ kind: "completed" });
    // The helper begins anew: it asks for a helper itself, then for the command; then the first one asks for that too.
    expect(calls.map(({ tool }) => tool)).toEqual(["Agent", "Agent", "Bash", "Bash"]);
    expect(existsSync(join(place.work, "seen.txt"))).toBe(false);
    expectExact(place, report.reported);
  });

  test("answers with a value that fits a schema", async () => {
    const place = await placeWith([
      { text: "s", tools: [{ name: "StructuredOutput", args: { outcome: "accept" } }], usage: USAGE },
      { text: "Done.", usage: USAGE },
    ]);
    const schema = { type: "object", properties: { outcome: { enum: ["accept", "reject"] } }, required: ["outcome"] };
    const { report, calls } = await live(agentIn(place), place.taskOf({ schema }));
    expect(report).toMatchObject({ outcome: { kind: "completed" }, output: { outcome: "accept" } });
    expect(calls).toEqual([]);
  });

  test("stops at its budget with one refused call", async () => {
    const step = { text: "Once more.", tools: [write("/workspace/a", "x")], usage: { ...USAGE, output: 90_000 } };
    const place = await placeWith([step], { tokens: 300_000 });
    const { report } = await live(agentIn(place), place.taskOf());
    expect(report.outcome).toMatchObject({ kind: "budget" });
    expect(place.gateway.door.use().refused).toBe(1);
    expectExact(place, report.reported);
  });

  test("stops at its turns", async () => {
    const place = await placeWith([{ text: "Once more.", tools: [bash("true")], usage: USAGE }]);
    const { report } = await live(agentIn(place), place.taskOf({ maxTurns: 2 }));
    expect(report.outcome).toMatchObject({ kind: "budget", error: expect.stringContaining("max_turns") });
    expectExact(place, report.reported);
  });

  test.each([
    [429, "rate_limited"],
    [529, "overloaded"],
    [401, "auth"],
    [500, "provider"],
  ] as const)("tells a %s of its provider as %s", async (status, why) => {
    const place = await placeWith([{ error: { status } }]);
    const { report } = await live(agentIn(place), place.taskOf());
    expect(report.outcome).toMatchObject({ kind: "failed", why });
    expectClean(place);
  });

  test("tells a context that is too long", async () => {
    const message = "prompt is too long: 250000 tokens > 200000 maximum";
    const place = await placeWith([{ error: { status: 400, message } }]);
    const { report } = await live(agentIn(place), place.taskOf());
    expect(report.outcome).toMatchObject({ kind: "failed", why: "context_overflow" });
  });

  test.each([
    ["is cut", { text: "Half of it.", cut: "middle" }, "provider"],
    [
      "breaks off with an overload",
      { text: "Half.", midError: { type: "overloaded_error", message: "Overloaded" } },
      "overloaded",
    ],
  ] as const)("tells an answer that %s", async (_, step, why) => {
    const place = await placeWith([step]);
    const { report } = await live(agentIn(place), place.taskOf());
    expect(report.outcome).toMatchObject({ kind: "failed", why });
    expectClean(place);
  });

  test("is ended while a model hangs, with all that it has started", async () => {
    const place = await placeWith([
      { text: "b", tools: [bash("sleep 300 & sleep 0.1")], usage: USAGE },
      { hang: "body" },
    ]);
    const control = new AbortController();
    const ended = live(agentIn(place), place.taskOf(), {
      signal: control.signal,
      onEvent: ({ type }) => {
        if (type === "tool_result") setTimeout(() => control.abort(), 300);
      },
    });
    expect((await ended).report.outcome).toEqual({ kind: "cancelled" });
    expectClean(place);
  });

  test("tells that somebody has interrupted it", async () => {
    const place = await placeWith([
      { text: "b", tools: [bash("kill -INT $PPID; sleep 5")], usage: USAGE },
      { text: "x" },
    ]);
    const { report } = await live(agentIn(place), place.taskOf());
    expect(report.outcome).toEqual({ kind: "cancelled" });
    expectClean(place);
  });

  test("runs nothing that a repository brings along, and does not read what a task only names", async () => {
    const hook = { hooks: [{ type: "command", command: "touch /workspace/HOOK-RAN" }] };
    const hooks = { SessionStart: [hook], UserPromptSubmit: [hook], PreToolUse: [hook], Stop: [hook] };
    const server = { command: "sh", args: ["-c", "touch /workspace/MCP-RAN; sleep 1"] };
    const place = await placeWith([{ text: "b", tools: [bash("true")] }, { text: "Done." }], {
      files: {
        ".claude/settings.json": JSON.stringify({
          hooks,
          enableAllProjectMcpServers: true,
          permissions: { allow: ["Bash"] },
        }),
        ".claude/commands/x.md": "FROM-THE-REPOSITORY",
        ".mcp.json": JSON.stringify({ mcpServers: { evil: server } }),
        "secret.txt": "CONTENT-OF-THE-SECRET\n",
      },
    });
    const { report, calls } = await live(agentIn(place), place.taskOf({ prompt: "/x Look at @secret.txt" }));
    expect(report.outcome).toEqual({ kind: "completed" });
    expect(calls.map(({ tool }) => tool)).toEqual(["Bash"]);
    expect(readdirSync(place.work).filter((name) => name.endsWith("RAN"))).toEqual([]);
    const sent = place.api
      .calls()
      .map(({ body }) => body)
      .join("");
    expect(sent).toContain("Look at @secret.txt");
    expect(sent).not.toContain("CONTENT-OF-THE-SECRET");
    expect(sent).not.toContain("FROM-THE-REPOSITORY");
  });

  test("reaches nothing but the gateway", async () => {
    const script = "for p in 1.1.1.1/443 127.0.0.1/22; do (exec 3<>/dev/tcp/$p) 2>/dev/null && echo OPEN; done; env";
    const place = await placeWith([{ text: "b", tools: [bash(script)] }, { text: "Done." }]);
    const { report } = await live(agentIn(place), place.taskOf());
    expect(report.outcome).toEqual({ kind: "completed" });
    const told = place.api.calls()[1]?.body ?? "";
    expect(told).toContain("PAWL_KEY=");
    expect(told).not.toContain("OPEN\\n");
    expect(told).not.toContain(KEY);
  });

  test("goes on with its session after it was killed", async () => {
    const place = await placeWith([
      { text: "first", tools: [bash("sleep 20")], usage: USAGE },
      { text: "After all.", usage: USAGE },
    ]);
    const control = new AbortController();
    const cut = await live(agentIn(place), place.taskOf(), {
      signal: control.signal,
      onEvent: ({ type }) => {
        if (type === "tool_request") setTimeout(() => control.abort("kill"), 300);
      },
    });
    expect(cut.report).toMatchObject({ outcome: { kind: "cancelled" }, reported: null });
    const { session } = cut.report;
    const task = place.taskOf({ session, goesOn: "again", prompt: "Go on." });
    const { report } = await live(agentIn(place), task);
    expect(report).toMatchObject({ outcome: { kind: "completed" }, text: "After all.", session });
    expect(place.api.calls().at(-1)?.body).toContain("Do what you are told.");
    expect(report.reported?.tokens).toBe(1540);
    expectClean(place);
  });

  test("begins its session again when it was killed before anything of it was kept", async () => {
    const place = await placeWith([{ text: "Here I am.", usage: USAGE }]);
    const session = "11111111-2222-4333-8444-555555555555";
    const { report } = await live(agentIn(place), place.taskOf({ session, goesOn: "again" }));
    expect(report).toMatchObject({ outcome: { kind: "completed" }, text: "Here I am.", session });
  });

  test("is lost when it says nothing at its end", async () => {
    const place = await placeWith([{ text: "b", tools: [bash("kill -KILL $PPID")] }, { text: "x" }]);
    const { report } = await live(agentIn(place), place.taskOf());
    expect(report.outcome).toMatchObject({ kind: "failed", why: "lost" });
    expectClean(place);
  });
});

describe.runIf(program !== null)("a call of Claude Code that a person must decide", { timeout: 600_000 }, () => {
  const steps: readonly Step[] = [
    { text: "w", tools: [write("/workspace/new.txt", 'a "quoted"\nline')], usage: USAGE },
    { text: "l", tools: [bash("ls")], usage: USAGE },
    { text: "Done.", usage: USAGE },
  ];
  const defer = ({ tool }: ToolCall): Ruling =>
    tool === "Write" ? { answer: "defer", why: "ask a person" } : { answer: "allow" };

  async function putOff(): Promise<{ place: Place; session: string }> {
    const place = await placeWith(steps);
    const { report } = await live(agentIn(place), place.taskOf(), { decide: defer });
    expect(report.outcome).toMatchObject({ kind: "deferred", call: { tool: "Write", id: expect.any(String) } });
    expect(existsSync(join(place.work, "new.txt"))).toBe(false);
    expect(place.api.calls()).toHaveLength(1);
    return { place, session: report.session ?? "" };
  }

  test("is made when it is allowed, as the same call and without a model, and everything after it is ruled on", async () => {
    const { place, session } = await putOff();
    const { report, calls } = await live(agentIn(place), place.taskOf({ session, goesOn: "deferred" }));
    expect(report).toMatchObject({ outcome: { kind: "completed" }, text: "Done.", session });
    expect(calls.map(({ tool }) => tool)).toEqual(["Write", "Bash"]);
    expect(readFileSync(join(place.work, "new.txt"), "utf8")).toBe('a "quoted"\nline');
    expect(place.api.calls()).toHaveLength(3);
    expect(report.reported?.tokens).toBe(2 * 1540);
    expectClean(place);
  });

  test("is made also when the workspace was made anew meanwhile", async () => {
    const read = { name: "Read", args: { file_path: "/workspace/README.md" } };
    const place = await placeWith([
      { text: "r", tools: [read] },
      { text: "w", tools: [write("/workspace/README.md", "changed")] },
      { text: "Done." },
    ]);
    const first = await live(agentIn(place), place.taskOf(), { decide: defer });
    expect(first.report.outcome.kind).toBe("deferred");
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(place.work, "README.md"), later, later);
    const { session } = first.report;
    const { report } = await live(agentIn(place), place.taskOf({ session, goesOn: "deferred" }));
    expect(report.outcome).toEqual({ kind: "completed" });
    expect(readFileSync(join(place.work, "README.md"), "utf8")).toBe("changed");
  });

  test("is not made when it is denied", async () => {
    const { place, session } = await putOff();
    const decide = (): Ruling => ({ answer: "deny", why: "no" });
    const { report } = await live(agentIn(place), place.taskOf({ session, goesOn: "deferred" }), { decide });
    expect(report.outcome).toEqual({ kind: "completed" });
    expect(existsSync(join(place.work, "new.txt"))).toBe(false);
  });

  test("is put off again while nobody has decided, without starting anything", async () => {
    const { place, session } = await putOff();
    const { report } = await live(agentIn(place), place.taskOf({ session, goesOn: "deferred" }), { decide: defer });
    expect(report).toMatchObject({ outcome: { kind: "deferred" }, session });
    expect(report.process).toBeUndefined();
  });

  test("is not made when its session was changed meanwhile", async () => {
    const { place, session } = await putOff();
    const projects = join(place.home, "claude/projects");
    for (const name of readdirSync(projects, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".jsonl")) continue;
      const path = join(projects, name);
      writeFileSync(path, readFileSync(path, "utf8").replaceAll("quoted", "forged"));
    }
    const { report } = await live(agentIn(place), place.taskOf({ session, goesOn: "deferred" }), {
      decide: ({ input }) =>
        JSON.stringify(input).includes("forged") ? { answer: "deny", why: "another call" } : { answer: "allow" },
    });
    expect(report.outcome.kind).toBe("completed");
    expect(existsSync(join(place.work, "new.txt"))).toBe(false);
  });

  test("is not made by a session that begins again", async () => {
    const { place, session } = await putOff();
    mkdirSync(join(place.home, "x"));
    const { report } = await live(agentIn(place), place.taskOf({ session, goesOn: "again" }), {
      decide: () => ({ answer: "deny", why: "no" }),
    });
    expect(report.session).not.toBe(session);
    expect(existsSync(join(place.work, "new.txt"))).toBe(false);
  });
});

/** Agents on the real kernel: what they are told, what they may do, and what their end makes of their stage. */

import { describe, expect, it } from "vitest";
import { CALM } from "../../../test/support/gateway/calm.ts";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Script, type TestHost } from "../../../test/support/run-plan.ts";
import { callFor, createTestAgents, editCall, type Play, type TestAgents } from "../../../test/support/test-agents.ts";
import { pawlError } from "../../base/errors.ts";
import type { Plan } from "../../plan/plan.ts";
import type { AgentOutcome } from "../../ports/agents/agent-backend.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";
import type { ModelAccess, ModelDoor, ModelGrant, ModelUse } from "../../ports/models/model-access.ts";
import { answerFacts } from "../../run/approval/answer.ts";
import type { EventOf, EventType, RunEvent } from "../../run/events.ts";
import { restore } from "../replay.ts";

const HEAD = `version: 1
name: test
policy:
  allow: [{ action: "agent.*" }, { run: ["ok", "**"] }, { edit: "src/**" }, { read: "**" }]
  ask: [{ edit: "CHANGES.md" }]
`;
const fix = (more = "", stage = ""): Plan =>
  planFrom(`${HEAD}stages:\n  - { id: fix, agent: { use: asks, goal: "Repair it."${more} }${stage} }\n`);

interface Life {
  readonly host: TestHost;
  readonly agents: TestAgents;
  event<T extends EventType>(type: T): Promise<EventOf<T> | undefined>;
  transcript(): Promise<readonly Record<string, unknown>[]>;
}

function life(plan: Plan, play?: Play, script: Script = {}): Life {
  const agents = createTestAgents(play);
  const ports: Script["ports"] = typeof script.ports === "function" ? script.ports : { agents, ...script.ports };
  const host = createTestHost(plan, { ...script, ports });
  const event: Life["event"] = async (type) =>
    (await host.events()).findLast((each): each is EventOf<typeof type> => each.type === type) as never;
  return {
    host,
    agents,
    event,
    async transcript() {
      const ref = (await event("stage.finished"))?.artifacts?.["transcript"];
      const bytes = await host.ports.artifacts.get(ref?.sha256 ?? "");
      return new TextDecoder()
        .decode(bytes)
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

const failed = (why: Extract<AgentOutcome, { kind: "failed" }>["why"]): Awaited<ReturnType<Play>> => ({
  outcome: { kind: "failed", why, error: "it says so" },
});

const USE: ModelUse = { usage: { tokens: 300, microUsd: 40 }, calls: 4, refused: 0, missed: 0, parkedUntil: null };

const hang: Play = (_task, _host, signal) =>
  new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ outcome: { kind: "cancelled" } }), { once: true });
  });

function doors(grants: ModelGrant[] = [], change: Partial<ModelDoor> = {}): ModelAccess {
  return {
    open: async (grant) => {
      grants.push(grant);
      return { env: {}, socket: "/models", ...CALM, close: async () => USE, ...change };
    },
    reconcile: () => Promise.reject(new Error("nothing was lost")),
  };
}

/** Writes into the workspace of the task, as an agent behind the wall would. */
const write =
  (host: () => TestHost, path: string, text = "new"): Play =>
  async ({ process }) => {
    host()
      .workspaces.files(process.folder ?? "")
      ?.set(path, text);
    return {};
  };

describe("what an agent is told", () => {
  it("has its goal, what its stage was given, and how its process is started", async () => {
    const plan = planFrom(
      `${HEAD}stages:\n  - { id: scan, command: [ok], outputs: { list: list.txt } }\n` +
        `  - { id: fix, agent: { use: asks, goal: "Repair \${run.id}.", model: smart, max_turns: 7, with: { depth: 2 } }, inputs: [scan.list], stall: 9s, timeout: 30s }\n`,
    );
    const bytes = new TextEncoder().encode("a failing test");
    const { host, agents } = life(plan);
    const ref = await host.ports.artifacts.put(bytes);
    const { host: told, agents: used } = life(plan, undefined, { stages: { scan: [{ artifacts: { list: ref } }] } });
    await told.ports.artifacts.put(bytes);
    await told.start();
    expect(agents.tasks).toEqual([]);
    expect(used.tasks).toMatchObject([
      {
        model: "smart",
        maxTurns: 7,
        settings: { depth: 2 },
        session: null,
        goesOn: null,
        home: "/homes/fix",
        round: 1,
        lastError: null,
        door: null,
        schema: null,
        toolset: null,
        process: { stage: "fix", attempt: 1, timeoutMs: 30_000, stallMs: 9000, cwd: ".", inputs: { "scan.list": ref } },
      },
    ]);
    expect(used.tasks[0]?.prompt).toBe(
      `Repair ${told.run}.\n\n=== scan.list (the whole of it is in the file $PAWL_INPUT_SCAN_LIST)\na failing test\n===`,
    );
    expect(used.tasks[0]?.system).toContain("You make a change");
  });

  it("A15: a checker sees the change and the words of the author, not those of the maker, and may only look", async () => {
    const plan = planFrom(
      `${HEAD}stages:\n  - { id: fix, agent: { use: asks, goal: "Repair it." } }\n` +
        `  - { id: review, agent: { use: asks, role: checker, goal: "Is it right?" } }\n`,
    );
    const play: Play = async (task, { onEvent }) => {
      const isMaker = task.process.stage === "fix";
      if (isMaker) hosts[0]?.workspaces.files(task.process.folder ?? "")?.set("src/a", "new");
      onEvent({ type: "text", text: "trust me" });
      return isMaker ? { text: "trust me", session: "s1" } : { output: { outcome: "accept" }, session: "s2" };
    };
    const hosts: TestHost[] = [];
    const { host, agents, event } = life(plan, play);
    hosts.push(host);
    await host.start();
    const [, checker] = agents.tasks;
    expect(checker?.prompt).toMatch(/^Is it right\?\n\n=== the change that you are to judge\npatch from/);
    expect(checker?.prompt).not.toContain("trust me");
    expect(checker?.system).toContain("trust no claim");
    expect(checker?.process.wall.sandbox).toBe("read_only");
    expect(checker?.home).not.toBe(agents.tasks[0]?.home);
    expect(await event("stage.finished")).toMatchObject({ stage: "review", outcome: "accept", session: "s2" });
    expect((await event("stage.finished"))?.tree).toBeUndefined();
  });

  it("A15: a checker that shares the session of a maker has judged nothing", async () => {
    const plan = planFrom(
      `${HEAD}stages:\n  - { id: fix, agent: { use: asks, goal: "Repair it." } }\n` +
        `  - { id: review, agent: { use: asks, role: checker, goal: "Is it right?" }, max_attempts: 3 }\n`,
    );
    const { host, event } = life(plan, async () => ({ output: { outcome: "accept" }, session: "the same" }));
    await host.start();
    expect(await event("stage.finished")).toMatchObject({ outcome: "failure", cause: "denied", attempt: 1 });
  });

  it("A15: a checker says that nothing was changed where nothing was", async () => {
    const plan = planFrom(
      `${HEAD}stages:\n  - { id: review, agent: { use: walled, role: checker, goal: "?", run: [ok] } }\n`
        .replace("policy:", "policy:\n  use: []")
        .replace('{ run: ["ok", "**"] }', '{ run: ["**"] }'),
    );
    const { host, agents } = life(plan, async () => ({ text: 'Fine.\n{"outcome":"accept"}' }));
    await host.start();
    expect(agents.tasks[0]?.prompt).toContain("nothing has changed");
    expect(agents.tasks[0]?.prompt).toContain("End with your answer as one line of JSON");
  });
});

describe("what an agent may do", () => {
  it("is ruled on call by call, by the policy of the plan, and written down", async () => {
    const rulings: unknown[] = [];
    const { host, transcript } = life(fix(), async (_task, { decide, onEvent }) => {
      onEvent({ type: "text", text: "my s3cret" });
      rulings.push(await decide(editCall("src/a.js")));
      rulings.push(await decide(editCall(".github/ci.yml")));
      rulings.push(await decide(callFor("deploy", { to: "prod" })));
      return {};
    });
    await host.start();
    expect(rulings).toMatchObject([
      { answer: "allow", rule: "blueprint.allow[2]" },
      { answer: "deny", rule: "default", why: "no rule allows: edit .github/ci.yml" },
      { answer: "deny", rule: "default" },
    ]);
    expect(await transcript()).toMatchObject([
      { type: "text", text: "my [redacted]" },
      { type: "ruling", tool: "edit", answer: "allow" },
      { type: "ruling", tool: "edit", answer: "deny" },
      { type: "ruling", tool: "deploy", answer: "deny" },
    ]);
  });

  it("T2: is nothing outside its toolset, whatever policy allows", async () => {
    const rulings: unknown[] = [];
    const { host } = life(fix(", toolset: repo_readonly"), async (_task, { decide }) => {
      rulings.push(await decide(editCall("src/a.js")));
      rulings.push(await decide(callFor("read", {}, { kind: "read", path: "src/a.js" })));
      rulings.push(await decide(callFor("sh", {}, { kind: "shell", script: "ok" })));
      return {};
    });
    await host.start();
    expect(rulings).toMatchObject([
      { answer: "deny", rule: "toolset", why: "toolset repo_readonly has no edit" },
      { answer: "allow" },
      { answer: "deny", rule: "toolset" },
    ]);
  });

  it("is nothing any more when the run is ending", async () => {
    const rulings: unknown[] = [];
    const { host, event } = life(fix(), async (_task, { decide }, signal) => {
      await host.killSwitch.pull({ scope: "all", by: "ann", why: "enough", at: 1 });
      rulings.push(await decide(editCall("src/a.js")));
      return { outcome: { kind: signal.aborted ? "cancelled" : "completed" } };
    });
    await host.start();
    expect(rulings).toEqual([{ answer: "deny", why: "the run is ending", rule: "run" }]);
    expect(await event("stage.finished")).toMatchObject({ cause: "killed" });
  });

  it("needs a rule for the agent itself", async () => {
    const plan = planFrom('version: 1\nname: t\nstages:\n  - { id: fix, agent: { use: asks, goal: "Repair it." } }\n');
    const { host, agents } = life(plan);
    await host.start();
    expect(agents.tasks).toEqual([]);
    expect(await host.types()).toContain("policy.denied");
  });
});

describe("what an agent has changed", () => {
  const changing = async (path: string, more = ""): Promise<Life> => {
    const hosts: TestHost[] = [];
    const alive = life(
      fix(more),
      write(() => hosts[0] as TestHost, path),
    );
    hosts.push(alive.host);
    await alive.host.start();
    return alive;
  };

  it("is known by what it holds where work can go in circles", async () => {
    const plan = planFrom(
      `${HEAD}limits: { rounds: 2 }\nstages:\n  - { id: fix, agent: { use: asks, goal: "Repair it." }, on_failure: fix }\n`,
    );
    const { host, event } = life(plan);
    await host.start();
    expect((await event("stage.finished"))?.content).toBeTypeOf("string");
  });

  it("is saved as the tree that the run goes on with", async () => {
    const { host, event } = await changing("src/a.js");
    const done = await event("stage.finished");
    expect(done).toMatchObject({ outcome: "success", cause: "ok", output: "done" });
    expect(host.workspaces.tree(done?.tree ?? "")?.get("src/a.js")).toBe("new");
  });

  it.each([
    ["that no rule allows", ".github/ci.yml", "default"],
    ["that a person must allow", "CHANGES.md", "blueprint.ask[0]"],
  ])("is not taken where it has a path %s", async (_what, path, rule) => {
    const { event } = await changing(path);
    const done = await event("stage.finished");
    expect(done).toMatchObject({ outcome: "failure", cause: "denied" });
    expect(done?.error).toBe(`policy does not let it change ${path} (${rule}): nothing of its change was taken`);
    expect(done?.tree).toBeUndefined();
  });

  it("is not taken where its toolset has no edits, whatever its wall lets through", async () => {
    const hosts: TestHost[] = [];
    const plan = fix(", toolset: repo_readonly", ", sandbox: workspace_write");
    const { host, event } = life(
      plan,
      write(() => hosts[0] as TestHost, "src/a.js"),
    );
    hosts.push(host);
    await host.start();
    expect(await event("stage.finished")).toMatchObject({ cause: "denied" });
  });

  it.each(["enter", "save"] as const)("is the end of the attempt where the workspace refuses to %s", async (step) => {
    const missing = pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_MISSING", { tree: "t" });
    const refuse = (): Promise<never> => Promise.reject(missing);
    const { host, event } = life(fix("", ", models: { tokens: 1k, usd: 1 }"), undefined, {
      ports: (own) => ({
        agents: createTestAgents(),
        models: doors(),
        workspaces: {
          ...own.workspaces,
          enter: async (...place) =>
            step === "enter" ? refuse() : { ...(await own.workspaces.enter(...place)), save: refuse },
        },
      }),
    });
    await host.start();
    const cause = step === "enter" ? "spawn_error" : "invalid_output";
    const done = await event("stage.finished");
    expect(done).toMatchObject({ outcome: "failure", cause, error: missing.message });
    expect(done?.tree).toBeUndefined();
  });
});

describe("how an agent ends", () => {
  const endOf = async (play: Play, more = "", stage = ""): Promise<RunEvent | undefined> => {
    const alive = life(fix(more, stage), play);
    await alive.host.start();
    return alive.event("stage.finished");
  };

  it.each([
    ["overloaded", "agent", "overloaded: it says so"],
    ["context_overflow", "agent", "context_overflow: it says so"],
    ["provider", "agent", "provider: it says so"],
    ["lost", "agent", "lost: it says so"],
    ["auth", "auth", "auth: it says so"],
  ] as const)("%s is a failure that says so", async (why, cause, error) => {
    expect(await endOf(async () => failed(why))).toMatchObject({ outcome: "failure", cause, error });
  });

  it.each([
    ["budget", { kind: "budget", error: "no money" }, "budget"],
    ["denied", { kind: "denied", error: "not allowed" }, "denied"],
    ["auth", { kind: "failed", why: "auth", error: "no key" }, "auth"],
  ] as const)("%s is not tried again", async (_name, outcome, cause) => {
    const end = await endOf(async () => ({ outcome }), "", ", max_attempts: 3");
    expect(end).toMatchObject({ attempt: 1, cause });
  });

  it("an overload is tried again, and goes on with its session", async () => {
    const { host, agents, event } = life(fix("", ", max_attempts: 2"), async (task, { onEvent }) => {
      onEvent({ type: "session", session: "s1" });
      return task.session === null ? { ...failed("overloaded"), session: "s1" } : { session: "s1" };
    });
    await host.start();
    expect(agents.tasks.map(({ session, goesOn }) => [session, goesOn])).toEqual([
      [null, null],
      ["s1", "again"],
    ]);
    expect(agents.tasks[1]?.prompt).toContain("You were cut off. The files are as they were");
    expect(await event("stage.finished")).toMatchObject({ attempt: 2, outcome: "success" });
  });

  it("a session that has grown too long is not gone on with, and neither is one that cannot be", async () => {
    const { host, agents } = life(fix("", ", max_attempts: 2"), async (task) =>
      task.process.attempt === 1 ? { ...failed("context_overflow"), session: "s1" } : {},
    );
    await host.start();
    expect(agents.tasks.map(({ session }) => session)).toEqual([null, null]);
  });

  it("a limit of its provider parks the run: that is no failure", async () => {
    const { host, event } = life(fix(), async () => failed("rate_limited"));
    await host.start();
    expect(await event("stage.parked")).toMatchObject({
      reason: "awaiting_quota",
      target: "quota:asks",
      until: null,
      why: "rate_limited: it says so",
    });
    expect(await event("stage.finished")).toBeUndefined();
  });

  it("a process that took too long, stood still or was too big says so itself", async () => {
    const log = { sha256: "0", bytes: 0, dropped: 0 };
    const process = { cause: "stall", error: "it stood still", log, artifacts: {} } as const;
    expect(await endOf(async () => ({ ...failed("lost"), process }))).toMatchObject({
      cause: "stall",
      error: "it stood still",
      log,
    });
    const bare = { cause: "oom", log, artifacts: {} } as const;
    expect(await endOf(async () => ({ ...failed("lost"), process: bare }))).toMatchObject({ error: "it says so" });
    const cancelled = { outcome: { kind: "cancelled" }, process: bare } as const;
    expect(await endOf(async () => cancelled)).toMatchObject({ cause: "oom", error: "the agent was ended" });
  });

  it("one that does not end in time is ended", async () => {
    expect(await endOf(hang, "", ", timeout: 5s")).toMatchObject({
      cause: "timeout",
      error: "the agent took longer than 5000 ms",
    });
  });

  it("one whose time went into waiting for its provider has come too early, and not taken too long", async () => {
    const refusal = { why: "rate_limited", error: "slow down", isAll: true } as const;
    const ended = async (why: "rate_limited" | "overloaded"): Promise<readonly (EventType | undefined)[]> => {
      const plan = fix("", ", timeout: 5s, models: { tokens: 1k, usd: 1 }");
      const models = doors([], { lastRefusal: () => ({ ...refusal, why }) });
      const { host, event } = life(plan, hang, { ports: { models } });
      await host.start();
      return [(await event("stage.parked"))?.type, (await event("stage.finished"))?.type];
    };
    expect(await ended("rate_limited")).toEqual(["stage.parked", undefined]);
    expect(await ended("overloaded")).toEqual([undefined, "stage.finished"]);
  });

  it("without the backend, the port or a tree nothing is started", async () => {
    const host = createTestHost(fix());
    await host.start();
    const spawnError = { cause: "spawn_error", outcome: "failure" };
    expect((await host.events()).find(({ type }) => type === "stage.finished")).toMatchObject(spawnError);
    const treeless = life(fix());
    await treeless.host.start({}, "nothing");
    expect(await treeless.event("stage.finished")).toMatchObject(spawnError);
    expect(treeless.agents.tasks).toEqual([]);
  });

  it("works in the project folder where the workspace is that", async () => {
    const plan = planFrom(
      `${HEAD}workspace: directory\nstages:\n  - { id: look, agent: { use: asks, goal: "Look." } }\n`,
    );
    const { host, agents, event } = life(plan);
    await host.start({}, "nothing");
    expect(agents.tasks[0]?.process).toMatchObject({ folder: null, wall: { sandbox: "read_only" } });
    expect(await event("stage.finished")).toMatchObject({ outcome: "success" });
  });

  it("a member of a group leaves its tree to nobody", async () => {
    const plan = planFrom(
      `${HEAD}stages:\n  - id: all\n    group: { parallel: [{ id: a, agent: { use: asks, goal: "A." } }] }\n`,
    );
    const { host, event } = life(plan);
    await host.start();
    expect(await event("stage.finished")).toMatchObject({ stage: "all.a", outcome: "success" });
    expect(await event("run.finished")).toMatchObject({ status: "succeeded" });
  });
});

describe("a call that a person must allow", () => {
  const PLAN = fix("", ", max_attempts: 2, models: { tokens: 1k, usd: 1, calls: 10 }");
  const grants: ModelGrant[] = [];
  const models = doors(grants);
  const play: Play = async (task, { decide, onEvent }) => {
    onEvent({ type: "session", session: "s1" });
    const call = editCall("CHANGES.md");
    const { answer } = await decide(call);
    const other = await decide(editCall("src/b.js"));
    if (answer === "defer") return { outcome: { kind: "deferred", call }, session: "s1", text: other.answer };
    const files = hosts[0]?.workspaces.files(task.process.folder ?? "");
    files?.set("CHANGES.md", "new");
    return { session: "s1", text: (await decide(call)).answer };
  };
  const hosts: TestHost[] = [];

  it("ends the attempt with a question about exactly that call, and goes on with it alone", async () => {
    grants.length = 0;
    const { host, agents, event } = life(PLAN, play, { ports: { models } });
    hosts.splice(0, 1, host);
    await host.start();
    const deferred = await event("stage.deferred");
    expect(deferred).toMatchObject({
      stage: "fix",
      attempt: 1,
      call: { tool: "edit", input: { path: "CHANGES.md" }, requests: [{ kind: "edit", path: "CHANGES.md" }] },
      rule: "blueprint.ask[0]",
      session: "s1",
      usage: { tokens: 300, microUsd: 40 },
      turns: 4,
    });
    const asked = await event("approval.requested");
    expect(asked).toMatchObject({ kind: "call", answers: ["approve", "deny"], rule: "blueprint.ask[0]" });
    expect(asked?.request).toMatchObject({ kind: "call", tool: "edit", digest: deferred?.digest });
    expect(asked?.commit).toBe(deferred?.tree);
    expect((await event("run.waiting"))?.reason).toBe("awaiting_approval");

    const { state } = restore(host.run, PLAN, await host.events());
    const { facts } = answerFacts(PLAN, state, { answer: "approve", by: "ann" }, host.clock.now());
    await host.resume([...facts, { type: "run.resumed", after: "wait" }]);
    expect(agents.tasks[1]).toMatchObject({ session: "s1", goesOn: "deferred" });
    expect(agents.tasks[1]?.prompt).toContain("was allowed");
    const done = await event("stage.finished");
    // Once: the same call is asked about again.
    expect(done).toMatchObject({ attempt: 2, outcome: "success", output: "defer" });
    expect(host.workspaces.tree(done?.tree ?? "")?.get("CHANGES.md")).toBe("new");
    expect(grants.map(({ calls, caps }) => [calls, caps[0]?.amount, caps[1]?.amount])).toEqual([
      [10, 1000, 1_000_000],
      [6, 700, 999_960],
    ]);
    expect((await event("run.finished"))?.status).toBe("succeeded");
  });

  it("is not made when the person says no: the agent is told so, and goes on without it", async () => {
    const rulings: unknown[] = [];
    const { host, agents, event } = life(
      PLAN,
      async (_, { decide, onEvent }) => {
        onEvent({ type: "session", session: "s1" });
        const call = editCall("CHANGES.md");
        const ruling = await decide(call);
        rulings.push(ruling, await decide(call));
        return ruling.answer === "defer" ? { outcome: { kind: "deferred", call }, session: "s1" } : { session: "s1" };
      },
      { ports: { models } },
    );
    await host.start();
    const { state } = restore(host.run, PLAN, await host.events());
    const { facts } = answerFacts(PLAN, state, { answer: "deny", by: "ann", why: "not that file" }, host.clock.now());
    expect(facts.map(({ type }) => type)).toEqual(["approval.answered"]);
    await host.resume([...facts, { type: "run.resumed", after: "wait" }]);
    expect(agents.tasks[1]).toMatchObject({ session: "s1", goesOn: "deferred" });
    expect(agents.tasks[1]?.prompt).toMatch(/denied by ann: not that file\. Do not make it again/);
    // As often as it is asked.
    expect(rulings.slice(2)).toEqual([
      { answer: "deny", why: "denied by ann: not that file", rule: "blueprint.ask[0]" },
      { answer: "deny", why: "denied by ann: not that file", rule: "blueprint.ask[0]" },
    ]);
    expect(await event("stage.finished")).toMatchObject({ attempt: 2, outcome: "success" });
    expect(await event("run.finished")).toMatchObject({ status: "succeeded" });
  });

  it("is nothing that a backend can claim by itself", async () => {
    const { host, event } = life(fix(), async () => ({ outcome: { kind: "deferred", call: editCall("src/a") } }));
    await host.start();
    expect(await event("stage.deferred")).toBeUndefined();
    expect(await event("stage.finished")).toMatchObject({ cause: "agent", error: "a person must allow edit" });
  });

  it("has the time that is left, and a failure after it begins anew", async () => {
    const plan = fix("", ", max_attempts: 2, timeout: 60s");
    const seen: Life[] = [];
    const alive = life(plan, async (task, { decide }) => {
      const call = editCall("CHANGES.md");
      seen[0]?.host.workspaces.files(task.process.folder ?? "")?.set("src/half", "done");
      if (task.process.attempt === 1) {
        await decide(call);
        seen[0]?.host.clock.after(10_000, () => undefined);
        seen[0]?.host.clock.advance();
        return { outcome: { kind: "deferred", call } };
      }
      return task.process.attempt === 2 ? failed("provider") : {};
    });
    seen.push(alive);
    const { host, agents } = alive;
    await host.start();
    const { state } = restore(host.run, plan, await host.events());
    const { facts } = answerFacts(plan, state, { answer: "approve", by: "ann" }, host.clock.now());
    await host.resume([...facts, { type: "run.resumed", after: "wait" }]);
    const times = agents.tasks.map(({ process }) => process.timeoutMs);
    expect(times[0]).toBe(60_000);
    expect(times[1]).toBeLessThanOrEqual(50_000);
    expect(times[2]).toBe(60_000);
  });

  it("may follow another: all of them share one budget and one time", async () => {
    const plan = planFrom(
      `${HEAD}stages:\n  - { id: ops, agent: { use: model, goal: "Release.", toolset: release_ops }, sandbox: read_only, models: { tokens: 1k, usd: 1, calls: 10 } }\n`,
    );
    grants.length = 0;
    const calls = [
      callFor("run", { n: 1 }, { kind: "run", argv: ["ok", "1"] }),
      callFor("run", { n: 2 }, { kind: "run", argv: ["ok", "2"] }),
    ];
    const { host, agents, event } = life(
      plan,
      async (_task, { decide }) => {
        for (const call of calls)
          if ((await decide(call)).answer === "defer") return { outcome: { kind: "deferred", call } };
        return {};
      },
      { ports: { models } },
    );
    await host.start();
    for (let answered = 0; answered < 3; answered += 1) {
      const { state } = restore(host.run, plan, await host.events());
      if (state.status !== "waiting") break;
      const { facts } = answerFacts(plan, state, { answer: "approve", by: "ann" }, host.clock.now());
      await host.resume([...facts, { type: "run.resumed", after: "wait" }]);
    }
    // Without sessions it begins anew each time, and may make only the call that was allowed last.
    expect(agents.tasks.map(({ goesOn }) => goesOn)).toEqual([null, null, null, null]);
    expect(grants.map(({ calls: most }) => most)).toEqual([10, 6, 2, 0]);
    expect((await event("stage.deferred"))?.tree).toBeUndefined();
    expect((await event("stage.deferred"))?.call.input).toEqual({ n: 2 });
  });
});

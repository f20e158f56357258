import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Ending, type Script } from "../../../test/support/run-plan.ts";
import type { ProcessRequest } from "../../ports/executor.ts";
import type { RunEvent } from "../events.ts";

const ROUNDS = 12;
const LOOP = `limits: { rounds: ${ROUNDS} }
stages:
  - { id: fix, command: [ok, fix] }
  - { id: verify, gate: { command: [ok, verify] }, on: { fail: fix } }
`;
const failed = (error = "verify ended with 1: the sum is wrong"): Ending => ({ cause: "exit", exit: 1, error });

interface Lived {
  readonly reason: string;
  readonly detail: string;
  readonly rounds: number;
  readonly events: readonly RunEvent[];
}

async function live(yaml: string, script: Script): Promise<Lived> {
  const host = createTestHost(planFrom(yaml), script);
  await host.start();
  const events = await host.events();
  const end = events.at(-1);
  if (end?.type !== "run.finished") throw new Error(`it ended with ${end?.type}`);
  const rounds = 1 + events.filter(({ type }) => type === "round.started").length;
  return { reason: end.reason, detail: end.detail ?? "", rounds, events };
}

/** Verify fails always, or until a round. */
const verify =
  (until = Number.POSITIVE_INFINITY, error?: string) =>
  (request: ProcessRequest): Ending => {
    if (request.stage !== "verify") return {};
    return roundOf(request) < until ? failed(error) : {};
  };
/** The visit of a stage that every round visits once. */
const roundOf = ({ key }: ProcessRequest): number => Number(key.split(":").at(-1));

describe("a run that goes round", () => {
  it("is stuck when its maker does nothing", async () => {
    const { reason, detail, rounds } = await live(LOOP, { endings: verify() });
    expect({ reason, rounds }).toEqual({ reason: "stagnation", rounds: 3 });
    expect(detail).toBe(
      'same_failure: "verify" failed 3 times the same way: verify ended with 1: the sum is wrong, with nothing new in between',
    );
  });

  it("is stuck when all that differs is what nobody asked for, such as its traffic with models", async () => {
    const kept = (request: ProcessRequest): Ending => ({
      artifacts: { traffic: { sha256: request.key, bytes: 1 }, note: { sha256: "same", bytes: 1 } },
    });
    const yaml = LOOP.replace("command: [ok, fix]", "command: [ok, fix], outputs: { note: note.txt }");
    const { reason, rounds } = await live(yaml, {
      endings: (request) => (request.stage === "fix" ? kept(request) : verify()(request)),
    });
    expect({ reason, rounds }).toEqual({ reason: "stagnation", rounds: 3 });
  });

  it("is not stuck while what it stores differs", async () => {
    const yaml = `limits: { rounds: ${ROUNDS} }
stages:
  - { id: act, action: test.work, on_success: look }
  - { id: look, command: [ok], sandbox: read_only, outputs: { note: note.txt }, on_success: act, on_failure: act }
`;
    const { reason, rounds } = await live(yaml, {
      endings: (request) =>
        roundOf(request) === 5 ? failed() : { artifacts: { note: { sha256: request.key, bytes: 1 } } },
      action: async () => ({ ok: true, artifacts: { out: { sha256: "x", bytes: 1 } } }),
    });
    expect({ reason, rounds }).toEqual({ reason: "max_rounds", rounds: ROUNDS });
  });

  it("is stuck when its maker makes the same change again", async () => {
    const { reason, rounds } = await live(LOOP, {
      endings: verify(),
      work: ({ stage }, files) => {
        if (stage === "fix") files.set("a", "same");
      },
    });
    expect({ reason, rounds }).toEqual({ reason: "stagnation", rounds: 3 });
  });

  it("is stuck when its maker goes back and forth, although no tree has the same name", async () => {
    const { detail, rounds } = await live(LOOP, {
      endings: verify(),
      work: (request, files) => {
        if (request.stage === "fix") files.set("a", `${roundOf(request) % 2}`);
      },
    });
    expect({ rule: detail.split(":")[0], rounds }).toEqual({ rule: "same_failure", rounds: 4 });
    const patient = LOOP.replace("rounds: 12", "rounds: 12, stagnation: { same_failure: 9 }");
    const swung = await live(patient, {
      endings: verify(),
      work: (request, files) => {
        if (request.stage === "fix") files.set("a", `${roundOf(request) % 2}`);
      },
    });
    expect({ rule: swung.detail.split(":")[0], rounds: swung.rounds }).toEqual({ rule: "oscillation", rounds: 6 });
  });

  it("is stuck when stages that only look hand over to each other", async () => {
    const yaml = `limits: { rounds: ${ROUNDS} }
stages:
  - { id: ping, command: [ok], sandbox: read_only }
  - { id: pong, command: [ok], sandbox: read_only, on_success: ping }
`;
    const { detail, rounds } = await live(yaml, {});
    expect({ detail, rounds }).toEqual({
      detail: 'repeats: "pong" ended the same way 3 times, with nothing new in between',
      rounds: 3,
    });
  });

  it("is stuck when no test outcome is new, however new the trees are", async () => {
    const yaml = `limits: { rounds: ${ROUNDS}, stagnation: { test_outcomes: 4 } }
stages:
  - { id: fix, command: [ok, fix] }
  - { id: verify, gate: { tests: { command: [ok, verify], format: tap, must: all_pass, reruns: 0 } }, on: { fail: fix, escalate: fail } }
`;
    const shown = ["TAP version 13", "1..2", "ok 1 - adds", "not ok 2 - divides", ""].join("\n");
    const { detail, rounds } = await live(yaml, {
      endings: ({ stage }) => (stage === "verify" ? { cause: "exit", exit: 1, error: "tests failed", shown } : {}),
      work: (request, files) => {
        if (request.stage === "fix") files.set("a", `try ${roundOf(request)}`);
      },
    });
    expect({ detail, rounds }).toEqual({
      detail: 'test_outcomes: "verify" failed 4 times without a test outcome that is new, with nothing new in between',
      rounds: 5,
    });
  });

  it("tells nothing by its tests where they have no names, or did not come to an end", async () => {
    const yaml = (format: string) => `limits: { rounds: ${ROUNDS}, stagnation: { test_outcomes: 2 } }
stages:
  - { id: fix, command: [ok, fix] }
  - { id: verify, gate: { tests: { command: [ok, verify], format: ${format}, reruns: 0 } }, on: { fail: fix, escalate: fail } }
`;
    const work: Script["work"] = (request, files) => {
      if (request.stage === "fix") files.set("a", `try ${roundOf(request)}`);
    };
    const late: Ending = { cause: "timeout", error: "it took too long" };
    for (const ending of [failed(), late])
      expect(
        await live(yaml("auto"), { work, endings: ({ stage }) => (stage === "verify" ? ending : {}) }),
      ).toMatchObject({
        reason: "max_rounds",
        rounds: ROUNDS,
      });
  });

  it("is stuck when a group fails the same way, and not when its members do", async () => {
    const yaml = `limits: { rounds: ${ROUNDS} }
stages:
  - id: all
    group: { for_each: [1, 2, 3, 4, 5], stage: { id: one, command: [ok], sandbox: read_only } }
    on_failure: all
`;
    const { detail, rounds } = await live(yaml, { endings: () => failed("lint ended with 1: 3 warnings") });
    expect({ detail, rounds }).toEqual({
      detail:
        'same_failure: "all" failed 3 times the same way: lint ended with 1: 3 warnings, with nothing new in between',
      rounds: 3,
    });
  });

  it("is stuck when a stage cannot begin again and again", async () => {
    const yaml = `limits: { rounds: ${ROUNDS} }
stages:
  - { id: make, command: [ok], capture: json, sandbox: read_only }
  - { id: all, group: { for_each: "\${stages.make.output.items}", stage: { id: one, command: [ok] } }, on_failure: make }
`;
    const { detail, rounds } = await live(yaml, { endings: () => ({ output: { items: 1 } }) });
    expect({ rule: detail.split(":")[0], rounds }).toEqual({ rule: "same_failure", rounds: 3 });
  });

  it("keeps what it had reached: its trees, results and events", async () => {
    const { events } = await live(LOOP, {
      endings: verify(),
      work: ({ stage }, files) => {
        if (stage === "fix") files.set("a", "same");
      },
    });
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["run.stopping", "run.finished"]);
    const made = events.find((event) => event.type === "stage.finished" && event.stage === "fix");
    expect(made).toMatchObject({ outcome: "success", tree: expect.any(String), content: expect.any(String) });
  });
});

describe("what was counted", () => {
  const yaml = LOOP.replace("rounds: 12", "rounds: 12, stagnation: { same_failure: 4 }");

  it("is counted on after the host was lost", async () => {
    const plan = planFrom(yaml);
    const host = createTestHost(plan, {
      endings: (request) => (request.stage === "fix" && roundOf(request) === 3 ? "hang" : verify()(request)),
    });
    const first = host.start();
    while (!(host.executed.at(-1)?.stage === "fix" && roundOf(host.executed.at(-1) as ProcessRequest) === 3))
      await new Promise((resolve) => setImmediate(resolve));
    host.inbox.fail("killed");
    await expect(first).rejects.toBe("killed");
    const next = createTestHost(plan, { endings: verify(), store: host.store });
    expect(await next.resume()).toMatchObject({ state: { reason: "stagnation", facts: { round: 4 } } });
  });

  it("is counted from nothing when a person has let it rest and goes on", async () => {
    const plan = planFrom(`limits: { rounds: 12 }
stages:
  - { id: look, gate: { command: [ok] }, on: { fail: rest } }
  - { id: rest, gate: { command: [ok] }, on: { fail: paused, pass: look } }
`);
    const host = createTestHost(plan, {
      endings: (request) => (request.stage === "look" || roundOf(request) === 2 ? failed() : {}),
    });
    expect(await host.start()).toMatchObject({ state: { status: "paused", facts: { round: 2 } } });
    const end = await host.resume([{ type: "run.resumed", after: "pause" }]);
    expect(end).toMatchObject({ state: { reason: "stagnation" } });
    const looks = (await host.events()).filter(({ type, ...event }) => {
      return type === "stage.started" && "stage" in event && event.stage === "look";
    });
    expect(looks).toHaveLength(4);
  });
});

/** Reported of other tools: each stopped, or would have stopped, a run that was getting somewhere. */
const HONEST: readonly (readonly [source: string, what: string, yaml: string, script: Script])[] = [
  [
    "ralph-claude-code#2",
    'output that says "is_error": false and "error": null in every round',
    LOOP,
    {
      endings: (request) =>
        request.stage === "fix" ? { output: '{"is_error": false, "error": null}' } : verify(8)(request),
      work: (request, files) => {
        files.set("a", `${roundOf(request)}`);
      },
    },
  ],
  [
    "ralph-claude-code#128",
    "a maker that says in every round that it is done",
    LOOP,
    {
      endings: (request) => (request.stage === "fix" ? { output: "done: all tasks complete" } : verify(10)(request)),
      work: (request, files) => {
        files.set("a", `${roundOf(request)}`);
      },
    },
  ],
  [
    "ralph-claude-code#141",
    "work that is handed on in every round, so that nothing is left to see in the tree",
    `limits: { rounds: ${ROUNDS} }
stages:
  - { id: fix, command: [ok] }
  - { id: commit, action: test.work, effect: keyed }
  - { id: verify, gate: { command: [ok] }, on: { fail: fix } }
`,
    { endings: verify(8) },
  ],
  [
    "ralph-claude-code#340",
    "work outside of any repository, in stages whose results tell of it",
    `limits: { rounds: ${ROUNDS} }
stages:
  - { id: fix, command: [ok], capture: json, sandbox: read_only }
  - { id: verify, gate: { command: [ok] }, on: { fail: fix } }
`,
    { endings: (request) => (request.stage === "fix" ? { output: { page: roundOf(request) } } : verify(8)(request)) },
  ],
  [
    "ralph-claude-code#160",
    "a stage with a network that is refused for a while",
    `limits: { rounds: ${ROUNDS} }
stages:
  - { id: push, command: [ok], network: [example.org], untrusted: false, effect: idempotent, on_failure: push }
`,
    { endings: (request) => (roundOf(request) < 9 ? failed("Permission denied") : {}) },
  ],
  [
    "ralph-claude-code#99",
    "rounds that only read and think, each with another result",
    `limits: { rounds: ${ROUNDS} }
stages:
  - { id: think, command: [ok], capture: text }
  - { id: verify, gate: { command: [ok] }, on: { fail: think } }
`,
    {
      endings: (request) =>
        request.stage === "think" ? { output: `thought ${roundOf(request)}` } : verify(9)(request),
    },
  ],
  [
    "a wait between two looks",
    "a poll of something outside, with a stage that waits in between",
    `limits: { rounds: ${ROUNDS} }
stages:
  - { id: poll, command: [ok], network: [example.org], untrusted: false, effect: idempotent, on_success: done, on_failure: wait }
  - { id: wait, command: [ok], on_success: poll }
`,
    { endings: (request) => (request.stage === "poll" && roundOf(request) < 9 ? failed("not ready") : {}) },
  ],
  [
    "a flaky network",
    "attempts that fail the same way before one succeeds, in every round",
    `limits: { rounds: ${ROUNDS} }
stages:
  - { id: fetch, command: [ok], max_attempts: 6, backoff: 1ms }
  - { id: verify, gate: { command: [ok] }, on: { fail: fetch } }
`,
    {
      endings: (request) =>
        request.stage === "fetch" ? (request.attempt < 6 ? failed("ECONNRESET") : {}) : verify(8)(request),
      work: (request, files) => {
        files.set("a", `${roundOf(request)}`);
      },
    },
  ],
  [
    "the same warning",
    "a lint gate that says the same in every round of a run that gets on",
    LOOP,
    {
      endings: verify(10, "eslint ended with 1: 3 warnings, 0 errors"),
      work: (request, files) => {
        if (request.stage === "fix") files.set("a", `${roundOf(request)}`);
      },
    },
  ],
  [
    "shards",
    "a stage that is told the round and looks at another part each time",
    `limits: { rounds: ${ROUNDS} }
stages:
  - { id: shard, command: [ok, "\${run.round}"], sandbox: read_only, on_success: shard, on_failure: done }
`,
    { endings: (request) => (roundOf(request) < 10 ? {} : failed()) },
  ],
  [
    "a file back and forth",
    "a change that is taken back and made again while tests get on",
    `limits: { rounds: ${ROUNDS} }
stages:
  - { id: fix, command: [ok] }
  - { id: verify, gate: { tests: { command: [ok], format: tap, must: all_pass, reruns: 0 } }, on: { fail: fix, escalate: fail } }
`,
    {
      endings: (request) => {
        if (request.stage !== "verify") return {};
        const passing = Math.min(9, roundOf(request) - 1);
        const lines = Array.from(
          { length: 9 },
          (_, test) => `${test < passing ? "ok" : "not ok"} ${test + 1} - t${test}`,
        );
        const shown = ["TAP version 13", "1..9", ...lines, ""].join("\n");
        return passing === 9 ? { shown } : { cause: "exit", exit: 1, error: "tests failed", shown };
      },
      work: (request, files) => {
        if (request.stage === "fix") files.set("a", `${roundOf(request) % 2}`);
      },
    },
  ],
];

describe("a run that gets somewhere is not stopped:", () => {
  it.each(HONEST)("%s: %s", async (_source, _what, yaml, script) => {
    const { reason, rounds } = await live(yaml, script);
    expect(["goal_achieved", "reported"]).toContain(reason);
    expect(rounds).toBeGreaterThan(7);
  });
});

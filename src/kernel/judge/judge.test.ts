import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { createTestHost, type Ending, type Script, type TestHost } from "../../../test/support/run-plan.ts";
import { pawlError } from "../../base/errors.ts";
import type { GateStage } from "../../plan/plan.ts";
import { WORKSPACE_ERRORS } from "../../ports/errors/workspace-errors.ts";
import type { EventOf } from "../../run/events.ts";
import { finishedBy } from "../process.ts";

const MISSING = pawlError(WORKSPACE_ERRORS, "WORKSPACE_TREE_MISSING", { tree: "t" });

function tap(results: Readonly<Record<string, "ok" | "not ok">>): string {
  const lines = Object.entries(results).map(([name, result], index) => `${result} ${index + 1} - ${name}`);
  return `TAP version 13\n${lines.join("\n")}\n1..${lines.length}\n`;
}

const said = (results: Readonly<Record<string, "ok" | "not ok">>): Ending => {
  const failed = Object.values(results).includes("not ok");
  return { shown: tap(results), ...(failed ? { cause: "exit", exit: 1 } : {}) } as Ending;
};

/** Each start of the gate ends with the next of these, on whichever tree it is. */
function scripted(endings: readonly Ending[], rest: Script = {}): Script {
  let next = 0;
  return {
    ...rest,
    endings: ({ stage }) => (stage === "g" ? (endings[Math.min(next++, endings.length - 1)] as Ending) : {}),
  };
}

async function judged(
  yaml: string,
  script: Script,
  last = "g",
): Promise<{ host: TestHost; end: EventOf<"stage.finished"> }> {
  const host = createTestHost(planFrom(yaml), script);
  await host.start();
  const end = (await host.events()).findLast((event) => event.type === "stage.finished" && event.stage === last);
  if (end?.type !== "stage.finished") throw new Error("the gate did not end");
  return { host, end };
}

const TESTS = "stages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { tests: [ok] } }\n";

describe("a gate with a process", () => {
  const work: Script["work"] = ({ stage }, files) => {
    if (stage !== "a") return files.set("left-by-gate", "x");
    files.set("src.js", "new");
    files.set("test/a.test.js", "weakened");
    return files.set("left", "x");
  };

  it("works in a fresh checkout with the protected paths of the beginning, and the run goes on with that", async () => {
    const seen: unknown[] = [];
    const { host, end } = await judged(
      "stages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { command: [ok] } }\n",
      {
        work(request, files) {
          if (request.stage === "g") seen.push(Object.fromEntries(files));
          work(request, files);
        },
      },
    );
    expect(seen).toEqual([{ "README.md": "hello", "src.js": "new", left: "x" }]);
    expect(end).toMatchObject({ outcome: "pass", judged: end.tree });
    expect(Object.fromEntries(host.workspaces.tree(end.judged ?? "") ?? [])).toEqual(seen[0]);
    const events = await host.events();
    expect(events.at(-1)).toMatchObject({ type: "run.finished", reason: "goal_achieved" });
  });

  it("names no other tree when nothing protected was changed, or when it did not pass", async () => {
    const plain = await judged("stages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { command: [ok] } }\n", {
      work: ({ stage }, files) => files.set(stage, "x"),
    });
    expect(plain.end.tree).toBeUndefined();
    const failing = await judged("stages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { command: [ok] } }\n", {
      work,
      stages: { g: [{ cause: "exit", exit: 1 }] },
    });
    expect(failing.end).toMatchObject({ outcome: "fail" });
    expect(failing.end.tree).toBeUndefined();
  });

  it.each(["compose", "checkout"] as const)("fails when the workspaces refuse to %s", async (method) => {
    const { end } = await judged(TESTS, {
      ports: ({ workspaces }) => ({ workspaces: { ...workspaces, [method]: () => Promise.reject(MISSING) } }),
    });
    expect(end).toMatchObject({ outcome: "fail", cause: "spawn_error", error: MISSING.message });
  });

  it("ends its host when anything else goes wrong", async () => {
    const host = createTestHost(planFrom("stages:\n  - { id: g, gate: { command: [ok] } }\n"), {
      ports: ({ executor }) => ({ executor: { ...executor, execute: () => Promise.reject(new Error("boom")) } }),
    });
    await expect(host.start()).rejects.toThrow("boom");
    expect(await host.types()).toEqual(["run.created", "run.started", "stage.started"]);
  });

  it("fails without a tree", async () => {
    const host = createTestHost(planFrom("stages:\n  - { id: g, gate: { command: [ok] } }\n"));
    const plan = planFrom("stages:\n  - { id: g, gate: { command: [ok] } }\n");
    await host.start(plan.params, "nothing");
    expect((await host.events()).find((event) => event.type === "stage.finished")).toMatchObject({
      outcome: "fail",
      cause: "spawn_error",
      error: "the run has no tree to judge: nothing was started",
    });
  });

  it("of quality warns or blocks, and a missing tool fails", async () => {
    const yaml = (mode: string): string =>
      `stages:\n  - { id: g, gate: { quality: { command: [ok], mode: ${mode} } } }\n`;
    const exits = async (mode: string, exit: number): Promise<string> =>
      (await judged(yaml(mode), { stages: { g: [{ cause: "exit", exit }] } })).end.outcome;
    expect([await exits("warn", 1), await exits("block", 1), await exits("warn", 127)]).toEqual([
      "pass",
      "fail",
      "fail",
    ]);
  });
});

describe("a gate with tests", () => {
  it("compares with the beginning and keeps the results", async () => {
    const { host, end } = await judged(
      TESTS,
      scripted([said({ one: "ok", two: "not ok" }), said({ one: "ok", two: "ok" })]),
    );
    expect(end).toMatchObject({
      outcome: "pass",
      cause: "ok",
      output: { outcome: "pass", by: "tests", fixed: ["two"], labels: {} },
      artifacts: { baseline: { bytes: expect.any(Number) }, results: { bytes: expect.any(Number) } },
    });
    const [base, candidate] = host.executed.filter(({ stage }) => stage === "g");
    expect([base?.evidence, candidate?.evidence]).toEqual([{ report: null }, { report: null }]);
    expect(base?.folder).not.toBe(candidate?.folder);
  });

  it("fails on a new failure, and tries it again to tell flaky from broken", async () => {
    const broken = await judged(TESTS, scripted([said({ one: "ok", two: "ok" }), said({ one: "ok", two: "not ok" })]));
    expect(broken.end).toMatchObject({ outcome: "fail", cause: "exit", error: "1 new failures, such as two" });
    expect(broken.host.executed.filter(({ stage }) => stage === "g")).toHaveLength(4);
    const flaky = await judged(
      TESTS,
      scripted([said({ one: "ok", two: "ok" }), said({ one: "ok", two: "not ok" }), said({ one: "ok", two: "ok" })]),
    );
    expect(flaky.end).toMatchObject({
      outcome: "pass",
      output: { flaky: ["two"], labels: { two: expect.any(Number) } },
    });
  });

  it("measures the beginning once, and remembers what was flaky", async () => {
    const yaml =
      "limits: { rounds: 3 }\nstages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { tests: [ok] }, on: { fail: a } }\n";
    const { host, end } = await judged(
      yaml,
      scripted([
        said({ one: "ok", two: "ok" }),
        said({ one: "not ok", two: "not ok" }),
        said({ one: "not ok", two: "ok" }),
        said({ one: "not ok", two: "ok" }),
        said({ one: "ok", two: "not ok" }),
      ]),
    );
    expect(end).toMatchObject({ outcome: "pass", output: { flaky: ["two"] } });
    expect(host.executed.filter(({ stage }) => stage === "g")).toHaveLength(5);
  });

  it("takes no baseline that it cannot read", async () => {
    const yaml =
      "limits: { rounds: 3 }\nstages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { tests: [ok] }, on: { fail: a } }\n";
    const emptied = ({ artifacts }: TestHost["ports"]): Partial<TestHost["ports"]> => {
      let puts = 0;
      const put: typeof artifacts.put = (bytes) => {
        puts += 1;
        return artifacts.put(puts === 1 ? new TextEncoder().encode("[]") : bytes);
      };
      return { artifacts: { ...artifacts, put } };
    };
    const endings = [
      said({ one: "ok" }),
      said({ one: "not ok" }),
      said({ one: "not ok" }),
      said({ one: "not ok" }),
      said({ one: "ok" }),
    ];
    const { host, end } = await judged(yaml, { ...scripted(endings), ports: emptied });
    expect(end.outcome).toBe("pass");
    expect(host.executed.filter(({ stage }) => stage === "g")).toHaveLength(6);
  });

  it.each<[string, readonly Ending[]]>([
    ["the judged run", [said({ one: "ok" }), { cause: "timeout", error: "too long" }]],
    ["a rerun", [said({ one: "ok" }), said({ one: "not ok" }), { cause: "timeout", error: "too long" }]],
  ])("fails when %s is cut short", async (_, endings) => {
    expect((await judged(TESTS, scripted(endings))).end).toMatchObject({
      outcome: "fail",
      cause: "timeout",
      error: "too long",
    });
  });

  it("keeps what it was told to keep, also when it is cut short", async () => {
    const yaml = 'stages:\n  - { id: g, gate: { tests: [ok] }, keep: ["out/**"] }\n';
    const kept = { "./out/a.png": { sha256: "0".repeat(64), bytes: 1 } };
    const cut: Ending = { cause: "timeout", error: "too long", artifacts: kept, unkept: 2 };
    const { host, end } = await judged(yaml, scripted([said({ one: "ok" }), cut]));
    expect(end).toMatchObject({ outcome: "fail", artifacts: kept, unkept: 2 });
    expect(host.executed.map(({ keep }) => keep)).toEqual([["out/**"], ["out/**"]]);
    const well: Ending = { shown: tap({ one: "ok" }), artifacts: kept, unkept: 1 };
    const whole = await judged(yaml, scripted([well]));
    expect(whole.end).toMatchObject({ outcome: "pass", artifacts: kept, unkept: 1 });
  });

  it("fails when what was asked for was not shown", async () => {
    const lost: Ending = { evidence: { problem: "its report is not at out.xml" } };
    const yaml = "stages:\n  - { id: g, gate: { tests: { command: [ok], report: out.xml, format: junit } } }\n";
    const { host, end } = await judged(yaml, scripted([lost]));
    expect(end).toMatchObject({ outcome: "fail", error: "its report is not at out.xml" });
    expect(host.executed[0]?.evidence).toEqual({ report: "out.xml" });
    expect((await judged(TESTS, scripted([{}]))).end).toMatchObject({ outcome: "fail", error: "it showed nothing" });
  });

  it("is not judged by its exit code alone, nor by a report of which nobody knows how it ended", async () => {
    const plan = planFrom(TESTS);
    const stage = plan.stages[1] as GateStage;
    const request = { kind: "run", argv: ["ok"] } as const;
    const effect = { kind: "process", stage, request, argv: ["ok"], env: {}, inputs: {}, strip: [] } as const;
    const log = { sha256: "0".repeat(64), bytes: 0, dropped: 0 };
    expect(finishedBy(effect, { cause: "ok", exit: 0, log, artifacts: {} }).outcome).toBe("fail");
    const endless = Object.assign({ shown: tap({ one: "ok" }) }, { exit: undefined }) as unknown as Ending;
    const { end } = await judged(TESTS, scripted([said({ one: "ok" }), endless]));
    expect(end).toMatchObject({ outcome: "fail", error: "the command did not end by itself" });
  });

  it("asks for more than no regression where its author does", async () => {
    const yaml = (must: string): string =>
      `stages:\n  - { id: g, gate: { tests: { command: [ok], must: ${must} } } }\n`;
    const same = scripted([said({ one: "ok", two: "not ok" })]);
    expect((await judged(yaml("no_regress"), same)).end.outcome).toBe("pass");
    expect((await judged(yaml("improve"), same)).end).toMatchObject({ outcome: "fail", error: "no test was fixed" });
    const [bad, good] = [said({ one: "ok", two: "not ok" }), said({ one: "ok", two: "ok" })];
    const fixed = await judged(yaml("improve"), scripted([bad, good, bad]));
    expect(fixed.end).toMatchObject({ outcome: "pass", output: { fixed: ["two"] } });
    const worse = said({ one: "not ok", two: "ok" });
    expect((await judged(yaml("improve"), scripted([bad, worse]))).end).toMatchObject({
      outcome: "fail",
      error: "1 new failures, such as one",
      output: { fixed: [] },
    });
    const lucky = await judged(yaml("improve"), scripted([bad, good, bad, good]));
    expect(lucky.end).toMatchObject({ outcome: "fail", error: "no test was fixed" });
    expect((await judged(yaml("all_pass"), same)).end).toMatchObject({
      outcome: "fail",
      error: "1 tests fail still, such as two",
    });
  });
});

describe("a gate with a metric", () => {
  const yaml = (rule: string): string =>
    `stages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { metric: { command: [ok], regex: "score: ([0-9.]+)", ${rule} } } }\n`;
  const score = (value: number): Ending => ({ shown: `score: ${value}\n` });

  it("measures both sides as often as it is told", async () => {
    const { host, end } = await judged(
      yaml("repeats: 2, must: improve, tolerance: 0"),
      scripted([score(1), score(1), score(2), score(2)]),
    );
    expect(end).toMatchObject({
      outcome: "pass",
      cause: "ok",
      output: { outcome: "pass", before: [1, 1], values: [2, 2] },
    });
    expect(host.executed.filter(({ stage }) => stage === "g")).toHaveLength(4);
  });

  it("fails when it got worse, when there is no number, and when the command fails", async () => {
    expect((await judged(yaml("repeats: 1"), scripted([score(2), score(1)]))).end).toMatchObject({
      outcome: "fail",
      cause: "exit",
    });
    expect(
      (await judged(yaml("repeats: 3"), scripted([score(2), score(2), score(2), { shown: "none" }]))).end,
    ).toMatchObject({
      outcome: "fail",
      cause: "exit",
      output: { values: [null] },
    });
    const failing: Ending = { shown: "score: 9", cause: "exit", exit: 3, error: "broken" };
    expect((await judged(yaml("repeats: 1"), scripted([score(2), failing]))).end).toMatchObject({
      outcome: "fail",
      cause: "exit",
      exit: 3,
    });
    expect((await judged(yaml("repeats: 1"), scripted([score(2), {}]))).end.outcome).toBe("fail");
  });

  it("that must be reached looks at nothing before, and keeps the files it promised", async () => {
    const files = { artifacts: { log: { sha256: "0".repeat(64), bytes: 1 } } };
    const { host, end } = await judged(
      yaml("must: reach, target: 5, repeats: 1"),
      scripted([{ ...(score(6) as object), ...files }]),
    );
    expect(end).toMatchObject({ outcome: "pass", artifacts: files.artifacts });
    expect(host.executed.filter(({ stage }) => stage === "g")).toHaveLength(1);
  });

  it("measures the beginning once", async () => {
    const again = `limits: { rounds: 3 }\n${yaml("repeats: 1").replace("} }\n", "}, on: { fail: a } }\n")}`;
    const { host, end } = await judged(again, scripted([score(2), score(1), score(2)]));
    expect(end).toMatchObject({ outcome: "pass", output: { before: [2], values: [2] } });
    expect(host.executed.filter(({ stage }) => stage === "g")).toHaveLength(3);
  });
});

describe("a gate on the change", () => {
  const yaml = (gate: string, level = ""): string =>
    `${level}stages:\n  - { id: a, command: [ok] }\n  - { id: g, gate: { ${gate} } }\n`;
  const work: Script["work"] = ({ stage }, files) => files.set(stage === "a" ? "src/a.js" : "other", "x\ny\n");

  it("judges what differs from the beginning and runs nothing", async () => {
    const { host, end } = await judged(yaml("change: { max_lines: 10 }"), { work });
    expect(end).toMatchObject({ outcome: "pass", cause: "ok", output: { trigger: "ok", files: 1, lines: 2 } });
    expect(host.executed.map(({ stage }) => stage)).toEqual(["a"]);
    const denied = await judged(yaml('change: { deny: ["src/**"] }'), { work });
    expect(denied.end).toMatchObject({
      outcome: "fail",
      cause: "exit",
      output: { trigger: "denylist", paths: ["src/a.js"] },
    });
    expect((await judged(yaml("change: {}"), {})).end).toMatchObject({ outcome: "empty" });
  });

  it("calls a run that changed nothing a run with nothing to do, where its author says so", async () => {
    const plan = yaml("change: {}").replace("} }\n", "}, on: { empty: done } }\n");
    const { host } = await judged(plan, {});
    expect((await host.events()).at(-1)).toMatchObject({ type: "run.finished", reason: "noop" });
  });

  it("lets nothing be merged that was not verified", async () => {
    const { end } = await judged(yaml('merge: { allow: ["src/**"] }'), { work });
    expect(end).toMatchObject({ outcome: "fail", output: { trigger: "unverified" } });
  });

  it("fails without a tree, when the trees cannot be read, when it takes too long, and with its run", async () => {
    const { trees } = createTestHost(planFrom(yaml("change: {}"))).ports;
    const refusing = await judged(yaml("change: {}"), {
      ports: { trees: { ...trees, changes: () => Promise.reject(MISSING) } },
    });
    expect(refusing.end).toMatchObject({ outcome: "fail", cause: "invalid_output", error: MISSING.message });
    const hanging = { ports: { trees: { ...trees, changes: () => new Promise<never>(() => {}) } } };
    const late = await judged(yaml("change: {}", "defaults: { timeout: 1s }\n"), hanging);
    expect(late.end).toMatchObject({ outcome: "fail", cause: "timeout" });
    const changes = (): Promise<never> => {
      host.inbox.ask({ kind: "cancel", by: "ann" });
      return new Promise(() => {});
    };
    const host = createTestHost(planFrom(yaml("change: {}")), { ports: { trees: { ...trees, changes } } });
    await host.start();
    expect((await host.events()).find((event) => event.type === "stage.finished" && event.stage === "g")).toMatchObject(
      {
        outcome: "fail",
        cause: "killed",
      },
    );
    const treeless = createTestHost(planFrom("stages:\n  - { id: g, gate: { change: {} } }\n"));
    await treeless.start({}, "nothing");
    expect((await treeless.events()).find((event) => event.type === "stage.finished")).toMatchObject({
      outcome: "fail",
      cause: "spawn_error",
      error: "the run has no tree to look at",
    });
  });
});

/** Patterns of loop-engineering by the built command line, with the scripted agent and real git. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { inTurn } from "../../src/adapters/sqlite/file/turns-at-file.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { statePaths } from "../../src/runtime/paths.ts";
import type { Project } from "../support/cli.ts";
import { ACT, FIX, folder, git, logOf, repository, stagesOf, TEST, tick } from "../support/tick-project.ts";

const GOLDEN = `Ran 1 tick(s) of Daily Triage [L2] via mock backend (dry-run):

  tick 1: act (accept) — 5000 tokens
           · triage decision: act
           · proposed change touching src/example.ts
           · verifier verdict: accept
           · committed: safe + allowlisted

Budget: 5,000 / 100,000 tokens spent today.
`;

/** Spends tokens of the loop today. */
async function spend({ root }: Project, tokens: number): Promise<void> {
  const clock = createSystemClock();
  mkdirSync(join(root, ".pawl"));
  const store = await openSqliteStore({ dir: join(root, ".pawl"), clock, readOnly: false, acceptLoss: false });
  const accounts = [{ scope: "loop", name: "daily-triage" }] as const;
  const asked = { key: "r_0/think/1/1", at: clock.now(), accounts, amounts: { tokens }, caps: [], priority: 0 };
  await store.ledger.reserve({ ...asked, wait: false });
  await store.ledger.settle(asked.key, { tokens }, clock.now());
  await store.close();
}

/** Whether the newest run has begun this stage. */
async function begun(project: Project, stage: string): Promise<boolean> {
  const { value } = await project.json("events", "@last");
  const { events = [] } = value as { events?: { event: RunEvent }[] };
  return events.some(({ event }) => event.type === "stage.started" && event.stage === stage);
}

/** Every file below a folder, with its content. */
function snapshot(root: string, at = ""): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(root, at)).flatMap((name) => {
      const path = join(at, name);
      return statSync(join(root, path)).isDirectory()
        ? [[path, "folder"], ...Object.entries(snapshot(root, path))]
        : [[path, readFileSync(join(root, path), "latin1")]];
    }),
  );
}

describe("a dry run of a pattern", () => {
  test("I1, B15: says byte for byte what loop-runtime's document says, in any folder, and leaves nothing there", async () => {
    const project = folder();
    expect(await project.pawl("run", "daily-triage", "--level", "L2", "--dry-run")).toMatchObject({
      code: 0,
      stdout: GOLDEN,
    });
    expect(readdirSync(project.root)).toEqual([]);
  });

  test("L4: tells each tick, and the budget once; what may not be merged at the highest level is proposed", async () => {
    const project = folder();
    const { code, stdout } = await project.pawl("run", "daily-triage", "2", "--level", "L3", "--dry-run");
    const block = (at: number): string =>
      GOLDEN.split("\n")
        .slice(2, 7)
        .join("\n")
        .replace("tick 1", `tick ${at}`)
        .replace("committed: safe + allowlisted", "KEPT");
    expect([code, stdout.replace(/(?<= {11}· )committed: .*/g, "KEPT")]).toEqual([
      0,
      `Ran 2 tick(s) of Daily Triage [L3] via mock backend (dry-run):\n\n${block(1)}\n${block(2)}\n\nBudget: 10,000 / 100,000 tokens spent today.\n`,
    ]);
  });

  test("L5: goes the whole way with a real agent too, and changes no byte of the project", async () => {
    const project = repository();
    const before = snapshot(project.root);
    const { code, value } = await tick(project, "L2", "--dry-run");
    expect([code, value]).toMatchObject([0, { ticks: [{ decision: "act", verdict: "accept", status: "succeeded" }] }]);
    expect(snapshot(project.root)).toEqual(before);
  });

  test("I1: lists the patterns and plans one", async () => {
    const project = folder();
    const { stdout } = await project.pawl("list");
    expect(stdout).toMatch(/daily-triage +daily-triage +Daily Triage, every 1d-2h/);
    const plan = await project.pawl("plan", "daily-triage", "--level", "L1", "--param", TEST);
    expect([plan.code, plan.stdout]).toMatchObject([0, expect.stringContaining("act → unchanged")]);
  });
});

describe("a tick on a repository", () => {
  test("L3: act, accepted and safe: the repair is on a branch, and the log says that it was proposed", async () => {
    const project = repository();
    expect((await tick(project, "L2")).code).toBe(0);
    expect(await stagesOf(project)).toEqual([
      ...["discover:success", "admit:success", "triage:act", "claim:success", "implement:success", "verify:pass"],
      ...["review:accept", "change:pass", "commit:success", "proposed:success"],
    ]);
    const [branch = ""] = git(project.root, "branch", "--list", "pawl/*", "--format=%(refname:short)").split("\n");
    expect(git(project.root, "show", `${branch}:src/add.mjs`)).toContain("a + b");
    expect(logOf(project)).toMatchObject([{ pattern: "daily-triage", outcome: "fix-proposed", actions_taken: 1 }]);
    expect(readFileSync(join(project.root, "STATE.md"), "utf8")).toContain("- [ ] #7 — Add well");
  });

  test("L3, L6: nothing to do ends after one call of an agent, as a no-op", async () => {
    const project = repository({ triage: "answer: { outcome: noop }" });
    expect((await tick(project, "L2")).code).toBe(0);
    expect(await stagesOf(project)).toEqual([
      ...["discover:success", "admit:success", "triage:noop", "unchanged:empty", "record:success"],
    ]);
    expect(logOf(project)).toMatchObject([{ outcome: "no-op", tokens_estimate: 5000, actions_taken: 0 }]);
  });

  test("L6: a pattern that must exit early does, within what nothing to do may cost", async () => {
    const project = repository({ triage: "answer: { outcome: noop }" });
    const line = ["run", "ci-sweeper", "--agent", "scripted", "--level", "L2", "--param", TEST];
    expect((await project.json(...line)).code).toBe(0);
    expect((await stagesOf(project)).filter((stage) => /^(?:triage|implement|review):/.test(stage))).toEqual([
      "triage:noop",
    ]);
    const [entry] = logOf(project);
    expect(entry).toMatchObject({ pattern: "ci-sweeper", outcome: "no-op", actions_taken: 0 });
    expect(Number(entry?.["tokens_estimate"])).toBeLessThanOrEqual(5000);
  });

  test("J11: a tick waits for its turn at the files that loops share, and writes then", async () => {
    const project = repository({ triage: "answer: { outcome: noop }" });
    const held = await inTurn(statePaths(project.root).texts, async () => {
      const ticking = tick(project, "L2");
      // It has done all that comes before: what is left is its turn.
      while (!(await begun(project, "record"))) await sleep(50);
      await sleep(200);
      return { ticking, hasWritten: existsSync(join(project.root, "STATE.md")) };
    });
    expect(held?.of.hasWritten).toBe(false);
    expect((await held?.of.ticking)?.code).toBe(0);
    expect(logOf(project)).toHaveLength(1);
  });

  test("J10: files that a loop only reads keep every byte, and so does what is not its own in those that it writes", async () => {
    const read = {
      "LOOP.md":
        "\ufeff# Loop\r\n\r\n## Active Loops\r\n\r\n### Daily Triage (L2 — mine)\r\n- Cadence: 1d – weekdays\t\r\n\r\n## Mine  \n<!-- a -->\rend",
      "loop-budget.md":
        "\ufeff# Budget\r\n## Daily limits\r\n| Loop | Max runs/day | Max tokens/day | Max sub-agent spawns/run |\r\n|---|---|---|---|\r\n| Daily Triage | 9 | 1,000,000 | 0 (L1) / 2 (L2) |\r\n\r\n## Kill switch\t\nmine 毎日",
      "loop-constraints.md": "\ufeff# Rules\r\n- Be kind  \r\n<!-- hint -->",
      "gate.yaml": '# mine\r\nversion: 1\r\ndenylist: [".env"]\r\n',
    };
    const written = {
      "STATE.md": "# Loop State — shop\r\nLast run: never\r\n\r\n## High Priority\r\n\r\n## Mine\r\n- keep\tthis  \r\n",
      "loop-run-log.md": "# Log\r\n\r\n<!-- Loop appends below this line -->\r\nby hand",
    };
    const project = repository({ files: { ...read, ...written } });
    expect((await tick(project, "L2")).code).toBe(0);
    const now = (name: string): string => readFileSync(join(project.root, name), "utf8");
    expect(Object.fromEntries(Object.keys(read).map((name) => [name, now(name)]))).toEqual(read);
    expect(now("STATE.md")).toMatch(
      /^# Loop State — shop\r\nLast run: 2[^\r]*\r\n[\s\S]*\r\n## Mine\r\n- keep\tthis {2}\r\n$/,
    );
    expect(now("loop-run-log.md")).toMatch(/^# Log\r\n\r\n<!-- Loop appends below this line -->\r\n\{.*\}\r\nby hand$/);
    expect(logOf(project)).toMatchObject([{ outcome: "fix-proposed" }]);
  });

  test("L3: a report, and at L1 an act, write nothing but the files of the loop", async () => {
    for (const triage of ["answer: { outcome: report, why: look }", ACT]) {
      const project = repository({ triage });
      expect((await tick(project, "L1")).code).toBe(0);
      const decided = triage === ACT ? "act" : "report";
      expect(await stagesOf(project)).toEqual([
        ...["discover:success", "admit:success", `triage:${decided}`, "unchanged:empty", "record:success"],
      ]);
      expect(logOf(project)).toMatchObject([{ outcome: "report-only" }]);
      expect(git(project.root, "status", "--porcelain").split("\n").toSorted()).toEqual([
        "",
        "?? STATE.md",
        "?? loop-run-log.md",
      ]);
      expect(git(project.root, "branch", "--format=%(refname:short)")).toBe("main\n");
    }
  });

  test("L3, L9: a reject leaves no trace in git, and the third hands the item to a person and is not tried again", async () => {
    const project = repository({ review: "answer: { outcome: reject }" });
    for (const [code, attempts] of [
      [1, "1/3"],
      [1, "2/3"],
      [2, "3/3"],
    ] as const) {
      expect((await tick(project, "L2")).code).toBe(code);
      expect((await stagesOf(project)).slice(0, 7)).toEqual([
        ...["discover:success", "admit:success", "triage:act", "claim:success", "implement:success", "verify:pass"],
        "review:reject",
      ]);
      expect(readFileSync(join(project.root, "STATE.md"), "utf8")).toContain(`Attempts: ${attempts}`);
    }
    expect(git(project.root, "branch", "--format=%(refname:short)")).toBe("main\n");
    expect((await tick(project, "L2")).code).toBe(2);
    expect(await stagesOf(project)).toEqual([
      ...["discover:success", "admit:success", "triage:act", "claim:failure", "tried_out:success"],
    ]);
    expect(logOf(project).map(({ outcome, note }) => [outcome, note])).toEqual([
      ["report-only", "verifier rejected"],
      ["report-only", "verifier rejected"],
      ["escalated", "rejected 3 times"],
      ["escalated", "a test fails"],
    ]);
  });

  test("L9: triage is told what ticks before it did about each item, and how that ended", async () => {
    const project = repository({ review: "answer: { outcome: reject }" });
    for (const code of [1, 1]) expect((await tick(project, "L2")).code).toBe(code);
    await tick(project, "L2");
    const { value } = await project.json("events", "@last");
    const { events } = value as { events: { event: RunEvent }[] };
    const found = events.flatMap(({ event }) =>
      event.type === "stage.finished" && event.stage === "discover" ? [event.output] : [],
    );
    const [first, second] = logOf(project);
    const rejected = { outcome: "report-only", note: "verifier rejected" };
    expect(found).toMatchObject([
      {
        items: [
          {
            ...{ id: "#7", attempts: 2, action: `report-only (${String(second?.["run"])})` },
            earlier: [
              { ...rejected, at: first?.["run_id"] },
              { ...rejected, at: second?.["run_id"] },
            ],
          },
        ],
      },
    ]);
    // What was found is part of what the agent is told.
    const { value: plan } = await project.json("plan", "daily-triage", "--agent", "scripted");
    expect(JSON.stringify(plan)).toMatch(/stages.discover.output.*`earlier` how ticks before this one ended/);
  });

  test("L3, L10: a path that the denylist names is in no commit; a person finds the change and an entry", async () => {
    const project = repository({ implement: `${FIX}\n    - write: { path: auth/key.txt, text: "x" }` });
    expect((await tick(project, "L3", "--unearned", "a test")).code).toBe(2);
    expect((await stagesOf(project)).slice(-3)).toEqual(["change:escalate", "keep:success", "escalated:success"]);
    expect(git(project.root, "branch", "--format=%(refname:short)")).toBe("main\n");
    expect(readFileSync(join(project.root, "STATE.md"), "utf8")).toMatch(/## Human Inbox\n- \[ \] #7 — Add well/);
    expect(logOf(project)).toMatchObject([{ outcome: "escalated", escalations: 1 }]);
  });

  test("L3: a spent budget halts before any agent is called, and the log says so", async () => {
    const budget = "## Daily limits\n| Loop | Max tokens/day |\n|---|---|\n| daily-triage | 0 |\n";
    const project = repository({ files: { "loop-budget.md": budget } });
    expect((await tick(project, "L2")).code).toBe(0);
    expect(await stagesOf(project)).toEqual([...["discover:success", "admit:failure", "halted:success", "idle:empty"]]);
    expect(logOf(project)).toMatchObject([{ outcome: "no-op", note: "budget: 0 of 0 tokens spent today" }]);
  });

  test("B1: a pattern that comes with Pawl has a daily cap, and a run that has spent it halts before any agent", async () => {
    const project = repository();
    await spend(project, 100_000);
    const { stdout } = await project.pawl(
      "run",
      "daily-triage",
      "--agent",
      "scripted",
      "--level",
      "L2",
      "--param",
      TEST,
    );
    expect(await stagesOf(project)).toEqual(["discover:success", "admit:failure", "halted:success", "idle:empty"]);
    expect(logOf(project)).toMatchObject([{ outcome: "no-op", note: "budget: 100,000 of 100,000 tokens spent today" }]);
    expect(stdout).toContain("Budget: 100,000 / 100,000 tokens spent today.");
    expect((await project.pawl("budget", "daily-triage")).stdout).toContain("Budget: 100,000 / 100,000 tokens");
    expect((await project.pawl("budget")).stdout).not.toContain("100,000");
  });

  test("L1: a registry, rules or loops that are a link are a problem, and not as if they were not there", async () => {
    for (const name of ["patterns/registry.yaml", "registry.yaml", "LOOP.md"]) {
      const project = repository({ files: { "elsewhere.md": "patterns: []\n", "patterns/x.md": "" } });
      symlinkSync(join(project.root, "elsewhere.md"), join(project.root, name));
      const { code, value } = await tick(project, "L1");
      expect([code, JSON.stringify(value)]).toEqual([
        3,
        expect.stringContaining(`${name} cannot be used: it is a link`),
      ]);
    }
    const project = repository({ files: { "rules.yaml": "version: 1\ndenylist: ['src/**']\n" } });
    symlinkSync(join(project.root, "rules.yaml"), join(project.root, "gate.yaml"));
    expect((await tick(project, "L2")).code).not.toBe(0);
    expect(git(project.root, "branch", "--format=%(refname:short)")).toBe("main\n");
  });

  test("finds the test command of other projects than those of npm, as `pawl init` does", async () => {
    for (const [file, text, command] of [
      ["Makefile", "test:\n\tnode --test\n", "make test"],
      ["go.mod", "module x\n", "go test ./..."],
      ["Cargo.toml", "[package]\n", "cargo test"],
      ["pytest.ini", "[pytest]\n", "python3 -m pytest"],
    ] as const) {
      const { stdout } = await folder({ [file]: text }).pawl("plan", "daily-triage", "--level", "L2");
      expect(stdout).toContain(command);
    }
  });

  test("refuses the mock backend outside of dry runs, and options of ticks for what is no pattern", async () => {
    const project = repository();
    expect((await tick(project, "L1", "--backend", "mock")).code).toBe(3);
    expect(await project.pawl("run", "daily-triage", "--agent", "scripted", "--backend", "claude")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("--agent scripted and --backend claude name two agents."),
    });
    expect((await project.json("run", "daily-triage", "--agent", "mock", "--backend", "mock", "--dry-run")).code).toBe(
      0,
    );
    expect((await project.json("run", "daily-triage", "--backend", "mock", "--param", TEST)).code).toBe(3);
    project.write("b.yaml", "version: 1\nname: b\nstages: [{ id: a, gate: { change: {} } }]\n");
    expect((await project.json("run", "b.yaml", "--ticks", "2")).code).toBe(3);
    expect(existsSync(join(project.root, "loop-run-log.md"))).toBe(false);
  });
});

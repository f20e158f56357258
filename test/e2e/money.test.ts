/** Caps, costs, and why nothing happens: as a person asks for them. */
import { cpSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { BREAKER_RULES } from "../../src/limits/breaker/rules.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { createProject, type Project } from "../support/cli.ts";
import { buildRunId } from "../support/events-builder.ts";
import { planFrom } from "../support/plan-from-yaml.ts";

const projects: Project[] = [];
afterEach(() => {
  for (const project of projects.splice(0)) project.remove();
});

function project(files: Readonly<Record<string, string>> = {}): Project {
  const made = createProject(files);
  projects.push(made);
  return made;
}

const BUDGET = `# Loop Budget

## Daily limits

| Loop | Max runs/day | Max tokens/day | Max sub-agent spawns/run |
|------|--------------|----------------|--------------------------|
| Daily Triage | 2 | 100k | 0 (L1) / 2 (L2) |
`;
const blueprint = (name: string, stages: string): string =>
  `version: 1\nname: ${name}\nworkspace: directory\npolicy: { allow: [ { run: ["**"] } ] }\nstages:\n${stages}`;
const RUNS = blueprint("daily-triage", "  - { id: look, command: [echo, hello] }\n");

function withRegistry(made: Project): Project {
  mkdirSync(join(made.root, "patterns"));
  cpSync(resolve("test/golden/registry/registry.yaml"), join(made.root, "patterns/registry.yaml"));
  return made;
}

/** Spends tokens of a loop today, and holds some. */
async function spend(made: Project, tokens: number, held: number): Promise<void> {
  const clock = createSystemClock();
  const store = await openSqliteStore({ dir: join(made.root, ".pawl"), clock, readOnly: false, acceptLoss: false });
  const accounts = [{ scope: "loop", name: "daily-triage" }] as const;
  const common = { at: clock.now(), accounts, caps: [], priority: 0, wait: false };
  await store.ledger.reserve({ ...common, key: "r_0/think/1/1", amounts: { tokens } });
  await store.ledger.settle("r_0/think/1/1", { tokens }, clock.now());
  await store.ledger.reserve({ ...common, key: "r_0/think/1/2", amounts: { tokens: held } });
  await store.close();
}

/** A run that spent so much, as if it had been hosted here. */
async function spent(made: Project, tokens: number, isGood: boolean): Promise<void> {
  const clock = createSystemClock();
  const store = await openSqliteStore({ dir: join(made.root, ".pawl"), clock, readOnly: false, acceptLoss: false });
  const plan = planFrom(
    "version: 1\nname: daily-triage\npolicy: { allow: [ { action: test.work } ] }\nstages:\n  - { id: work, action: test.work }\n",
  );
  const run = buildRunId();
  const end: RunEvent = isGood
    ? { type: "run.finished", at: 5, status: "succeeded", reason: "reported" }
    : { type: "run.finished", at: 5, status: "failed", reason: "stage_failed", detail: "work: no" };
  const result = isGood ? { outcome: "success", cause: "ok" } : { outcome: "failure", cause: "exit" };
  await store.journal.create(run, plan, [
    { type: "run.created", at: 1, run, blueprint: plan.name, plan: plan.fingerprint, params: {} },
    { type: "run.started", at: 2 },
    { type: "stage.started", at: 3, stage: "work", visit: 1, attempt: 1, rule: "r" },
    {
      type: "stage.finished",
      at: 4,
      stage: "work",
      attempt: 1,
      ...result,
      usage: { tokens, microUsd: tokens },
    } as RunEvent,
    end,
  ]);
  await store.close();
}

describe("pawl budget", () => {
  it("says that there are no caps and how to set one, and creates no state", async () => {
    const made = project();
    const { code, stdout } = await made.pawl("budget");
    expect([code, stdout]).toEqual([0, expect.stringContaining("no caps: nothing limits")]);
    expect(stdout).toContain("loop-budget.md");
    expect((await made.json("budget")).value).toEqual({ caps: [], open: [], hasMore: false, today: null });
  });

  it("shows every cap with what was spent, what is held, what is left and where it stands", async () => {
    const made = project({ "loop-budget.md": BUDGET, "blueprint.yaml": RUNS });
    expect((await made.pawl("run", "blueprint.yaml")).code).toBe(0);
    await spend(made, 5000, 1000);
    const { stdout } = await made.pawl("budget");
    expect(stdout).toMatch(
      /loop daily-triage +100,000 tokens a day +5,000 +1,000 +94,000 +\d\d-\d\d 00:00 +loop-budget\.md:7:22/,
    );
    expect(stdout).toMatch(/loop daily-triage +0 spawns a run +each run +loop-budget\.md:7:29/);
    expect(stdout).toMatch(/r_0\/think\/1\/2 +1,000 tokens/);
    expect(stdout).toContain("\nBudget: 5,000 / 100,000 tokens spent today.\n");
    expect((await made.pawl("budget", "--level", "L2")).stdout).toContain("2 spawns a run");
    expect((await made.pawl("budget", "other")).stdout).toContain("no caps");
    expect((await made.json("budget", "daily-triage")).value).toMatchObject({
      caps: [
        { unit: "runs", amount: 2 },
        { unit: "tokens", window: "day", standing: { spent: 5000, reserved: 1000, left: 94_000 } },
        { unit: "spawns", standing: null },
      ],
      open: [{ key: "r_0/think/1/2", amounts: { tokens: 1000 } }],
      today: { amount: 100_000, standing: { spent: 5000 } },
    });
  });

  it("prints the line of loop-runtime at the end of a run with a daily token cap, and nothing without", async () => {
    const made = project({
      "loop-budget.md": BUDGET,
      "blueprint.yaml": RUNS,
      "other.yaml": blueprint("other", "  - { id: a, command: [echo] }\n"),
    });
    const first = await made.pawl("run", "blueprint.yaml");
    expect(first.stdout).toMatch(/\n\nBudget: 0 \/ 100,000 tokens spent today\.\n$/);
    await spend(made, 5000, 0);
    expect((await made.pawl("run", "blueprint.yaml")).stdout).toMatch(
      /\n\nBudget: 5,000 \/ 100,000 tokens spent today\.\n$/,
    );
    expect((await made.pawl("run", "other.yaml")).stdout).not.toContain("Budget:");
    expect((await made.json("run", "other.yaml")).value).not.toHaveProperty("today");
  });

  it("refuses a cap that it cannot read, with its place", async () => {
    const made = project({ "loop-budget.md": BUDGET.replace("100k", "a lot") });
    const { code, stderr } = await made.pawl("budget");
    expect(code).toBe(3);
    expect(stderr).toContain("loop-budget.md:7:22");
    expect(stderr).toContain('"Max tokens/day" of "Daily Triage" cannot be read: "a lot"');
    made.write("blueprint.yaml", RUNS);
    const run = await made.pawl("run", "blueprint.yaml");
    expect([run.code, run.stderr]).toEqual([3, expect.stringContaining("BUDGET_CELL_INVALID")]);
    expect((await made.pawl("status")).stdout).toBe("no runs\n");
    const unknown = project({ "loop-budget.md": BUDGET.replace("Max runs/day", "Max PRs/day") });
    expect(await unknown.pawl("budget")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("BUDGET_COLUMN_UNKNOWN"),
    });
  });
});

describe("pawl cost", () => {
  it("counts a pattern of the registry, with its warnings", async () => {
    const made = withRegistry(project());
    const { code, stdout } = await made.pawl("cost", "ci-sweeper", "--level", "L2");
    expect(code).toBe(0);
    expect(stdout).toContain("CI Sweeper (ci-sweeper) at L2");
    expect(stdout).toMatch(/worst case: a change every time +200,000 +57,600,000/);
    expect(stdout).toMatch(/realistic: 85 % nothing, 10 % reports, 5 % changes +19,250 +5,544,000/);
    expect(stdout).toContain("288 runs a day: make sure that it really ends early");
    expect((await made.json("cost", "daily-triage")).value).toMatchObject({
      estimate: { level: "L1", runsPerDay: 12, realistic: { perRun: 23_000, perDay: 276_000 } },
      warnings: [expect.stringContaining("2,400,000"), expect.stringContaining("276,000")],
      bound: null,
      past: { runs: 0 },
    });
    const more = await made.json("cost", "ci-sweeper", "--agents", "parallel:3", "--slow");
    expect(more.value).toMatchObject({ estimate: { runsPerDay: 96, action: { perRun: 800_000 } } });
  });

  it("names what it does not know, and how agents can be given", async () => {
    const made = withRegistry(project());
    const unknown = await made.pawl("cost", "ci-sweeperr");
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining("CLI_COST_UNKNOWN")]);
    expect(unknown.stderr).toContain("ci-sweeper");
    const agents = await made.pawl("cost", "ci-sweeper", "--agents", "parallel:1");
    expect([agents.code, agents.stderr]).toEqual([3, expect.stringContaining("debate:R")]);
  });

  it("tells the worst case of a blueprint and what its runs cost, failures included", async () => {
    const made = project({ "blueprint.yaml": RUNS });
    expect((await made.pawl("cost", "blueprint.yaml")).stdout).toContain("no run is over yet");
    expect((await made.pawl("run", "blueprint.yaml")).code).toBe(0);
    await spent(made, 3000, true);
    await spent(made, 6000, false);
    const { stdout } = await made.pawl("cost", "blueprint.yaml");
    expect(stdout).toContain("worst case  0 tokens, $0.00 a run");
    expect(stdout).toContain("3 runs, 2 succeeded, 0 changes merged; runs of drills do not count");
    expect(stdout).toMatch(/mean of a run +3,000 tokens/);
    expect(stdout).toMatch(/all of it, per succeeded run +4,500 tokens/);
    expect(stdout).toMatch(/all of it, per merged change +- +-/);
    expect((await made.json("cost", "daily-triage", "--runs", "1")).value).toMatchObject({
      bound: { level: "L1", tokens: 0 },
      past: { runs: 1, hasOlder: true, total: { tokens: 6000 } },
    });
    expect((await made.pawl("show", "@last")).stdout).toMatch(/spent +6,000 tokens, \$0\.0060/);
  });
});

const GATE = '  - { id: ask, gate: { approval: { question: "Ready to go?" } } }\n';
interface Whys {
  readonly loops: readonly { readonly loop: string; readonly kind: string; readonly run: string | null }[];
}

describe("pawl why", () => {
  const one = async (made: Project, name: string) => ((await made.json("why", name)).value as Whys).loops[0];

  it("tells of each blueprint whether it ever ran, and how it ended", async () => {
    const made = project({
      "blueprints/good.yaml": blueprint("good", "  - { id: a, command: [echo] }\n"),
      "blueprints/bad.yaml": blueprint("bad", "  - { id: build, command: [ls, /nowhere] }\n"),
      "blueprints/new.yaml": blueprint("new", "  - { id: a, command: [echo] }\n"),
    });
    expect((await made.pawl("why")).stdout).toMatch(/bad {2}never_ran\n.*it never ran\n.*pawl run bad\n\ngood/s);
    await made.pawl("run", "good");
    await made.pawl("run", "bad");
    const kinds = ((await made.json("why")).value as Whys).loops.map(({ loop, kind }) => `${loop} ${kind}`);
    expect(kinds).toEqual(["bad failed", "good finished", "new never_ran"]);
    const { stdout } = await made.pawl("why", "bad");
    expect(stdout).toMatch(/the last run, r_\w+, ended as failed \(stage_failed\) at stage build: /);
    expect(stdout).toMatch(/since \d{4}-\d\d-\d\d/);
    const unknown = await made.pawl("why", "goood");
    expect([unknown.code, unknown.stderr]).toEqual([
      3,
      expect.stringContaining('No loop or blueprint is named "goood"'),
    ]);
  });

  it("names the question that a run waits with, and nothing of what was before", async () => {
    const made = project({ "blueprint.yaml": blueprint("asks", GATE), "flaky.txt": "" });
    expect((await made.pawl("run", "blueprint.yaml")).code).toBe(2);
    const why = await one(made, "asks");
    expect(why).toMatchObject({
      kind: "awaiting_approval",
      what: expect.stringContaining("Ready to go?"),
      nextWake: null,
    });
    const { command } = why as unknown as { readonly command: string };
    expect((await made.pawl(...command.split(" ").slice(1))).code).toBe(0);
    expect(await one(made, "asks")).toMatchObject({ kind: "finished", command: "pawl run asks" });
  });

  it("shows what is under way and what it last said; then that its process is gone; then that it was resumed", async () => {
    const slow = blueprint("slow", '  - { id: wait, command: ["sh", "-c", "echo half way; sleep 30"] }\n');
    const made = project({ "blueprint.yaml": slow });
    const host = made.start("run", "blueprint.yaml");
    await host.until("wait");
    let why = await one(made, "slow");
    for (let tries = 0; tries < 100 && !JSON.stringify(why).includes("half way"); tries += 1)
      why = await one(made, "slow");
    expect(why).toMatchObject({
      kind: "running",
      what: expect.stringMatching(/is under way: stage wait, attempt 1; it last said: half way/),
      command: expect.stringMatching(/^pawl status r_\w+ --watch$/),
    });
    host.child.kill("SIGKILL");
    await host.ended;
    expect(await one(made, "slow")).toMatchObject({ kind: "host_gone", command: `pawl resume ${why?.run}` });
    await made.pawl("cancel", why?.run ?? "");
    expect(await one(made, "slow")).toMatchObject({
      kind: "failed",
      what: expect.stringContaining("ended as cancelled"),
    });
  });

  it("says who paused it", async () => {
    const made = project({
      "blueprint.yaml": blueprint("rests", "  - { id: a, command: [echo], on_success: paused }\n"),
    });
    await made.pawl("run", "blueprint.yaml");
    expect(await one(made, "rests")).toMatchObject({
      kind: "paused",
      what: expect.stringContaining("where its blueprint says so"),
    });
  });

  it("says that the kill switch is pulled, and how it is released", async () => {
    const made = project({ "blueprint.yaml": blueprint("quiet", "  - { id: a, command: [echo] }\n") });
    await made.pawl("run", "blueprint.yaml");
    await made.pawl("kill", "--all", "--why", "it loops");
    expect(await one(made, "quiet")).toMatchObject({
      kind: "kill_switch",
      what: "the kill switch was pulled by tester: it loops",
      command: "pawl kill --release",
    });
    await made.pawl("kill", "--release");
    made.write("STATE.md", "# State\n\nloop-pause-all: true\n");
    expect(await one(made, "quiet")).toMatchObject({ kind: "kill_switch", command: null });
    made.write("STATE.md", "# State\n");
    expect(await one(made, "quiet")).toMatchObject({ kind: "finished" });
  });

  it("says that a breaker is open, as long as it is", async () => {
    const made = project({ "blueprint.yaml": blueprint("tries", "  - { id: a, command: [echo] }\n") });
    await made.pawl("run", "blueprint.yaml");
    const clock = createSystemClock();
    const store = await openSqliteStore({ dir: join(made.root, ".pawl"), clock, readOnly: false, acceptLoss: false });
    await store.breakers.park("loop:tries", clock.now() + 3_600_000, "it fails", clock.now());
    await store.breakers.park("loop:another", clock.now() + 3_600_000, "it fails too", clock.now());
    await store.close();
    const why = await one(made, "tries");
    expect(why).toMatchObject({ kind: "breaker_open", what: "the breaker of loop:tries is open: it fails" });
    expect(why).toHaveProperty("nextWake", expect.any(Number));
  });

  it("says that a run waits for its budget, which cap that is, and until when", async () => {
    const made = project({ "loop-budget.md": BUDGET.replace("| 2 |", "| 1 |"), "blueprint.yaml": RUNS });
    expect((await made.pawl("run", "blueprint.yaml")).code).toBe(0);
    await made.pawl("run", "blueprint.yaml", "--no-auto-resume");
    const why = await one(made, "daily-triage");
    expect(why).toMatchObject({
      kind: "awaiting_budget",
      what: expect.stringContaining("loop-budget.md:7:18"),
      command: `pawl resume ${why?.run}`,
    });
    const { stdout } = await made.pawl("why", "daily-triage");
    expect(stdout).toMatch(/next wake {2}\S+ 00:00:00 UTC, in /);
    expect((await made.pawl("budget")).stdout).toMatch(/1 runs a day +1 +0 +0 /);
  });

  it("says that a next run has nothing left to spend, and until when", async () => {
    const made = project({ "loop-budget.md": BUDGET, "blueprint.yaml": RUNS });
    await made.pawl("run", "blueprint.yaml");
    await spend(made, 100_000, 0);
    const { stdout } = await made.pawl("why", "daily-triage");
    expect(stdout).toContain("daily-triage  budget_spent");
    expect(stdout).toContain("the tokens/day of loop daily-triage (loop-budget.md:7:22)");
    expect(stdout).toMatch(/next wake {2}\S+ 00:00:00 UTC, in /);
  });
});

describe("pawl breakers", () => {
  it("shows what is left alone, since when and until when, and lets a person close it", async () => {
    const made = project({ "a.yaml": RUNS });
    expect((await made.pawl("breakers")).stdout).toBe("every breaker is closed: nothing is left alone\n");
    const clock = createSystemClock();
    const store = await openSqliteStore({ dir: join(made.root, ".pawl"), clock });
    const at = clock.now();
    await store.breakers.park("model:anthropic/m", at + 3_600_000, "429 rate_limit_error", at);
    const seen = await store.breakers.admit("action:git.push", BREAKER_RULES, at);
    if (seen.go) await store.breakers.report(seen.ticket, "failure", at);
    await store.close();
    const { stdout } = await made.pawl("breakers");
    expect(stdout).toMatch(/^target +state +since +next trial UTC +failures +why\n/);
    expect(stdout).toMatch(/model:anthropic\/m +parked +\S.*\d\d:\d\d:\d\d +0 +429 rate_limit_error/);
    expect(stdout).not.toContain("git.push");
    const all = (await made.json("breakers", "--all")).value as { breakers: { target: string; phase: string }[] };
    expect(all.breakers.map(({ target, phase }) => [target, phase])).toEqual([
      ["action:git.push", "closed"],
      ["model:anthropic/m", "open"],
    ]);
    const unknown = await made.pawl("breakers", "reset", "model:anthropic/n");
    expect([unknown.code, unknown.stderr.split("\n")[0]]).toEqual([3, "CLI_BREAKER_UNKNOWN"]);
    expect((await made.pawl("breakers", "reset")).code).toBe(3);
    made.env["PAWL_KEY"] = "of a stage";
    expect((await made.pawl("breakers", "reset", "model:anthropic/m")).stderr).toContain("CLI_BREAKER_RESET_REFUSED");
    delete made.env["PAWL_KEY"];
    const closed = await made.json("breakers", "reset", "model:anthropic/m");
    expect(closed).toEqual({ code: 0, value: { target: "model:anthropic/m", wasOpen: true } });
    expect((await made.json("breakers")).value).toEqual({ breakers: [] });
  });
});

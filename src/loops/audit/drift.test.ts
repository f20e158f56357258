import { describe, expect, it, test } from "vitest";
import { parseLoopBudget } from "../../blueprint/dialects/loop-budget.ts";
import { parseLoopFile } from "../../blueprint/dialects/loop-engineering/loop-file.ts";
import { parseStateFile } from "../../blueprint/dialects/loop-engineering/state-file.ts";
import { parseRegistry } from "../../blueprint/dialects/registry.ts";
import { parseProject } from "../../blueprint/project/parse-project.ts";
import { type DriftFacts, driftOf, patternOf } from "./drift.ts";

const NOW = Date.UTC(2026, 10, 16);
const pattern = (id: string, name: string, cadence: string, state: string, cap: string): string => `  - id: ${id}
    name: ${name}
    file: x.md
    goal: what this pattern is for
    cadence: ${cadence}
    risk: low
    tools: [codex]
    skills: [xx]
    state: ${state}
    phases: [aa, bb]
    human_gates: [cc]
${cap}`;
const COST =
  "    cost: { tokens_noop: 5000, tokens_report: 5000, tokens_action: 5000, suggested_daily_cap: 100000, early_exit_required: true }\n";
const REGISTRY = `patterns:\n${pattern("ci-sweeper", "CI Sweeper", "5m-15m", "ci-sweeper-state.md", COST)}${pattern("post-merge-cleanup", "Post-Merge Cleanup", "1d-6h", "post-merge-state.md", "")}`;
const read = parseRegistry(REGISTRY, "r.yaml", "strict");
const patterns = read.ok ? read.value : [];

function limitsOf(rows: string) {
  const text = `| Loop | Max runs/day | Max tokens/day |\n|-|-|-|\n${rows}\n`;
  const found = parseLoopBudget(text, "loop-budget.md", patterns);
  return found.ok ? found.value : [];
}

function projectOf(text: string) {
  const found = parseProject(text, "pawl.yaml");
  if (!found.ok) throw new Error(JSON.stringify(found.problems));
  return found.value;
}

const drift = (facts: Partial<DriftFacts>): readonly string[] =>
  driftOf({
    ...{ now: NOW, loopFile: null, patterns, project: null, limits: [], states: {}, blueprints: [] },
    ...facts,
  }).map(({ where, what }) => `${where}: ${what}`);

describe("drift between the files of loops", () => {
  test("I14: LOOP.md by itself: a loop that stands twice, what is no level, a state that is no file of the project", () => {
    const loopFile = parseLoopFile(`## Active Loops
### CI Sweeper (L2)
- State: ci-sweeper-state.md
### ci-sweeper (L1)
### Nobody (L9)
- State: ../outside.md
`);
    const states = { "ci-sweeper-state.md": parseStateFile("") };
    const project = projectOf("loops:\n  nobody: { blueprint: a.yaml, level: L1 }\n");
    const found = drift({ loopFile, states, project, blueprints: ["a.yaml"] });
    expect(found).toContain('LOOP.md:4: "ci-sweeper" stands on line 2 already; the lowest level counts');
    expect(found).toContain('LOOP.md:5: "Nobody" has "L9" here, which is no level');
    expect(found).toContain('LOOP.md:5: ../outside.md, the state of "Nobody", is no file of the project');
  });

  test("I14: LOOP.md and the registry: names, cadences, state files", () => {
    const loopFile = parseLoopFile(`## Active Loops
### CI Sweeper (L2)
- Cadence: 1h
- State: ci-sweeper-state.md
### Post-Merge (L1)
- Cadence: 1d
- State: cleanup.md
### Nobody
`);
    expect(drift({ loopFile })).toEqual([
      'LOOP.md:3: "CI Sweeper" runs every "1h"; the registry says 5m-15m (r.yaml:2)',
      'LOOP.md:2: ci-sweeper-state.md, the state of "CI Sweeper", is not there',
      'LOOP.md:5: the state of "Post-Merge" is cleanup.md here and post-merge-state.md in the registry (r.yaml:14)',
      'LOOP.md:8: "Nobody" is a loop here, and neither the registry nor pawl.yaml knows it',
    ]);
    expect(drift({ loopFile, patterns: null })).toEqual([
      'LOOP.md:2: ci-sweeper-state.md, the state of "CI Sweeper", is not there',
      'LOOP.md:5: cleanup.md, the state of "Post-Merge", is not there',
    ]);
  });

  test("I14: pawl.yaml against the registry and LOOP.md: patterns, levels, cadences", () => {
    const project = projectOf(`version: 1
loops:
  sweep: { pattern: ci-sweeper, level: L2, every: 1h }
  nightly: { blueprint: b.yaml, level: L1 }
  other: { pattern: nobody, level: L1, every: 5m }
`);
    const loopFile = parseLoopFile("## Active Loops\n### CI Sweeper (L1)\n### Nightly (L1)\n");
    expect(drift({ project, loopFile })).toEqual([
      'pawl.yaml:3: "sweep" has L2 here and L1 in LOOP.md:2',
      'pawl.yaml:3: "sweep" has another cadence than the registry: 5m-15m (r.yaml:2)',
      'pawl.yaml:5: the registry has no pattern "nobody"',
    ]);
    expect(drift({ project, patterns: null })).toEqual([]);
  });

  test("I14: limits of loops that are nobody's, or above what the registry suggests", () => {
    const limits = limitsOf(
      "| CI Sweeper | 96 | 200k |\n| Post-Merge | 1 | 200k |\n| Gone | 1 | - |\n| fix-tests | 1 | - |",
    );
    expect(drift({ limits, blueprints: ["fix-tests"] })).toEqual([
      'loop-budget.md:3: "ci-sweeper" may spend 200000 tokens a day here, and the registry suggests 100000 (r.yaml:13)',
      'loop-budget.md:5: the limit on runs is for "gone", and there is no such loop',
    ]);
    const names = limitsOf("| sweep | 1 | - |\n| nightly | 1 | - |\n| CI Sweeper | 1 | 100k |");
    const project = projectOf("version: 1\nloops:\n  sweep: { blueprint: b.yaml, level: L1 }\n");
    const loopFile = parseLoopFile("## Active Loops\n### Nightly\n");
    expect(drift({ limits: names, project, loopFile, patterns: null })).toEqual([
      'loop-budget.md:5: the limit on runs is for "ci-sweeper", and there is no such loop',
      'loop-budget.md:5: the limit on tokens is for "ci-sweeper", and there is no such loop',
    ]);
    expect(drift({ limits: limitsOf("| CI Sweeper | 1 | 100k |") })).toEqual([]);
  });

  test("I14: state of a loop that nobody names, or that has stopped", () => {
    const state = (lastRun: string) => ({ "ci-sweeper-state.md": parseStateFile(`# S\nLast run: ${lastRun}\n`) });
    const loopFile = parseLoopFile("## Active Loops\n### CI Sweeper\n");
    const stopped = 'ci-sweeper-state.md:2: "CI Sweeper" ran last 15 days ago, and should run every "5m-15m"';
    expect(drift({ states: state("2026-11-01"), loopFile })).toEqual([stopped]);
    expect(drift({ states: state("2026-11-15"), loopFile })).toEqual([]);
    expect(drift({ states: state("never"), loopFile })).toEqual([]);
    const slow = parseLoopFile("## Active Loops\n### CI Sweeper\n- Cadence: 1w\n");
    expect(drift({ states: state("2026-11-01"), loopFile: slow, patterns: patterns.slice(0, 1) })).toEqual([
      'LOOP.md:3: "CI Sweeper" runs every "1w"; the registry says 5m-15m (r.yaml:2)',
    ]);
    const project = projectOf("version: 1\nloops:\n  a: { pattern: ci-sweeper, level: L1 }\n");
    expect(drift({ states: state("2026-11-01"), project })).toEqual([stopped]);
    expect(drift({ states: state("2026-11-01") })).toEqual([]);
    const orphan = 'ci-sweeper-state.md:1: it is the state of "CI Sweeper", which neither LOOP.md nor pawl.yaml names';
    expect(
      drift({ states: state("2026-11-01"), loopFile: parseLoopFile("## Active Loops\n### Post-Merge\n") }),
    ).toEqual([orphan]);
    const others = projectOf("version: 1\nloops:\n  a: { blueprint: b.yaml, level: L1 }\n");
    expect(drift({ states: state("2026-11-01"), project: others })).toEqual([orphan]);
    expect(drift({ states: { "STATE.md": parseStateFile("") } })).toEqual([]);
  });

  it("says nothing where the files agree", () => {
    const loopFile = parseLoopFile(
      "## Active Loops\n### CI Sweeper (L2)\n- Cadence: 10m\n- State: ci-sweeper-state.md\n",
    );
    const states = { "ci-sweeper-state.md": parseStateFile("Last run: 2026-11-16\n") };
    const project = projectOf("version: 1\nloops:\n  sweep: { pattern: ci-sweeper, level: L2, every: 10m }\n");
    expect(drift({ loopFile, states, project, limits: limitsOf("| CI Sweeper | 96 | 50k |") })).toEqual([]);
  });
});

describe("the pattern of a name", () => {
  it("is found by its id, its name, or a short form that only one has", () => {
    expect(
      ["ci-sweeper", "CI Sweeper", "Post-Merge", "ci", "!", "x"].map((name) => patternOf(name, patterns)?.id),
    ).toEqual(["ci-sweeper", "ci-sweeper", "post-merge-cleanup", "ci-sweeper", undefined, undefined]);
  });
});

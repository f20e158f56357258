import { describe, expect, it } from "vitest";
import { findLoop, levelUnder, parseLoopFile } from "./loop-file.ts";

const HOUR = 3_600_000;
const LOOP = `# LOOP.md

## Active Loops

### Daily Triage (L1 — automated + report)
- Cadence: 1d weekdays (\`/.github/workflows/daily-triage.yml\`)
- Skill: \`loop-triage\` (from \`skills/\`)
- State: STATE.md (updated by workflow)
- Phase: Report-only.
- Handoff: Design decisions.

### PR Babysitter (L2 — assisted, manual trigger)
- Cadence: 10–15m during active hours
- Starter: \`starters/pr-babysitter\`
- Worktrees for suggested fixes

### CI Sweeper / Post-Merge (opportunistic)
- no fields

### Nightly
- Cadence: when it is dark

## Limits
- Max fix attempts per PR: 3
- Auto-merge: **disabled**

## Human Gates

- Security
text
- Auth
`;
const TABLE = `# Loop Configuration — CI Sweeper

| Pattern | Cadence | Status | Command |
|---|---|---|---|
| CI Sweeper | 5m (work hours) | L2 assisted | \`/loop 5m\` |
| | 1d | L3 | |
| Launch Monitor | 1w | watching |  |

| Loop | Level | Automation |
|---|---|---|
| Star History | L1 | daily |
`;

describe("LOOP.md", () => {
  it("says which loops there are, how often they run and at which level", () => {
    const { loops, sections, ...said } = parseLoopFile(LOOP);
    expect(loops).toEqual([
      {
        name: "Daily Triage",
        level: "L1",
        status: "automated + report",
        cadence: {
          written: "1d weekdays (`/.github/workflows/daily-triage.yml`)",
          ...{ fastestMs: 24 * HOUR, slowestMs: 24 * HOUR, line: 6 },
        },
        ...{ skill: "loop-triage", state: "STATE.md", phase: "Report-only.", handoff: "Design decisions." },
        ...{ starter: null, command: null, line: 5 },
      },
      {
        name: "PR Babysitter",
        level: "L2",
        status: "assisted, manual trigger",
        cadence: { written: "10–15m during active hours", fastestMs: HOUR / 6, slowestMs: HOUR / 4, line: 13 },
        ...{ skill: null, state: null, phase: null, handoff: null },
        ...{ starter: "starters/pr-babysitter", command: null, line: 12 },
      },
      {
        ...{ name: "CI Sweeper / Post-Merge", level: null, status: "opportunistic", cadence: null, skill: null },
        ...{ state: null, phase: null, handoff: null, starter: null, command: null, line: 17 },
      },
      {
        ...{ name: "Nightly", level: null, status: "", cadence: null, skill: null },
        ...{ state: null, phase: null, handoff: null, starter: null, command: null, line: 20 },
      },
    ]);
    expect(sections).toEqual(["Active Loops", "Limits", "Human Gates"]);
    expect(said).toEqual({ maxAttempts: 3, autoMerge: false, humanGates: ["Security", "Auth"] });
  });

  it("may be a table", () => {
    const { loops, maxAttempts, autoMerge } = parseLoopFile(TABLE);
    expect(
      loops.map(({ name, level, status, cadence, command, line }) => [
        name,
        level,
        status,
        cadence?.fastestMs,
        command,
        line,
      ]),
    ).toEqual([
      ["CI Sweeper", "L2", "assisted", HOUR / 12, "/loop 5m", 5],
      ["Launch Monitor", null, "watching", 168 * HOUR, null, 7],
    ]);
    expect([maxAttempts, autoMerge]).toEqual([null, null]);
    expect(parseLoopFile("## Limits\n- Auto-merge: enabled\n").autoMerge).toBe(true);
    expect(parseLoopFile("| Pattern | Cadence |\n|-|-|\n| A | 1h |\n").loops[0]).toMatchObject({
      level: null,
      status: "",
    });
  });

  it.each([
    ["6h–1d", 6 * HOUR, 24 * HOUR],
    ["1d-2h", 2 * HOUR, 24 * HOUR],
    ["6h + webhook reconciliation", 6 * HOUR, 6 * HOUR],
    ["every 15 minutes", HOUR / 4, HOUR / 4],
    ["0m", undefined, undefined],
    ["v1.5m", undefined, undefined],
    ["Weekdays 08:00", undefined, undefined],
  ])("reads the cadence %s", (written, fastestMs, slowestMs) => {
    const { loops } = parseLoopFile(`## Active Loops\n### X\n- Cadence: ${written}\n`);
    expect([loops[0]?.cadence?.fastestMs, loops[0]?.cadence?.slowestMs]).toEqual([fastestMs, slowestMs]);
  });

  it("never raises a level, and lowers it where it says so", () => {
    const at = (level: "L1" | "L3" | null) => ({ level });
    expect(levelUnder("L2", at("L3"))).toBe("L2");
    expect(levelUnder("L2", at("L1"))).toBe("L1");
    expect(levelUnder("L2", at(null))).toBe("L2");
    expect(levelUnder("L2", null)).toBe("L2");
  });

  it("has a loop by its id or its name", () => {
    const file = parseLoopFile(LOOP);
    expect(findLoop(file, "pr-babysitter")?.line).toBe(12);
    expect(findLoop(file, "x", "Daily Triage")?.line).toBe(5);
    expect(findLoop(file, "nobody")).toBeNull();
  });

  it("has the lowest level of a loop that stands there more than once, however it is written", () => {
    const levelOf = (...titles: readonly string[]) =>
      findLoop(parseLoopFile(`## Active Loops\n${titles.map((title) => `### ${title}\n`).join("")}`), "a")?.level;
    expect(levelOf("A (L3 — x)", "A (l1)", "A (L2)")).toBe("L1");
    expect(levelOf("A", "A (L2)", "A (paused)")).toBe("L2");
    expect(levelOf("A", "B (L1)")).toBeNull();
  });
});

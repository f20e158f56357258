import { describe, expect, it, test } from "vitest";
import { itemsOfRole, parseStateFile } from "./state-file.ts";
import { stateItemId } from "./state-item.ts";

const STATE = `# Loop State — shop

Last run: 2026-09-15T08:00:39Z (daily triage)
acting_on: #12

## High Priority (loop is acting or waiting on human)
<!-- - [ ] ID — one line -->
- [ ] #12 — the checkout test fails
  Loop action: fix proposed
  acting_on: worktree/12
  Attempts: 2/3
  Human decision: go on
- [x] DOCS-3 — a dead link
- [#587](https://example.org/587) **changes requested** — add \`src/[id].ts\`
  Human decision: pending

## Watch List

- flaky - the clock test, since 2026-09-01
- Loop Ready **100**
lazy text

## Recent Noise (ignored this run)
—
- —
- None.

## Post-Run Critique (from last run)
- Missed: 0
## Human Inbox
* [ ] ask ada

---
Run log: see loop-run-log.md
- [ ] below the rule — no item
`;

describe("a state file", () => {
  test("J10: what people and loops wrote is read back: items, decisions, attempts, who is at work", () => {
    const file = parseStateFile(STATE);
    const [checkout, docs, review] = itemsOfRole(file, "act");
    expect(checkout).toEqual({
      id: "#12",
      text: "the checkout test fails",
      written: "#12 — the checkout test fails",
      isDone: false,
      fields: [
        { name: "Loop action", value: "fix proposed", line: 9 },
        { name: "acting_on", value: "worktree/12", line: 10 },
        { name: "Attempts", value: "2/3", line: 11 },
        { name: "Human decision", value: "go on", line: 12 },
      ],
      humanDecision: "go on",
      loopAction: "fix proposed",
      actingOn: "worktree/12",
      attempts: { used: 2, most: 3 },
      line: 8,
      lastLine: 12,
      isHeading: false,
    });
    expect(docs).toMatchObject({ id: "DOCS-3", text: "a dead link", isDone: true, fields: [], attempts: null });
    expect(review).toMatchObject({ id: "#587", text: "changes requested — add `src/[id].ts`", humanDecision: null });
    expect(file).toMatchObject({ lastRun: Date.UTC(2026, 8, 15, 8, 0, 39), lastRunLine: 3, actingOn: ["#12"] });
  });

  it("knows its sections by how their headings begin", () => {
    const { sections } = parseStateFile(STATE);
    expect(sections.map(({ role, line, items }) => [role, line, items.map(({ id }) => id)])).toEqual([
      ["act", 6, ["#12", "DOCS-3", "#587"]],
      ["watch", 17, ["flaky", "Loop Ready 100"]],
      ["noise", 23, []],
      ["other", 28, []],
      ["human", 30, ["ask ada"]],
    ]);
    expect(itemsOfRole(parseStateFile(STATE), "watch", "human").map(({ text }) => text)).toEqual([
      "the clock test, since 2026-09-01",
      "",
      "",
    ]);
  });

  it.each([
    ["Watched PRs", "act"],
    ["Active Failures", "act"],
    ["In-flight updates", "act"],
    ["Active lease", "act"],
    ["HIGH PRIORITY", "act"],
    ["Watch (flakes / infra)", "watch"],
    ["Escalated (human required)", "human"],
    ["Human required", "human"],
    ["Resolved (last 7d)", "resolved"],
    ["Watching birds", "other"],
    ["Project Context", "other"],
  ])("takes items below %s as %s", (title, role) => {
    expect(parseStateFile(`## ${title}\n`).sections[0]?.role).toBe(role);
  });

  it("reads items that are headings, with their lists as fields", () => {
    const text = `## Active Failures

### main @ abc1234 — unit-tests / parses empty input
- Check: https://example.org/1
- Attempts: 0 / 3

### release @ def5678 — login
## Resolved (last 7d)
###
`;
    const [first, second] = itemsOfRole(parseStateFile(text), "act");
    expect(first).toMatchObject({
      id: "main @ abc1234",
      text: "unit-tests / parses empty input",
      attempts: { used: 0, most: 3 },
      line: 3,
      lastLine: 5,
      isHeading: true,
    });
    expect(second).toMatchObject({ id: "release @ def5678", line: 7, lastLine: 7 });
    expect(itemsOfRole(parseStateFile(text), "resolved")).toEqual([]);
  });

  it("sees no item in code and comments, and none in what is said to all loops", () => {
    const text =
      "## High Priority\n```\n- a\n```\n<!--\n- b\n-->\n- acting_on: #9\n- loop-pause-all: true\n- acting_on: none\n# New\n- c\n";
    const file = parseStateFile(text);
    expect(file.sections[0]?.items).toEqual([]);
    expect(file).toMatchObject({ actingOn: ["#9"], pausedBy: 9, lastRun: null, lastRunLine: null });
  });

  it("says nothing of a last run that never was, or that it cannot read", () => {
    expect(parseStateFile("**Last run:** never\n")).toMatchObject({ lastRun: null, lastRunLine: 1 });
    expect(parseStateFile("")).toEqual({
      lastRun: null,
      lastRunLine: null,
      sections: [],
      actingOn: [],
      pausedBy: null,
    });
  });
});

describe("the id of an item", () => {
  it.each([
    ["#12", "#12"],
    ["#12 (fix-login)", "#12"],
    ["#12x", "#12x"],
    ["[#587](https://example.org)", "#587"],
    ["[[x](y)](z)", "x(z)"],
    ["a — b", "a"],
    ["a - b", "a"],
    ["two words - b", "two words - b"],
    ["a –", "a"],
    ["**bold** `code`", "bold code"],
    ["***", "—"],
    ["", "—"],
    ["<!-*- x", "<! -- x"],
    ["x".repeat(200), `${"x".repeat(119)}…`],
  ])("of %j is %j, and is its own id", (about, id) => {
    expect(stateItemId(about)).toBe(id);
    expect(stateItemId(id)).toBe(id);
  });

  it("that was cut leaves the text whole", () => {
    const [item] = itemsOfRole(parseStateFile(`## High Priority\n- ${"x".repeat(200)} — why\n`), "act");
    expect(item?.text).toBe(`${"x".repeat(200)} — why`);
  });
});

/** Whatever stands in a file, a loop changes what is its own there and not a byte besides. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { assertProperty } from "../../../../test/support/property.ts";
import { pausesAll } from "../../../limits/kill/pauses-all.ts";
import { editStateFile, type LoopField, type StateEdit } from "./edit-state.ts";
import { appendRunLog, parseRunLog, type RunLogEntry } from "./run-log.ts";
import { type ItemRole, itemsOfRole, parseStateFile, type StateFile } from "./state-file.ts";
import { stateItemId } from "./state-item.ts";

const ROLES: readonly ItemRole[] = ["act", "watch", "noise", "human", "resolved"];
const NOW = Date.UTC(2026, 10, 16);
const RUNS = { runs: 300 };

const ID = fc.constantFrom("#12", "a", "main @ abc", "a - b", "[x](y)", "—", "x\n- [x] y", "<!--", "```");
const LINE = fc.oneof(
  fc.constantFrom(
    ...["# Loop State — x", "## High Priority (loop is acting)", "## high priority <!-- c -->", "## Watch List"],
    ...["## Recent Noise", "## Human Inbox", "## Resolved (last 7d)", "## Project Context", "##", "### main @ abc — y"],
    // Of the patterns: pull requests, failures of CI, dependencies, repairs.
    ...["## Watched PRs", "## Escalated (human required)", "## Active Failures", "## Watch (flakes / infra)"],
    ...["## In-flight", "## Active lease", "- #12 (feature/x)", "  Checks: green", "  Ready to merge: no — wait"],
    ...["  Required-check policy: all", "  Reviews: 1 approval", "  Mergeability: clean", "  Last action: rebased"],
    ...[
      "- [ ] #12 — text",
      "- [x] #12 — done",
      "- #12 (branch)",
      "* [#12](u) **x** — y",
      "- a",
      "- —",
      "None.",
      "+ b - c",
    ],
    ...["  Loop action: x", "  Human decision: go on", "  Attempts: 1/3", "  acting_on: a", "\tSeen: 2026-11-01"],
    ...["- Human decision: no", "  Loop action:", "  Loop action: a <!-- b --> c", "  Status: <!-- open", "  words"],
    ...["Last run: never", "**Last run:** 2026-01-01 (x)", "Run log: —", "---", "", " ", "acting_on: #12"],
    ...[
      "loop-pause-all: true",
      "`loop-pause-all: true`",
      "<!--",
      "-->",
      "<!-- a --> b",
      "```",
      "````md",
      "~~~",
      "   ```",
    ],
    ...[
      "<!-- Loop appends below this line -->",
      "## Recent Runs",
      '{"torn',
      "{}",
      "| a | b |",
      "\u200B",
      "äöü 毎日 🙂",
    ],
    ...[60, 20, 1].map((days) => `{"run_id":"${new Date(NOW - days * 86_400_000).toISOString()}","pattern":"x","a":1}`),
    ...['{"run_id":"nightly","pattern":"x"}', '{ "run_id": "2020-01-01", "pattern": "x" }'],
  ),
  fc.string({ maxLength: 12 }),
  fc.constantFrom(" ".repeat(5000), "#".repeat(5000), "- ".repeat(3000), "x".repeat(9000), "<!--".repeat(2000)),
);
const TEXT = fc
  .tuple(
    fc.constantFrom("", "\uFEFF"),
    fc.array(fc.tuple(LINE, fc.constantFrom("\n", "\n", "\r\n", "\r")), { maxLength: 30 }),
    fc.oneof(fc.constant(""), LINE),
  )
  .map(([mark, lines, last]) => `${mark}${lines.map(([line, end]) => `${line}${end}`).join("")}${last}`);
const WORDS = fc.oneof(ID, LINE, fc.string());
const FIELD = fc.constantFrom<LoopField>("Loop action", "Last action", "Attempts", "acting_on", "Status");

/** What people have said: decisions and ticked boxes of every item. */
function saidByPeople(file: StateFile, but: string): readonly unknown[] {
  return itemsOfRole(file, ...ROLES)
    .filter(({ id, isDone, humanDecision }) => (isDone || humanDecision !== null) && (id !== but || isDone))
    .map(({ id, isDone, humanDecision }) => [id, isDone, humanDecision]);
}

/** The part of `before` that is not in `after`, and what came in its place. */
function changed(before: string, after: string) {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let tail = 0;
  const most = Math.min(before.length, after.length) - start;
  while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { start, gone: before.slice(start, before.length - tail), come: after.slice(start, after.length - tail) };
}

function lineAt(text: string, at: number): string {
  const before = Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;
  return (text.slice(before).split(/[\r\n]/, 1)[0] as string).replace(/^\uFEFF/, "");
}

describe("whatever stands in a state file", () => {
  test("J10: a new item is only ever added, is found again, and nobody else's words change", () => {
    assertProperty(
      fc.property(TEXT, fc.constantFrom(...ROLES), ID, WORDS, WORDS, (before, role, id, text, action) => {
        const known = itemsOfRole(parseStateFile(before), role);
        if (known.some((each) => each.id === stateItemId(id) && !each.isDone)) return;
        const edit: StateEdit = { kind: "put", role, id, text, at: NOW, fields: { "Loop action": action } };
        const after = editStateFile(before, edit);
        expect(changed(before, after).gone).toBe("");
        const file = parseStateFile(after);
        const mine = itemsOfRole(file, role).filter((each) => each.id === stateItemId(id) && !each.isDone);
        expect(mine).toMatchObject([{ humanDecision: null, fields: [{ name: "Loop action" }, { name: "Seen" }] }]);
        expect(saidByPeople(file, stateItemId(id))).toEqual(saidByPeople(parseStateFile(before), stateItemId(id)));
        expect(pausesAll(after) === null).toBe(pausesAll(before) === null);
        expect(editStateFile(after, edit)).toBe(after);
      }),
      RUNS,
    );
  });

  test("J10: a field is set in its own line, or added as one, and no decision of a person changes", () => {
    assertProperty(
      fc.property(TEXT, ID, FIELD, WORDS, (before, id, field, value) => {
        const after = editStateFile(before, { kind: "set", id, fields: { [field]: value } });
        const { start, gone } = changed(before, after);
        if (gone !== "") {
          expect(gone).not.toMatch(/[\r\n]/);
          expect(lineAt(before, start).toLowerCase()).toContain(field.toLowerCase());
        }
        expect(saidByPeople(parseStateFile(after), "")).toEqual(saidByPeople(parseStateFile(before), ""));
        expect(pausesAll(after) === null).toBe(pausesAll(before) === null);
        expect(editStateFile(after, { kind: "set", id, fields: { [field]: value } })).toBe(after);
      }),
      RUNS,
    );
  });

  test("J10: a run is told in its own line", () => {
    assertProperty(
      fc.property(TEXT, WORDS, (before, note) => {
        const after = editStateFile(before, { kind: "last_run", at: NOW, note });
        const { start, gone } = changed(before, after);
        if (gone !== "") expect(lineAt(before, start)).toMatch(/last run/i);
        expect(gone).not.toMatch(/[\r\n]/);
        expect(parseStateFile(after).lastRun).toBe(NOW);
        expect(saidByPeople(parseStateFile(after), "")).toEqual(saidByPeople(parseStateFile(before), ""));
        expect(pausesAll(after) === null).toBe(pausesAll(before) === null);
      }),
      RUNS,
    );
  });

  test("J10: what is dropped was put there by a loop, and what was put there can be dropped", () => {
    assertProperty(
      fc.property(TEXT, fc.constantFrom(...ROLES), ID, WORDS, (before, role, id, text) => {
        const dropped = editStateFile(before, { kind: "drop", role, id });
        const { gone, come } = changed(before, dropped);
        expect(come).toBe("");
        expect(gone).not.toMatch(/human decision|<!--|words|\[x\]/i);
        const items = itemsOfRole(parseStateFile(before), role);
        if (items.some((each) => each.id === stateItemId(id) && !each.isDone)) return;
        const put = editStateFile(before, { kind: "put", role, id, text, at: NOW });
        const again = itemsOfRole(parseStateFile(editStateFile(put, { kind: "drop", role, id })), role);
        expect(again.map((each) => each.id)).toEqual(items.map((each) => each.id));
      }),
      RUNS,
    );
  });
});

const ENTRY = fc.record({
  runId: fc.constantFrom("2026-11-16T00:00:00Z", "2026-11-15", "nightly"),
  pattern: WORDS,
  durationS: fc.nat(),
  itemsFound: fc.nat(),
  actionsTaken: fc.nat(),
  escalations: fc.nat(),
  tokensEstimate: fc.nat(),
  outcome: WORDS,
  extra: fc.dictionary(fc.constantFrom("note", "a", "pattern"), WORDS, { maxKeys: 2, noNullPrototype: true }),
});

/** Lines with their breaks. */
function linesOf(text: string): readonly string[] {
  return text.replace(/^\uFEFF/, "").match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? [];
}

describe("whatever stands in a run log", () => {
  test("J11: one line is added, old entries go, and every other line keeps its bytes and its place", () => {
    assertProperty(
      fc.property(TEXT, ENTRY, (before, entry: RunLogEntry) => {
        const after = appendRunLog(before, entry, NOW);
        const old = new Set(
          parseRunLog(before).entries.flatMap(({ runId, line }) => (/^20(?:20|26-09)/.test(runId) ? [line] : [])),
        );
        const kept = linesOf(before).filter((_, index) => !old.has(index + 1));
        const left = [...linesOf(after)];
        for (const line of kept) {
          const at = left.findIndex((each) => each === line || each.replace(/[\r\n]+$/, "") === line);
          expect(at).toBeGreaterThan(-1);
          left.splice(0, at + 1);
        }
        const same = parseRunLog(after).entries.filter(
          (each) => each.runId === entry.runId && each.pattern === entry.pattern,
        );
        expect(same.length).toBeGreaterThan(0);
        expect(after.startsWith("\uFEFF")).toBe(before.startsWith("\uFEFF"));
        expect(appendRunLog(after, entry, NOW)).toBe(after);
        expect(pausesAll(after) === null).toBe(pausesAll(before) === null);
      }),
      { ...RUNS, failedSeeds: [-625_669_494] },
    );
  });
});

/** Ticks over state files that people have edited in every way: what is not the loop's keeps its bytes and its place. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assertProperty } from "../../../test/support/property.ts";
import { pausesAll } from "../../limits/kill/pauses-all.ts";
import { lookAround } from "./found.ts";
import { recordRun, recordState, TICK_ENDS, type TickRecord } from "./recorded.ts";

const NOW = Date.UTC(2026, 10, 16, 14, 5, 9);
const TOKENS = { noop: 10, report: 200, action: 3000 };

/** The state files of the patterns, as loop-engineering ships them. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  "daily-triage": [
    ...[
      "# Loop State — shop",
      "",
      "Last run: never (begin)",
      "",
      "## High Priority (loop is acting or waiting on human)",
    ],
    ...[
      "- [ ] #7 — Add well",
      "  Loop action: none",
      "  Human decision: go on",
      "- [x] #8 — done",
      "",
      "## Watch List",
    ],
    ...[
      "- #9 — a flake",
      "",
      "## Recent Noise (ignored this run)",
      "—",
      "",
      "## Human Inbox",
      "<!-- format: id — text -->",
    ],
    ...["", "---", "Run log: loop-run-log.md"],
  ],
  "pr-babysitter": [
    ...["# PR Babysitter State", "", "Last run: 2026-11-01T00:00:00Z (ok)", "", "## Watched PRs", "- #7 (feature/add)"],
    ...["  Checks: red", "  Required-check policy: all", "  Reviews: 1 of 2", "  Mergeability: clean"],
    ...["  Ready to merge: no", "  Attempts: 2/3", "  Last action: rebased", "  Human decision: —", ""],
    ...["## Escalated (human required)", "None.", "", "## Resolved (last 7d)", "- #6 (feature/old)"],
  ],
  "ci-sweeper": [
    ...["# CI Sweeper State", "Last run: never", "## Active Failures", "- [ ] #7 — test/add fails", "  acting_on: #7"],
    ...[
      "## Watch (flakes / infra)",
      "- #9 — slow runner",
      "## Resolved (last 7d)",
      "## Notes of Ann",
      "```",
      "- [ ] #7",
      "```",
    ],
  ],
  "dependency-sweeper": [
    "# Dependency State",
    "Last run: never",
    "## In-flight",
    "- #7 — left-pad 1 → 2",
    "  Attempts: 1/3",
  ],
  "issue-pr-repair": [
    "# Repair State",
    "",
    "Last run: never",
    "",
    "## Active lease",
    "- #7 — held until noon",
    "| a | b |",
  ],
};

const FOREIGN = fc.oneof(
  fc.constantFrom(
    "words of Ann",
    "<!-- a hint -->",
    "<!--",
    "-->",
    "```",
    "~~~~",
    "| a | b |",
    "äöü 毎日 🙂",
    "\t",
    "> quoted",
  ),
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, " ")),
);
type Lines = readonly string[];
/** One edit of a person: a line goes, comes, is doubled, or changes places with the one before. */
const EDIT = fc
  .tuple(fc.constantFrom("drop", "add", "double", "swap"), fc.nat(40), FOREIGN)
  .map(([kind, at, text]) => (lines: Lines): Lines => {
    const place = Math.min(at, Math.max(0, lines.length - 1));
    const [before, here, after] = [lines.slice(0, place), lines.slice(place, place + 1), lines.slice(place + 1)];
    if (kind === "drop") return [...before, ...after];
    if (kind === "add") return [...before, text, ...here, ...after];
    if (kind === "double") return [...before, ...here, ...here, ...after];
    return [...before.slice(0, -1), ...here, ...before.slice(-1), ...after];
  });
const edited = (lines: Lines) =>
  fc
    .tuple(fc.array(EDIT, { maxLength: 8 }), fc.constantFrom("\n", "\r\n"), fc.constantFrom("", "\uFEFF"), fc.boolean())
    .map(([edits, end, mark, isWhole]) => {
      const text = edits.reduce<Lines>((given, edit) => edit(given), lines).join(end);
      return `${mark}${text}${isWhole ? end : ""}`;
    });

/** Lines that a loop may change: its own fields, and when it last ran. */
const OWN = /last run|loop action|last action|attempts|acting_on|status|seen/i;
const RUNS = { runs: 150 };

function foreignLines(text: string): Lines {
  return text
    .replace(/^\uFEFF/, "")
    .split(/(?<=\n)|(?<=\r)(?!\n)/)
    .filter((line) => line !== "" && !OWN.test(line));
}

/** Whether all of them are among the others, in their order; the last one may have got a line end. */
function isWithin(wanted: Lines, lines: Lines): boolean {
  let at = 0;
  return wanted.every((line) => {
    const found = lines.findIndex(
      (each, index) => index >= at && (each === line || each.replace(/[\r\n]+$/, "") === line),
    );
    at = found + 1;
    return found >= 0;
  });
}

const NO_TEXTS = { pattern: "x", state: "", constraints: "", log: "" };

describe("the files of a tick", () => {
  it.each(Object.entries(STATES))(
    "J10: %s: foreign lines keep their bytes and their order, whatever the end",
    (pattern, lines) => {
      const triage = fc.record({
        outcome: fc.constantFrom("act", "report", "noop"),
        item: fc.constantFrom("#7", "#9", "#10", ""),
        title: FOREIGN,
        why: FOREIGN,
      });
      assertProperty(
        fc.property(edited(lines), triage, fc.constantFrom(...TICK_ENDS), (before, said, end) => {
          const found = lookAround({ ...NO_TEXTS, pattern, state: before }, null, NOW, new Set());
          const record: TickRecord = { pattern, run: "r_1", end, found, triage: said, tokens: TOKENS };
          const after = recordState(before, record, "shop");
          expect(isWithin(foreignLines(before), foreignLines(after))).toBe(true);
          expect(after.startsWith("\uFEFF")).toBe(before.startsWith("\uFEFF"));
          expect(pausesAll(after) === null).toBe(pausesAll(before) === null);
          expect(recordState(after, record, "shop")).toBe(after);
        }),
        RUNS,
      );
    },
  );

  it("J10: an item that somebody has put back among the resolved is written down for a person once", () => {
    const before = "# S\n## Active Failures\n## Resolved (last 7d)\n- #9 — slow runner\n## Notes of Ann\n";
    const triage = { outcome: "act", item: "#9", title: "slow", why: "again" } as const;
    const found = lookAround({ ...NO_TEXTS, pattern: "ci-sweeper", state: before }, null, NOW, new Set());
    const record: TickRecord = { pattern: "ci-sweeper", run: "r_1", end: "escalated", found, triage, tokens: TOKENS };
    const after = recordState(before, record, "shop");
    expect(recordState(after, record, "shop")).toBe(after);
  });

  it("J11: the run log of people keeps its lines, and gets one more", () => {
    const log = [
      ...[
        "# Loop run log",
        "",
        "```json",
        "{",
        '  "run_id": "x"',
        "}",
        "```",
        "",
        "## Recent Runs",
        "<!-- Loop appends below this line -->",
      ],
      ...['{"run_id":"2026-11-15T00:00:00Z","pattern":"x","note":"kept"}', "by hand", '{"torn'],
    ];
    assertProperty(
      fc.property(edited(log), fc.constantFrom(...TICK_ENDS), (before, end) => {
        const found = lookAround({ ...NO_TEXTS, log: before }, null, NOW, new Set());
        const record: TickRecord = { pattern: "x", run: "r_1", end, found, triage: null, tokens: TOKENS };
        const after = recordRun(before, record, NOW);
        expect(isWithin(foreignLines(before), foreignLines(after))).toBe(true);
        expect(recordRun(after, record, NOW)).toBe(after);
      }),
      RUNS,
    );
  });
});

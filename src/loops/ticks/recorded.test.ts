import { describe, expect, it } from "vitest";
import { parseRunLog } from "../../blueprint/dialects/loop-engineering/run-log.ts";
import type { Found, FoundItem, Triage } from "./found.ts";
import { loggedRuns, outcomeOf, recordRun, recordState, TICK_ENDS, type TickEnd, type TickRecord } from "./recorded.ts";

const AT = Date.UTC(2026, 10, 16, 14, 5, 9);
const NOTHING: Found = { at: AT, items: [], stale: [], constraints: [], halted: null };
const ITEM: FoundItem = {
  id: "#12",
  text: "flaky login test",
  role: "act",
  attempts: 0,
  decision: null,
  action: null,
  earlier: [],
};
const TRIAGE: Triage = { outcome: "act", item: "#12", title: "flaky login test", why: "it fails every night" };
const NOOP: Triage = { ...TRIAGE, outcome: "noop" };
const TOKENS = { noop: 10, report: 200, action: 3000 };

const tick = (end: TickEnd, more: Partial<TickRecord> = {}): TickRecord => ({
  ...{ pattern: "ci-sweeper", run: "r_1", end, found: NOTHING, triage: TRIAGE, tokens: TOKENS },
  ...more,
});
const tried = (attempts: number, ...others: readonly FoundItem[]): Partial<TickRecord> => ({
  found: { ...NOTHING, items: [...others, { ...ITEM, attempts }] },
});

describe("the outcome of a tick", () => {
  it("is nothing where it was halted, with the reason that was found if there is one", () => {
    const halted = "budget: 5 of 5 tokens spent today";
    expect(outcomeOf(tick("halted", { found: { ...NOTHING, halted }, triage: null }))).toEqual({
      outcome: "no-op",
      note: halted,
      tokens: 0,
    });
    expect(outcomeOf(tick("halted"))).toEqual({ outcome: "no-op", note: "halted", tokens: 0 });
  });

  it("is nothing where an agent gave up, at the price of a report", () => {
    const note = "an agent could not do its task";
    expect(outcomeOf(tick("gave_up"))).toEqual({ outcome: "no-op", note, tokens: 200 });
  });

  it("is nothing where triage saw nothing, and else a report with what triage said", () => {
    expect(outcomeOf(tick("looked", { triage: NOOP }))).toEqual({ outcome: "no-op", note: null, tokens: 10 });
    const report = { outcome: "report-only", note: null, tokens: 200 };
    expect(outcomeOf(tick("looked"))).toEqual({ ...report, note: "it fails every night" });
    expect(outcomeOf(tick("looked", { triage: { outcome: "act" } }))).toEqual(report);
    expect(outcomeOf(tick("looked", { triage: null }))).toEqual(report);
  });

  it("is a report after the first two rejections, and hands the item to a person after the third", () => {
    const rejected = { outcome: "report-only", note: "verifier rejected", tokens: 3000 };
    expect(outcomeOf(tick("rejected"))).toEqual(rejected);
    expect(outcomeOf(tick("rejected", tried(1)))).toEqual(rejected);
    expect(outcomeOf(tick("rejected", tried(2)))).toEqual({
      ...rejected,
      outcome: "escalated",
      note: "rejected 3 times",
    });
    expect(outcomeOf(tick("rejected", tried(4)))).toEqual({
      ...rejected,
      outcome: "escalated",
      note: "rejected 5 times",
    });
  });

  it("counts the attempts at its own item only, by the most that one of its entries says", () => {
    const rejected = { outcome: "report-only", note: "verifier rejected", tokens: 3000 };
    expect(outcomeOf(tick("rejected", tried(0, { ...ITEM, id: "#9", attempts: 7 })))).toEqual(rejected);
    expect(outcomeOf(tick("rejected", { ...tried(7), triage: null }))).toEqual(rejected);
    expect(outcomeOf(tick("rejected", { ...tried(7), triage: { outcome: "act", item: "  " } }))).toEqual(rejected);
    const twice = tick("rejected", tried(0, { ...ITEM, role: "watch", attempts: 2 }));
    expect(outcomeOf(twice)).toEqual({ ...rejected, outcome: "escalated", note: "rejected 3 times" });
  });

  it("is a question to a person where it escalated, with what triage said", () => {
    const escalated = { outcome: "escalated", note: null, tokens: 3000 };
    expect(outcomeOf(tick("escalated"))).toEqual({ ...escalated, note: "it fails every night" });
    expect(outcomeOf(tick("escalated", { triage: { outcome: "act" } }))).toEqual(escalated);
    expect(outcomeOf(tick("escalated", { triage: null }))).toEqual(escalated);
  });

  it("is a fix where one was proposed or merged", () => {
    expect(outcomeOf(tick("proposed"))).toEqual({ outcome: "fix-proposed", note: null, tokens: 3000 });
    expect(outcomeOf(tick("merged"))).toEqual({ outcome: "fix-proposed", note: "merged", tokens: 3000 });
  });
});

const page = (said: string, act: string, more = ""): string =>
  `# Loop State — shop

Last run: ${said}

## High Priority (loop is acting or waiting on human)
${act}
## Watch List

## Recent Noise (ignored this run)

${more}---
Run log: see loop-run-log.md
`;
const RAN = "2026-11-16T14:05:09Z";
const FLAKY = "- [ ] #12 — flaky login test\n";
const state = (text: string | null, record: TickRecord): string => recordState(text, record, "shop");

describe("the state file after a tick", () => {
  it("is begun where there is none, with the item of the tick", () => {
    const put = `${FLAKY}  Loop action: fix-proposed (r_1)\n  Seen: 2026-11-16\n`;
    expect(state(null, tick("proposed"))).toBe(page(`${RAN} (fix-proposed)`, put));
    const unnamed = `- [ ] #12 — #12\n  Loop action: fix-proposed (r_1)\n  Seen: 2026-11-16\n`;
    expect(state(null, tick("merged", { triage: { outcome: "act", item: " #12 " } }))).toBe(
      page(`${RAN} (fix-proposed: merged)`, unnamed),
    );
  });

  it("says only when and how the tick ran, where it did nothing about an item", () => {
    const before = page("never", FLAKY);
    const ran = (said: string): string => page(`${RAN} (${said})`, FLAKY);
    expect(state(before, tick("halted"))).toBe(ran("no-op: halted"));
    expect(state(before, tick("gave_up"))).toBe(ran("no-op: an agent could not do its task"));
    expect(state(before, tick("looked", { triage: NOOP }))).toBe(ran("no-op"));
    expect(state(before, tick("looked", { triage: null }))).toBe(ran("report-only"));
    expect(state(before, tick("proposed", { triage: { outcome: "act" } }))).toBe(ran("fix-proposed"));
    expect(state(before, tick("proposed", { triage: { outcome: "act", item: " " } }))).toBe(ran("fix-proposed"));
  });

  it("says at an item that is there what was done about it, and keeps its words", () => {
    const own = "- [ ] #12 — the words of a person\n  Human decision: go on\n";
    expect(state(page("never", own), tick("looked"))).toBe(
      page(`${RAN} (report-only: it fails every night)`, `${own}  Loop action: report-only (r_1)\n`),
    );
  });

  it("has a new item beside one that is ticked off, or that is about something else", () => {
    const others = "- [x] #12 — flaky login test\n- [ ] #9 — slow build\n";
    const put = `${others}${FLAKY}  Loop action: fix-proposed (r_1)\n  Seen: 2026-11-16\n`;
    expect(state(page("never", others), tick("proposed"))).toBe(page(`${RAN} (fix-proposed)`, put));
  });

  it("counts a rejection", () => {
    const rejected = `${FLAKY}  Loop action: report-only (r_1)\n  Attempts: 2/3\n`;
    expect(state(page("never", FLAKY), tick("rejected", tried(1)))).toBe(
      page(`${RAN} (report-only: verifier rejected)`, rejected),
    );
  });

  it("hands an item to a person after the third rejection, and says so where the item stood", () => {
    const fields = "  Loop action: escalated (r_1)\n  Attempts: 3/3\n";
    const inbox = `## Human Inbox\n${FLAKY}${fields}  Seen: 2026-11-16\n\n`;
    expect(state(page("never", FLAKY), tick("rejected", tried(2)))).toBe(
      page(`${RAN} (escalated: rejected 3 times)`, `${FLAKY}${fields}`, inbox),
    );
  });

  it("hands an item to a person that stood nowhere", () => {
    const inbox = `## Human Inbox\n${FLAKY}  Loop action: escalated (r_1)\n  Seen: 2026-11-16\n\n`;
    expect(state(page("never", "\n"), tick("escalated"))).toBe(
      page(`${RAN} (escalated: it fails every night)`, "\n", inbox),
    );
  });

  it.each(TICK_ENDS)("stays as it is when a tick that ended as %s is recorded again", (end) => {
    for (const before of [null, page("never", FLAKY)]) {
      const once = state(before, tick(end, tried(2)));
      expect(state(once, tick(end, tried(2)))).toBe(once);
    }
  });
});

const ENTRY = {
  runId: RAN,
  pattern: "ci-sweeper",
  durationS: 3,
  itemsFound: 0,
  actionsTaken: 0,
  escalations: 0,
  tokensEstimate: 3000,
  outcome: "fix-proposed",
  extra: { run: "r_1", item: "#12" },
  line: 8,
};
const logged = (record: TickRecord, now = AT + 2_600) => parseRunLog(recordRun("", record, now));

describe("the run log after a tick", () => {
  it("has one more entry, which counts a fix as an action", () => {
    expect(logged(tick("proposed"))).toEqual({ entries: [{ ...ENTRY, actionsTaken: 1 }], unreadable: [] });
    expect(logged(tick("merged", tried(0)))).toEqual({
      entries: [{ ...ENTRY, itemsFound: 1, actionsTaken: 1, extra: { ...ENTRY.extra, note: "merged" } }],
      unreadable: [],
    });
  });

  it("counts what is handed to a person", () => {
    const extra = { ...ENTRY.extra, note: "rejected 3 times" };
    expect(logged(tick("rejected", tried(2)))).toEqual({
      entries: [{ ...ENTRY, itemsFound: 1, escalations: 1, outcome: "escalated", extra }],
      unreadable: [],
    });
  });

  it("names no item where triage named none", () => {
    expect(logged(tick("looked", { triage: { outcome: "noop" } }))).toEqual({
      entries: [{ ...ENTRY, tokensEstimate: 10, outcome: "no-op", extra: { run: "r_1" } }],
      unreadable: [],
    });
  });

  it("keeps the first 500 characters of a note, and no duration below zero", () => {
    const triage = { ...TRIAGE, why: `${"a".repeat(500)}b` };
    const extra = { ...ENTRY.extra, note: "a".repeat(500) };
    expect(logged(tick("looked", { triage }), AT - 5_000)).toEqual({
      entries: [{ ...ENTRY, durationS: 0, tokensEstimate: 200, outcome: "report-only", extra }],
      unreadable: [],
    });
  });

  it("has an entry of each run, and stays as it is when one is recorded again", () => {
    const first = recordRun("", tick("proposed"), AT + 2_600);
    expect(recordRun(first, tick("proposed"), AT + 9_000)).toBe(first);
    const second = recordRun(first, tick("proposed", { run: "r_2" }), AT + 2_600);
    const entry = { ...ENTRY, actionsTaken: 1 };
    expect(parseRunLog(second)).toEqual({
      entries: [entry, { ...entry, extra: { run: "r_2", item: "#12" }, line: 9 }],
      unreadable: [],
    });
  });
});

describe("the runs of a log", () => {
  it("are those whose entries name one", () => {
    const other = '{"run_id":"2026-11-16T14:05:09Z","pattern":"x","outcome":"success","run":7}\n';
    const text = recordRun(`<!-- Loop appends below this line -->\n${other}`, tick("proposed"), AT);
    expect(loggedRuns(text)).toEqual(new Set(["r_1"]));
    expect(loggedRuns("")).toEqual(new Set());
  });
});

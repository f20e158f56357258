import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { type Found, lookAround, refusalOf, type Spent } from "./found.ts";

const NOW = Date.UTC(2026, 10, 16);
const NOTHING: Found = { at: NOW, items: [], stale: [], constraints: [], halted: null };
const UNTOUCHED = { action: null, earlier: [] };
const PAUSED = "loop-pause-all: true\n";
const STATE = `## Human Inbox
- [ ] #6 — which licence
## Watch List
- flaky login — seen 2026-09-01
## High Priority
- [ ] #1 — the build is red
  Attempts: 2/3
  Human decision: pin it
- [x] #2 — over
- [ ] #3 — \`src/gone.ts\` fails
- [ ] #4 — \`src/here.ts\` fails
## Recent Noise
- [ ] #7 — a bot
## Resolved
- [ ] #8 — long over
`;

const look = (state: string, spent: Spent | null = null, constraints = "", log = "") =>
  lookAround({ pattern: "triage", state, constraints, log }, spent, NOW, new Set(["src/gone.ts"]));
const refusal = (item: string | undefined, state: string, found: Found = NOTHING) =>
  refusalOf(found, { outcome: "act", ...(item === undefined ? {} : { item }) }, state);
const tried = (attempts: string, id = "#1", box = "[ ]") => `- ${box} ${id} — red\n  Attempts: ${attempts}\n`;

describe("what a tick begins with", () => {
  it("is nothing, where the files say nothing", () => {
    expect(look("")).toEqual(NOTHING);
  });

  it("is what is open, by role, with what was tried and decided, and what has gone stale among it", () => {
    expect(look(STATE, null, "# Rules\n- Never push to main\n- Ask first\n  about money\n")).toEqual({
      at: NOW,
      items: [
        { id: "#1", text: "the build is red", role: "act", attempts: 2, decision: "pin it", ...UNTOUCHED },
        { id: "#3", text: "`src/gone.ts` fails", role: "act", attempts: 0, decision: null, ...UNTOUCHED },
        { id: "#4", text: "`src/here.ts` fails", role: "act", attempts: 0, decision: null, ...UNTOUCHED },
        { id: "flaky login", text: "seen 2026-09-01", role: "watch", attempts: 0, decision: null, ...UNTOUCHED },
        { id: "#6", text: "which licence", role: "human", attempts: 0, decision: null, ...UNTOUCHED },
      ],
      stale: ["flaky login", "#3"],
      constraints: ["Never push to main", "Ask first about money"],
      halted: null,
    });
  });

  it("says of each item what loops did about it last, and how the newest ticks of this loop ended that were about it", () => {
    const entry = (day: number, more: JsonObject) =>
      JSON.stringify({ run_id: `2026-11-0${day}T00:00:00Z`, pattern: "triage", outcome: "report-only", ...more });
    const days = [1, 2, 3, 4, 5].map((day) =>
      entry(day, { item: "#1", note: day === 5 ? "n".repeat(300) : "rejected" }),
    );
    const log = [
      ...[...days, entry(6, { item: "#1", outcome: "escalated" }), entry(7, { item: "#2" }), entry(7, {})],
      entry(7, { item: "#1", pattern: "other" }),
    ].join("\n");
    const state =
      "## High Priority\n- [ ] #1 — red\n  Last action: rebased\n- [ ] #3 — new\n  Last action: x\n  Loop action: y\n";
    const of = (day: number, outcome: string, note: string | null) => ({
      at: `2026-11-0${day}T00:00:00Z`,
      outcome,
      note,
    });
    expect(look(state, null, "", log).items).toMatchObject([
      {
        ...{ id: "#1", action: "rebased" },
        earlier: [
          ...[2, 3, 4].map((day) => of(day, "report-only", "rejected")),
          ...[of(5, "report-only", "n".repeat(200)), of(6, "escalated", null)],
        ],
      },
      { id: "#3", action: "y", earlier: [] },
    ]);
  });

  it("is that loops are paused, whatever was spent", () => {
    const paused = { ...NOTHING, halted: "kill switch: loop-pause-all is true in the state file" };
    expect(look(PAUSED)).toEqual(paused);
    expect(look(PAUSED, { spent: 9, cap: 1 })).toEqual(paused);
  });

  it("is that whoever keeps the account lets nothing begin, whatever is left", () => {
    const killed = (isKilled: boolean) => look("", { spent: 0, cap: 1, isKilled }).halted;
    expect([killed(true), killed(false)]).toEqual(["kill switch: the budget breaker was opened by hand", null]);
  });

  it("is that the budget of the day is spent, from the last token on", () => {
    const halted = (spent: number, cap: number) => look("", { spent, cap });
    expect(halted(99_999, 100_000)).toEqual(NOTHING);
    expect(halted(100_000, 100_000)).toEqual({
      ...NOTHING,
      halted: "budget: 100,000 of 100,000 tokens spent today",
    });
    expect(halted(1_234_567, 999)).toEqual({ ...NOTHING, halted: "budget: 1,234,567 of 999 tokens spent today" });
    expect(halted(0, 0)).toEqual({ ...NOTHING, halted: "budget: 0 of 0 tokens spent today" });
  });
});

describe("an item that triage has chosen", () => {
  it("is acted on where the file does not know it", () => {
    expect(refusal("#9", `## High Priority\n${tried("3/3")}`)).toBe(null);
  });

  it("L9: is refused where none is named: nobody could count how often it has failed", () => {
    for (const item of [undefined, "", "  "])
      expect(refusal(item, "")).toBe("triage has named no item: attempts at it could not be counted");
  });

  it("L10: is refused while it waits for a person, until that person has decided or ticked it off", () => {
    const inbox = (more: string, box = "[ ]") =>
      `## High Priority\n- [ ] #5 — red\n## Human Inbox\n- ${box} #5 — red\n${more}`;
    for (const more of ["", "  Loop action: escalated (r_1)\n", "  Human decision:\n", "  Human decision: —\n"])
      expect(refusal("#5", inbox(more))).toBe("#5 was handed to a person, who has not decided yet");
    expect(refusal("#5", inbox("  Human decision: go on\n"))).toBe(null);
    expect(refusal("#5", inbox("", "[x]"))).toBe(null);
    expect(refusal("#5", "## High Priority\n- [ ] #5 — red\n")).toBe(null);
  });

  it("is refused when it has gone stale, however it is named", () => {
    const why = "#3 has gone stale: nobody has seen it for 14 days, or what it names is gone";
    for (const item of ["#3", " #3 — `src/gone.ts` fails"]) expect(refusal(item, STATE, look(STATE))).toBe(why);
    expect(refusal("#4", STATE, look(STATE))).toBe(null);
  });

  it("is refused after the third failure, as the file has it now", () => {
    expect(refusal("#1", `## High Priority\n${tried("2/3")}`)).toBe(null);
    for (const title of ["High Priority", "Watch List", "Human Inbox"])
      expect(refusal("#1", `## ${title}\n${tried("3/3")}`)).toBe("#1 has failed 3 times: a person decides");
  });

  it("has failed as often as the open item of its name that failed most", () => {
    const twice = `## High Priority\n${tried("4/3")}- [ ] #1 — again\n## Watch List\n${tried("1/3")}`;
    expect(refusal("#1", twice)).toBe("#1 has failed 4 times: a person decides");
    for (const other of [tried("3/3", "#1", "[x]"), `## Resolved\n${tried("3/3")}`])
      expect(refusal("#1", `## High Priority\n- [ ] #1 — red\n${other}`)).toBe(null);
  });
});

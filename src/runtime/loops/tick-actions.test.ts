import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createMemoryStore } from "../../adapters/memory/store.ts";
import { createSystemClock } from "../../adapters/system/clock.ts";
import { pawlError } from "../../base/errors.ts";
import { formatRunId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import type { Found } from "../../loops/ticks/found.ts";
import type { ActionReport } from "../../ports/actions.ts";
import { FILE_ERRORS } from "../../ports/errors/file-errors.ts";
import { createTicks } from "./tick-actions.ts";
import type { SharedTexts } from "./tick-parts.ts";

const RUN = formatRunId(new Uint8Array(12));
const PATTERN = "daily-triage";
const TOKENS = { noop: 1, report: 2, action: 3 };

function ticks(files: Readonly<Record<string, string>> = {}, change?: SharedTexts["change"]) {
  const root = join(tempDir(), "shop");
  mkdirSync(root);
  const clock = createSystemClock();
  const texts = new Map(Object.entries(files));
  const store = createMemoryStore({ clock });
  const { actions, pay } = createTicks({
    ...{ root, clock, budgetFile: { value: join(root, "none.yaml"), origin: "default" }, spentToday: undefined },
    texts: {
      read: async (path) => texts.get(path) ?? null,
      change: change ?? (async (path, edit) => void texts.set(path, edit(texts.get(path) ?? null))),
    },
  });
  void pay(Promise.resolve(store));
  const perform = async (name: string, given: JsonObject, level: Level = "L2"): Promise<ActionReport> => {
    const action = actions.find((each) => each.name === `loop.${name}`);
    if (action === undefined) throw new Error(`there is no ${name}`);
    const signal = new AbortController().signal;
    return action.perform(given, {
      ...{ run: RUN, stage: name, attempt: 1, key: RUN, signal, inputs: {}, level, tree: null, verified: false },
    });
  };
  const discover = async (): Promise<Found & JsonObject> => {
    const report = await perform("discover", { pattern: PATTERN, state: "STATE.md" });
    if (!report.ok) throw new Error(report.error);
    return report.output as unknown as Found & JsonObject;
  };
  const spend = async (tokens: number): Promise<void> => {
    const accounts = [{ scope: "loop", name: PATTERN }] as const;
    const of = { accounts, caps: [], priority: 0, wait: false, waiter: "w" };
    await store.ledger.reserve({ ...of, key: "k", amounts: { tokens }, at: clock.now() });
    await store.ledger.settle("k", { tokens }, clock.now());
  };
  return { texts, perform, discover, spend };
}

const item = (attempts: string): string =>
  `# Loop State — shop\n\n## High Priority\n\n- [ ] #7 — Add well\n  ${attempts}\n`;
const triage = { outcome: "act", item: "#7", title: "Add well", why: "a test fails" };

describe("the actions of a tick", () => {
  it("find what the files say, and let it begin", async () => {
    const { discover, perform } = ticks({ "STATE.md": item("Attempts: 1/3"), "loop-constraints.md": "- Be kind\n" });
    const found = await discover();
    expect(found).toMatchObject({ items: [{ id: "#7", attempts: 1 }], constraints: ["Be kind"], halted: null });
    expect(await perform("admit", { found })).toEqual({ ok: true });
  });

  it("B1: let nothing begin once the daily cap of a pattern that comes with Pawl is spent", async () => {
    const { discover, perform, spend } = ticks();
    await spend(99_999);
    expect((await discover()).halted).toBeNull();
    const spent = ticks();
    await spent.spend(100_000);
    const found = await spent.discover();
    expect(await perform("admit", { found })).toEqual({
      ok: false,
      error: "budget: 100,000 of 100,000 tokens spent today",
    });
  });

  it("let nothing begin while loops are paused", async () => {
    const { discover, perform } = ticks({ "STATE.md": "loop-pause-all: true\n" });
    const found = await discover();
    expect(await perform("admit", { found })).toMatchObject({ ok: false, error: expect.stringContaining("pause-all") });
  });

  it("L9: claim an item until its third failure, as the file has it now", async () => {
    const { discover, perform, texts } = ticks({ "STATE.md": item("Attempts: 2/3") });
    const given = { state: "STATE.md", found: await discover(), triage };
    expect(await perform("claim", given)).toEqual({ ok: true });
    texts.set("STATE.md", item("Attempts: 3/3"));
    expect(await perform("claim", given)).toMatchObject({
      ok: false,
      error: expect.stringContaining("failed 3 times"),
    });
  });

  it("L10: record an end in the state file and in the run log, once", async () => {
    const { discover, perform, texts } = ticks({ "STATE.md": item("Attempts: 2/3") });
    const found = await discover();
    const given = { pattern: PATTERN, state: "STATE.md", end: "rejected", tokens: TOKENS, found, triage };
    expect(await perform("record", given)).toMatchObject({ ok: true, output: { outcome: "escalated" } });
    const [state, log] = [texts.get("STATE.md"), texts.get("loop-run-log.md")];
    expect(state).toMatch(/## Human Inbox\n(?:.*\n)*- \[ \] #7/);
    expect(log?.split("\n").filter((line) => line.startsWith("{"))).toHaveLength(1);
    await perform("record", given);
    expect([texts.get("STATE.md"), texts.get("loop-run-log.md")]).toEqual([state, log]);
  });

  it("record no end that there is not, and fail where a file cannot be written", async () => {
    const given = { pattern: PATTERN, state: "STATE.md", end: "x", tokens: TOKENS };
    expect(await ticks().perform("record", given)).toMatchObject({ ok: false });
    const busy = ticks({}, () => Promise.reject(pawlError(FILE_ERRORS, "FILE_BUSY", { path: "STATE.md" })));
    const found = await busy.discover();
    expect(await busy.perform("record", { ...given, end: "halted", found })).toMatchObject({
      ok: false,
      error: expect.stringContaining("STATE.md"),
    });
    const broken = ticks({}, () => Promise.reject(new Error("a defect")));
    await expect(broken.perform("record", { ...given, end: "halted", found })).rejects.toThrow("a defect");
  });

  it("charge a tick of the mock backend its flat price", async () => {
    expect(await ticks().perform("mock_price", {})).toEqual({ ok: true, usage: { tokens: 5000, microUsd: 0 } });
  });
});

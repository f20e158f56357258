import { expect, test } from "vitest";
import { chance } from "../../../test/simulation/random.ts";
import { seeds } from "../../../test/support/property.ts";
import { TERMINAL } from "../../run/reasons.ts";
import { type DayRun, digestOf } from "./digest.ts";

test("R14: the digest adds up, whatever the day was", () => {
  for (const seed of seeds(50)) {
    const { pick, int } = chance(seed);
    const loops = ["a", "b", "c"];
    const runs = Array.from({ length: int(60) }, (_, index): DayRun => {
      const [status, detail] = [pick(TERMINAL), pick([null, `gate ${index} failed`, "the disk is full"])];
      return {
        run: `r_${index}`,
        loop: pick(loops),
        status,
        reason: status,
        detail,
        tokens: int(999),
        microUsd: int(99),
      };
    });
    const states = ["open", "queued", "merged", "returned", "rejected"] as const;
    const some = () => Array.from({ length: int(9) }, () => ({ loop: pick(loops), state: pick(states) }));
    const facts = { day: "2026-11-16", runs, ended: some(), standing: some() };
    const { total, loops: each, escalations } = digestOf(facts);
    const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);
    expect(total.runs).toBe(runs.length);
    expect(sum(Object.values(total.ends))).toBe(runs.length);
    expect(sum(each.map((loop) => loop.runs))).toBe(runs.length);
    expect(total.tokens).toBe(sum(runs.map(({ tokens }) => tokens)));
    expect(sum(each.map((loop) => loop.tokens))).toBe(total.tokens);
    expect(sum(each.map((loop) => loop.microUsd))).toBe(total.microUsd);
    expect(sum(Object.values(total.changes))).toBe(facts.ended.length + facts.standing.length);
    const bad = runs.filter(({ status }) => !["succeeded", "cancelled", "killed"].includes(status));
    expect(sum(escalations.map(({ count }) => count))).toBe(bad.length);
  }
});

test("the same trouble of one loop is told once, the most frequent first", () => {
  const run = (name: string, loop: string, detail: string): DayRun => ({
    ...{ run: name, loop, status: "failed", reason: "stage_failed", detail, tokens: 1, microUsd: 0 },
  });
  const runs = [
    run("r_1", "b", "exit 1"),
    run("r_2", "a", "exit 1"),
    run("r_3", "a", "exit 2"),
    run("r_4", "a", "odd"),
  ];
  const { escalations } = digestOf({ day: "d", runs, ended: [], standing: [] });
  expect(escalations.map(({ loop, run: last, count }) => [loop, last, count])).toEqual([
    ["a", "r_3", 2],
    ["a", "r_4", 1],
    ["b", "r_1", 1],
  ]);
});

import { expect, test } from "vitest";
import { chance } from "../../../test/simulation/random.ts";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { seeds } from "../../../test/support/property.ts";
import { createMemoryBoard } from "../../adapters/memory/loops/board.ts";
import { createMemoryStore } from "../../adapters/memory/store.ts";
import { createSystemClock } from "../../adapters/system/clock.ts";
import { formatRunId } from "../../base/ids.ts";
import { createChanges } from "../../loops/coordinate/merges/changes.ts";
import { REASONS, type StopReason } from "../../run/reasons.ts";
import { digestOfDay } from "./day.ts";

const DAY = { name: "2026-11-16", from: 100_000, until: 200_000 };

const planNamed = (name: string) =>
  planFrom(`version: 1
name: ${name}
policy: { allow: [{ run: ["true"] }] }
stages: [{ id: work, command: ["true"], max_attempts: 3 }]
`);

test("R14: the digest of a day is what the journals of its runs say, whatever happened", async () => {
  for (const seed of seeds(20)) {
    const { int, pick, hit } = chance(seed);
    const { journal, ...store } = createMemoryStore({ clock: createSystemClock() });
    const plans = [planNamed("a"), planNamed("b")];
    const told = { runs: 0, tokens: 0, microUsd: 0, bad: 0, ofA: 0 };
    for (let index = 0; index < 30; index += 1) {
      const plan = pick(plans);
      const run = formatRunId(Uint8Array.from({ length: 12 }, () => int(256)));
      const at = 50_000 + int(250_000);
      const usage = { tokens: int(5000), microUsd: int(900) };
      const reason = pick(Object.keys(REASONS) as StopReason[]);
      const status = REASONS[reason];
      const isOver = hit(0.9);
      const { name: blueprint, fingerprint } = plan;
      await journal.create(run, plan, [
        { type: "run.created", at, run, blueprint, plan: fingerprint, params: {} },
        { type: "run.started", at },
        { type: "stage.started", at, stage: "work", visit: 1, attempt: 1, rule: "r" },
        { type: "stage.finished", at, stage: "work", attempt: 1, outcome: "success", cause: "ok", usage },
        ...(isOver ? [{ type: "run.finished", at, status, reason } as const] : []),
      ]);
      if (!isOver || at < DAY.from || at >= DAY.until) continue;
      told.runs += 1;
      told.tokens += usage.tokens;
      told.microUsd += usage.microUsd;
      if (blueprint === "a") told.ofA += 1;
      if (!["succeeded", "cancelled", "killed"].includes(status)) told.bad += 1;
    }
    const { total, loops, escalations } = await digestOfDay(
      { ...store, journal },
      createChanges(createMemoryBoard()),
      DAY,
    );
    const bad = escalations.reduce((sum, { count }) => sum + count, 0);
    const ofA = loops.find(({ loop }) => loop === "a")?.runs ?? 0;
    expect({ runs: total.runs, tokens: total.tokens, microUsd: total.microUsd, bad, ofA }, `seed ${seed}`).toEqual(
      told,
    );
  }
});

test("a project without runs has an empty day", async () => {
  const { total } = await digestOfDay(null, createChanges(createMemoryBoard()), DAY);
  expect(total).toMatchObject({ runs: 0, tokens: 0, changes: { open: 0, merged: 0 } });
});

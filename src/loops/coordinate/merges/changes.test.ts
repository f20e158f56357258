import { describe, expect, test } from "vitest";
import { createMemoryBoard } from "../../../adapters/memory/loops/board.ts";
import type { RunId } from "../../../base/ids.ts";
import type { ChangeRecord } from "./change.ts";
import { createChanges } from "./changes.ts";

function record(id: string, state: "open" | "queued"): ChangeRecord {
  const facts = { id, run: id as RunId, loop: "l", plan: "p", into: "main", branch: `pawl/${id}`, base: "0" };
  const none = { by: null, why: null, commit: null, collisions: [] };
  return { ...facts, ...none, source: `s-${id}`, priority: 0, at: 1, state, since: 1 };
}

describe("the changes of a project", () => {
  test("the first to hand in a change wins, and it stands in the queue once", async () => {
    const changes = createChanges(createMemoryBoard());
    const first = await changes.handIn(record("a", "queued"));
    expect(await changes.handIn({ ...record("a", "open"), loop: "late", since: 2 })).toEqual(first);
    expect(await changes.get("a")).toEqual(first);
    expect(await changes.standing()).toEqual({ a: { loop: "l", into: "main", state: "queued" } });
    expect(await changes.take("main", "w", 5)).toEqual({ group: ["a"], landing: null, token: 1, tries: 0 });
  });

  test("whoever has the queue and is gone has it no longer, whatever its lease says", async () => {
    const pages = new Map<string, string>();
    const workers = [{ alive: true }, { alive: true }];
    const [one, other] = [0, 1].map((host) => createChanges(createMemoryBoard({ pages, workers }, undefined, host)));
    await one?.handIn(record("a", "queued"));
    await one?.take("main", "one", 5);
    expect([await other?.holder("main", 6), await other?.take("main", "other", 6)]).toEqual([
      { name: "one", until: 120_005 },
      null,
    ]);
    workers[0] = { alive: false };
    expect(await other?.holder("main", 6)).toBeNull();
    expect(await other?.take("main", "other", 6)).toMatchObject({ group: ["a"], token: 2 });
    expect(await one?.land("main", 1, null, 7)).toBe(false);
  });

  test("what was put off is due when its time has come, or before for whoever asks", async () => {
    const changes = createChanges(createMemoryBoard());
    await changes.handIn(record("a", "queued"));
    await changes.take("main", "w", 5);
    const waiting = [{ id: "a", priority: 0, at: 1, notBefore: 300 }];
    await changes.report("main", 1, { is: "put_off", waiting }, [], 5);
    await changes.letGo("main", 1);
    expect([await changes.take("main", "w", 299), await changes.take("main", "w", 6, 300)]).toEqual([null, null]);
    expect(await changes.take("main", "w", 6, 301)).toMatchObject({ group: ["a"], token: 2 });
  });

  test("tells who has the queue, until when if nothing is heard of it, and nobody after that", async () => {
    const changes = createChanges(createMemoryBoard());
    expect(await changes.holder("main", 5)).toBeNull();
    await changes.handIn(record("a", "queued"));
    await changes.take("main", "w", 5);
    expect(await changes.holder("main", 6)).toEqual({ name: "w", until: 120_005 });
    expect([await changes.holder("main", 120_005), await changes.holder("other", 6)]).toEqual([null, null]);
    await changes.letGo("main", 1);
    expect(await changes.holder("main", 6)).toBeNull();
  });

  test("what a person accepts is queued and is not over", async () => {
    const changes = createChanges(createMemoryBoard());
    const open = await changes.handIn(record("a", "open"));
    expect(await changes.take("main", "w", 5)).toBeNull();
    const accepted = { ...open, state: "queued", since: 6, by: "ann", why: null };
    expect(await changes.decide("a", "queued", { by: "ann", why: null, at: 6 })).toEqual(accepted);
    expect(await changes.standing()).toEqual({ a: { loop: "l", into: "main", state: "queued" } });
    expect(await changes.endedWithin(0, 100)).toEqual([]);
    expect(await changes.take("main", "w", 7)).toEqual({ group: ["a"], landing: null, token: 1, tries: 0 });
  });

  test("what a person rejects leaves the queue and is over, and may be accepted after all", async () => {
    const changes = createChanges(createMemoryBoard());
    const queued = await changes.handIn(record("a", "queued"));
    const rejected = { ...queued, state: "rejected", since: 6, by: "ann", why: "no" };
    expect(await changes.decide("a", "rejected", { by: "ann", why: "no", at: 6 })).toEqual(rejected);
    expect([await changes.standing(), await changes.take("main", "w", 7)]).toEqual([{}, null]);
    expect(await changes.endedWithin(6, 7)).toEqual([rejected]);
    const accepted = { ...queued, state: "queued", since: 8, by: "bob", why: null };
    expect(await changes.decide("a", "queued", { by: "bob", why: null, at: 8 })).toEqual(accepted);
    expect(await changes.take("main", "w", 9)).toEqual({ group: ["a"], landing: null, token: 1, tries: 0 });
  });

  test("tells all that ended in a time, in the order they did, however many they are", async () => {
    const changes = createChanges(createMemoryBoard());
    const ids = Array.from({ length: 502 }, (_, index) => `c${index}`);
    for (const [index, id] of ids.entries()) {
      await changes.handIn(record(id, "open"));
      await changes.decide(id, "rejected", { by: "ann", why: "no", at: 1000 - index });
    }
    const within = async (from: number, until: number): Promise<readonly string[]> =>
      (await changes.endedWithin(from, until)).map(({ id }) => id);
    expect(await within(0, 1001)).toEqual(ids.toReversed());
    expect(await within(499, 999)).toEqual(ids.slice(2).toReversed());
    expect(await within(1001, 2000)).toEqual([]);
  });
});

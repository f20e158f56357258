import { describe, expect, test } from "vitest";
import { chance } from "../../../test/simulation/random.ts";
import {
  AGING_MS,
  blockerOf,
  type LockAsk,
  type LockTable,
  NO_LOCKS,
  PATIENCE_MS,
  PRESENT_MS,
  releaseLocks,
  renewLocks,
  takeLocks,
  type Waiter,
} from "./locks.ts";
import { overlapOf } from "./overlap.ts";

const LEASE = 1000;
const ask = (owner: string, paths: readonly string[], at = 0, priority = 0): LockAsk => ({
  ...{ owner, host: `host-${owner}`, loop: `loop-${owner}`, paths, at, priority, leaseMs: LEASE },
});
const NOBODY: ReadonlySet<string> = new Set();

function take(table: LockTable, wish: LockAsk, gone = NOBODY) {
  const { table: next, answer } = takeLocks(table, wish, gone);
  return { table: next, answer, token: answer.taken ? answer.token : 0 };
}

describe("path locks", () => {
  test("L11: of two loops with one file the second waits until the first lets go", () => {
    const first = take(NO_LOCKS, ask("a", ["src/x.ts"]));
    expect(first.answer).toEqual({ taken: true, token: 1, until: LEASE });
    const second = take(first.table, ask("b", ["src/**"], 1));
    expect(second.answer).toEqual({
      taken: false,
      inTheWay: { owner: "a", loop: "loop-a", paths: ["src/**", "src/x.ts"], holds: true, since: 0 },
    });
    const free = releaseLocks(second.table, "a", 1);
    expect(take(free, ask("b", ["src/**"], 2)).answer).toMatchObject({ taken: true, token: 2 });
  });

  test("W4: two owners that cross get all their paths or none, and none waits for the other in a circle", () => {
    const a = take(NO_LOCKS, ask("a", ["one", "two"]));
    const b = take(a.table, ask("b", ["two", "one"], 1));
    expect(b.answer.taken).toBe(false);
    expect(b.table.held.map(({ owner }) => owner)).toEqual(["a"]);
    const done = releaseLocks(b.table, "a", a.token);
    const again = take(done, ask("b", ["two", "one"], 2));
    expect(again.answer.taken).toBe(true);
    expect(again.table).toMatchObject({ held: [{ owner: "b", paths: ["two", "one"] }], line: [] });
  });

  test("asking again for what one holds changes nothing", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    expect(take(a.table, ask("a", ["x"], 5))).toEqual(a);
  });

  test("a lease that is over holds nothing, and its token renews nothing once another has it", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    expect(take(a.table, ask("b", ["x"], LEASE - 1)).answer.taken).toBe(false);
    const b = take(a.table, ask("b", ["x"], LEASE));
    expect(b.answer).toMatchObject({ taken: true, token: 2 });
    expect(renewLocks(b.table, "a", a.token, LEASE)).toBeNull();
    expect(releaseLocks(b.table, "a", a.token).held.map(({ owner }) => owner)).toEqual(["b"]);
    expect(releaseLocks(b.table, "b", 99).held).toHaveLength(1);
  });

  test("who has a lock again renews it only with its new token", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    const again = take(releaseLocks(a.table, "a", 1), ask("a", ["x"], 1));
    expect(renewLocks(again.table, "a", 1, 2)).toBeNull();
    expect(renewLocks(again.table, "a", 2, 2)).not.toBeNull();
  });

  test("a lease that is over is renewed as long as nobody else wants it, and forgotten at last", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    const other = take(a.table, ask("b", ["y"], LEASE + 5));
    expect(renewLocks(other.table, "a", 1, LEASE + 6)).toMatchObject({
      held: [{ owner: "a", until: 2 * LEASE + 6 }, {}],
    });
    expect(take(a.table, ask("b", ["y"], LEASE + PATIENCE_MS)).table.held.map(({ owner }) => owner)).toEqual(["b"]);
  });

  test("a clock that is put back makes no lease longer", () => {
    const late = take(NO_LOCKS, ask("a", ["x"], 1_000_000));
    const back = take(late.table, ask("b", ["x"], 10));
    expect(back.answer.taken).toBe(false);
    expect(back.table.held[0]?.until).toBe(10 + LEASE);
    expect(take(back.table, ask("b", ["x"], 10 + LEASE)).answer.taken).toBe(true);
  });

  test("who waits is not overtaken by a newcomer with the same paths, but by one with others", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    const wide = take(a.table, ask("b", ["x", "y"], 1));
    const sneak = take(wide.table, ask("c", ["y"], 2));
    expect(sneak.answer).toMatchObject({ taken: false, inTheWay: { owner: "b", holds: false } });
    expect(take(sneak.table, ask("d", ["z"], 3)).answer.taken).toBe(true);
  });

  test("a higher priority goes first, until the other has waited long enough", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    const low = take(a.table, ask("low", ["x"], 0));
    const free = releaseLocks(low.table, "a", 1);
    expect(take(free, ask("high", ["x"], 1, 3)).answer.taken).toBe(true);
    const at = 3 * AGING_MS;
    const waiting = { ...free, line: free.line.map((waiter) => ({ ...waiter, seenAt: at })) };
    expect(take(waiting, ask("high", ["x"], at, 3)).answer).toMatchObject({ taken: false, inTheWay: { owner: "low" } });
  });

  test("of two that came at once the name decides", () => {
    const [a, b] = ["a", "b"].map((owner) => ({ owner, loop: owner, paths: ["x"], priority: 0, since: 0, seenAt: 0 }));
    if (a === undefined || b === undefined) throw new Error("there are two");
    expect(blockerOf({ ...NO_LOCKS, line: [a] }, b, 0, NOBODY)?.owner).toBe("a");
    expect(blockerOf({ ...NO_LOCKS, line: [b] }, a, 0, NOBODY)).toBeNull();
  });

  test("who no longer asks keeps nobody waiting", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    const waits = take(a.table, ask("b", ["x"], 1));
    const free = releaseLocks(waits.table, "a", 1);
    expect(take(free, ask("c", ["x"], PRESENT_MS)).answer.taken).toBe(false);
    expect(take(free, ask("c", ["x"], 1 + PRESENT_MS)).answer.taken).toBe(true);
    expect(take(free, ask("c", ["y"], PATIENCE_MS)).table.line).toHaveLength(1);
    expect(take(free, ask("c", ["y"], 1 + PATIENCE_MS)).table.line).toEqual([]);
    expect(releaseLocks(free, "b", 0).line).toEqual([]);
  });

  test("who is gone is waited for by nobody, and whoever goes on in its place has waited as long", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    const waits = take(a.table, ask("b", ["x"], 1));
    const free = releaseLocks(waits.table, "a", 1);
    expect(take(free, ask("c", ["x"], 2)).answer).toMatchObject({ taken: false, inTheWay: { owner: "b" } });
    expect(take(free, ask("c", ["x"], 2), new Set(["host-b"])).answer.taken).toBe(true);
    const again = { ...ask("b", ["x"], 3), host: "another" };
    expect(take(waits.table, again, new Set(["host-b"])).table.line).toMatchObject([{ host: "another", since: 1 }]);
    const [old] = free.line.map(({ host: _, ...waiter }) => waiter);
    expect(take({ ...free, line: [old as Waiter] }, ask("c", ["x"], 2)).answer.taken).toBe(false);
  });

  test("whoever goes on with a run takes its paths over from a process that is gone, and from no other", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    const line = take(a.table, ask("b", ["x"], 1)).table;
    const again = { ...ask("a", ["x"], 2), host: "another" };
    expect(take(line, again).answer).toEqual({
      taken: false,
      inTheWay: { owner: "a", loop: "loop-a", paths: ["x", "x"], holds: true, since: 0 },
    });
    const over = take(line, again, new Set(["host-a"]));
    expect(over.answer).toEqual({ taken: true, token: 2, until: 2 + LEASE });
    expect(over.table.held).toMatchObject([{ owner: "a", host: "another", token: 2 }]);
    expect(renewLocks(over.table, "a", 1, 3)).toBeNull();
    // Of other paths it has none yet.
    const wider = take(line, { ...again, paths: ["x", "y"] }, new Set(["host-a"]));
    expect(wider.answer).toMatchObject({ taken: false, inTheWay: { owner: "b", holds: false } });
  });

  test("whose lease is over and asks again has a new one, or none", () => {
    const a = take(NO_LOCKS, ask("a", ["x"]));
    const again = take(a.table, ask("a", ["x"], LEASE + 5));
    expect(again.answer).toEqual({ taken: true, token: 2, until: 2 * LEASE + 5 });
    expect(again.table.held).toHaveLength(1);
    expect(take(again.table, ask("b", ["x"], LEASE + 6)).answer.taken).toBe(false);
  });

  test("no two ever hold one path, and everybody gets a turn, whatever they ask for", () => {
    const { pick, int } = chance(11);
    const globs = ["a/**", "a/x", "b", "b/**", "**/x", "c/*", "**"];
    const owners = Array.from({ length: 6 }, (_, i) => `o${i}`);
    const wishes = new Map(owners.map((owner) => [owner, [pick(globs), pick(globs)]]));
    const served = new Map<string, number>();
    let table = NO_LOCKS;
    for (let at = 0; at < 600_000; at += 1000) {
      const owner = pick(owners);
      const mine = table.held.find((lock) => lock.owner === owner);
      if (mine !== undefined) {
        table = releaseLocks(table, owner, mine.token);
        wishes.set(owner, [pick(globs), pick(globs)]);
        continue;
      }
      const wish = { ...ask(owner, wishes.get(owner) ?? [], at, int(3)), leaseMs: 60_000 };
      const next = takeLocks(table, wish, NOBODY);
      table = next.table;
      if (next.answer.taken) served.set(owner, (served.get(owner) ?? 0) + 1);
      const live = table.held.filter(({ until }) => at < until);
      for (const [i, one] of live.entries())
        for (const other of live.slice(i + 1)) expect(overlapOf(one.paths, other.paths)).toBeNull();
    }
    expect([...served.keys()].sort()).toEqual(owners);
    expect(Math.min(...served.values())).toBeGreaterThan(5);
  });
});

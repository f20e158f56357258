/** The contract of the Ledger port. */
import { describe, expect, it } from "vitest";
import type { Account, Amounts, Cap } from "../../src/limits/ledger/cap.ts";
import type { Reservation } from "../../src/limits/ledger/reservation.ts";
import type { Ledger } from "../../src/ports/store/ledger.ts";
import type { OpenStore } from "./store-fixture.ts";

/** A Monday, at noon. */
export const NOON = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
export const LOOP: Account = { scope: "loop", name: "sweeper" };
const RUN: Account = { scope: "run", name: "r_1" };
const FLEET: Account = { scope: "fleet", name: "*" };

function buildCap(amount: number, fields: Partial<Cap> = {}): Cap {
  return { account: LOOP, unit: "tokens", window: "day", amount, source: "pawl.yaml:1:1", ...fields };
}

export function buildReservation(key: string, amounts: Amounts, fields: Partial<Reservation> = {}): Reservation {
  const accounts = [RUN, LOOP, FLEET];
  return { key, at: NOON, accounts, amounts, caps: [buildCap(100)], priority: 0, wait: false, ...fields };
}

async function spentToday(ledger: Ledger, account: Account, at = NOON): Promise<readonly unknown[]> {
  const standing = await ledger.standing([account], at);
  return standing.map(({ unit, spent, reserved }) => [unit, spent.day, reserved]);
}

export function ledgerContract(name: string, open: OpenStore): void {
  describe(`Ledger contract: ${name}`, () => {
    it("holds what was reserved and books what was spent, for every account that pays and every store", async () => {
      const { store, another } = await open();
      const other = (await another()).ledger;
      expect(await store.ledger.reserve(buildReservation("r_1/a/1/1", { tokens: 60, microUsd: 7 }))).toEqual({
        granted: true,
        degraded: null,
      });
      expect(await spentToday(other, LOOP)).toEqual([
        ["tokens", 0, 60],
        ["microUsd", 0, 7],
      ]);
      await other.settle("r_1/a/1/1", { tokens: 25, microUsd: 0 }, NOON);
      for (const account of [RUN, LOOP, FLEET]) {
        const spent = { run: 25, day: 25, week: 25 };
        expect((await store.ledger.standing([account], NOON))[0]).toEqual({
          account,
          unit: "tokens",
          spent,
          reserved: 0,
        });
      }
      expect(await store.integrity()).toEqual([]);
    });

    it("grants what fits exactly and refuses one more, saying which cap, how much and until when", async () => {
      const { store } = await open();
      const { ledger } = store;
      await ledger.reserve(buildReservation("a", { tokens: 60 }));
      await ledger.settle("a", { tokens: 30 }, NOON);
      await ledger.reserve(buildReservation("b", { tokens: 69 }));
      const refused = await ledger.reserve(buildReservation("c", { tokens: 2 }));
      expect(refused).toEqual({
        granted: false,
        cap: buildCap(100),
        spent: 30,
        reserved: 69,
        asked: 2,
        freesAt: NOON + 30_000,
        ahead: 0,
      });
      expect(await ledger.reserve(buildReservation("c", { tokens: 1 }))).toMatchObject({ granted: true });
    });

    it("lets the strictest cap win, and caps of other accounts concern nobody", async () => {
      const { store } = await open();
      const week = buildCap(50, { window: "week", account: FLEET });
      const foreign = buildCap(0, { account: { scope: "user", name: "bob" } });
      const caps = [buildCap(60), week, foreign];
      await store.ledger.reserve(buildReservation("a", { tokens: 45 }, { caps }));
      await store.ledger.settle("a", { tokens: 45 }, NOON);
      const refused = await store.ledger.reserve(buildReservation("b", { tokens: 20 }, { caps }));
      const quarter = 15 * 60_000;
      expect(refused).toMatchObject({ granted: false, cap: week, freesAt: NOON + quarter + 7 * DAY });
    });

    it("is asked once per key: again is the same grant, and after the end it is refused", async () => {
      const { store } = await open();
      const { ledger } = store;
      await ledger.reserve(buildReservation("a", { tokens: 60 }));
      expect(await ledger.reserve(buildReservation("a", { tokens: 60 }))).toMatchObject({ granted: true });
      expect(await spentToday(ledger, LOOP)).toEqual([["tokens", 0, 60]]);
      await ledger.settle("a", { tokens: 10 }, NOON);
      await ledger.settle("a", { tokens: 50 }, NOON);
      expect(await spentToday(ledger, LOOP)).toEqual([["tokens", 10, 0]]);
      await expect(ledger.reserve(buildReservation("a", { tokens: 1 }))).rejects.toMatchObject({
        code: "LEDGER_KEY_SPENT",
      });
    });

    it("charges what is not known as it was reserved, and more than was reserved in full", async () => {
      const { store } = await open();
      const { ledger } = store;
      await ledger.reserve(buildReservation("a", { tokens: 20, microUsd: 5 }));
      await ledger.settle("a", "unknown", NOON);
      await ledger.reserve(buildReservation("b", { tokens: 20, microUsd: 5 }));
      await ledger.settle("b", { tokens: 90 }, NOON);
      expect(await spentToday(ledger, LOOP)).toEqual([
        ["tokens", 110, 0],
        ["microUsd", 10, 0],
      ]);
      const refused = await ledger.reserve(buildReservation("c", { microUsd: 1 }));
      expect(refused).toMatchObject({ granted: false, spent: 110, freesAt: NOON + DAY / 2 });
    });

    it("leaves alone what holds nothing", async () => {
      const { store } = await open();
      await store.ledger.settle("nobody", { tokens: 5 }, NOON);
      await store.ledger.withdraw("nobody");
      expect(await store.ledger.standing([LOOP], NOON)).toEqual([]);
      expect(await store.integrity()).toEqual([]);
    });

    it("gives back what was withdrawn, as if it had never been asked for", async () => {
      const { store } = await open();
      const { ledger } = store;
      await ledger.reserve(buildReservation("a", { tokens: 100 }));
      await ledger.withdraw("a");
      expect(await spentToday(ledger, LOOP)).toEqual([["tokens", 0, 0]]);
      expect(await ledger.reserve(buildReservation("a", { tokens: 100 }))).toMatchObject({ granted: true });
      await ledger.settle("a", { tokens: 100 }, NOON);
      await ledger.withdraw("a");
      expect(await spentToday(ledger, LOOP)).toEqual([["tokens", 100, 0]]);
      expect(await store.integrity()).toEqual([]);
    });

    it("spends at once what has nothing to settle, and once", async () => {
      const { store } = await open();
      const caps = [buildCap(1, { unit: "runs" })];
      const entering = buildReservation("r_1", { runs: 1 }, { caps, outright: true });
      expect(await store.ledger.reserve(entering)).toMatchObject({ granted: true });
      expect(await store.ledger.reserve(entering)).toMatchObject({ granted: true });
      expect(await spentToday(store.ledger, LOOP)).toEqual([["runs", 1, 0]]);
      expect(await store.ledger.reserve({ ...entering, key: "r_2" })).toMatchObject({
        granted: false,
        freesAt: NOON + DAY / 2,
      });
      expect(await store.integrity()).toEqual([]);
    });

    it("counts calendar days of a zone and the last seven days, and settlements that come late", async () => {
      const { store } = await open();
      const { ledger } = store;
      const spend = async (key: string, tokens: number, at: number): Promise<void> => {
        await ledger.reserve(buildReservation(key, { tokens }, { at, caps: [] }));
        await ledger.settle(key, { tokens }, at);
      };
      await spend("a", 1, NOON - 8 * DAY);
      await spend("b", 20, NOON - 5 * DAY);
      await spend("c", 300, NOON);
      await spend("d", 4000, NOON - DAY);
      const at = async (moment: number, offsetMinutes = 0): Promise<unknown> =>
        (await ledger.standing([LOOP], moment, offsetMinutes))[0]?.spent;
      expect(await at(NOON)).toEqual({ run: 4321, day: 300, week: 4320 });
      expect(await at(NOON + 13 * HOUR)).toEqual({ run: 4321, day: 0, week: 4320 });
      expect(await at(NOON + 13 * HOUR, -120)).toEqual({ run: 4321, day: 300, week: 4320 });
      expect(await at(NOON + 2 * DAY)).toEqual({ run: 4321, day: 0, week: 4320 });
      expect(await at(NOON + 2 * DAY + HOUR)).toEqual({ run: 4321, day: 0, week: 4300 });
      const asked = buildReservation("e", { tokens: 700 }, { caps: [buildCap(5000, { window: "week" })] });
      expect(await ledger.reserve({ ...asked, amounts: { tokens: 681 } })).toMatchObject({
        granted: false,
        freesAt: NOON + 2 * DAY + HOUR / 4,
      });
      expect(await ledger.reserve(asked)).toMatchObject({ freesAt: NOON + 2 * DAY + HOUR / 4 });
      expect(await ledger.reserve({ ...asked, amounts: { tokens: 701 } })).toMatchObject({
        freesAt: NOON + 6 * DAY + HOUR / 4,
      });
      expect(await store.integrity()).toEqual([]);
    });

    it("says at 80 % which cap it is, and refuses what is larger than a cap for ever", async () => {
      const { store } = await open();
      const { ledger } = store;
      await ledger.reserve(buildReservation("a", { tokens: 79 }));
      expect(await ledger.reserve(buildReservation("b", { tokens: 1 }))).toEqual({ granted: true, degraded: null });
      expect(await ledger.reserve(buildReservation("c", { tokens: 1 }))).toEqual({
        granted: true,
        degraded: buildCap(100),
      });
      expect(await ledger.reserve(buildReservation("d", { tokens: 101 }, { wait: true }))).toMatchObject({
        granted: false,
        freesAt: null,
      });
    });

    it("keeps the place of who waits: a large request is not overtaken by small ones", async () => {
      const { store, another } = await open();
      const { ledger } = store;
      const caps = [buildCap(100, { window: "run" })];
      const ask = (key: string, tokens: number, fields: Partial<Reservation> = {}): ReturnType<Ledger["reserve"]> =>
        ledger.reserve(buildReservation(key, { tokens }, { caps, ...fields }));
      await ask("a", 40);
      const big = { wait: true, waiter: "big" };
      expect(await ask("big/1", 70, big)).toMatchObject({ granted: false, ahead: 0, freesAt: NOON + 30_000 });
      expect(await ask("small", 31, { at: NOON + 1 })).toMatchObject({ granted: false, ahead: 1 });
      await (await another()).ledger.settle("a", { tokens: 10 }, NOON + 2);
      expect(await ask("small", 21, { at: NOON + 3 })).toMatchObject({ granted: false, ahead: 1 });
      expect(await ask("small", 20, { at: NOON + 3 })).toMatchObject({ granted: true });
      await ledger.settle("small", { tokens: 0 }, NOON + 4);
      expect(await ask("big/2", 70, { ...big, at: NOON + 30_000 })).toMatchObject({ granted: true });
      expect(await ask("late", 20, { at: NOON + 30_000 })).toMatchObject({ granted: true });
    });

    it("waits for nobody who has left, or has not asked again", async () => {
      const { store } = await open();
      const { ledger } = store;
      const caps = [buildCap(100, { window: "run" })];
      await ledger.reserve(buildReservation("a", { tokens: 40 }, { caps }));
      await ledger.reserve(buildReservation("big", { tokens: 90 }, { caps, wait: true }));
      const small = buildReservation("small", { tokens: 30 }, { caps });
      expect(await ledger.reserve(small)).toMatchObject({ granted: false });
      await ledger.withdraw("big");
      expect(await ledger.reserve(small)).toMatchObject({ granted: true });
      await ledger.withdraw("small");
      await ledger.reserve(buildReservation("big", { tokens: 90 }, { caps, wait: true }));
      const tooLate = NOON + 30_000 + 2_700_000;
      expect(await ledger.reserve({ ...small, at: tooLate - 1 })).toMatchObject({ granted: false });
      expect(await ledger.reserve({ ...small, at: tooLate })).toMatchObject({ granted: true });
    });

    it("lets each of those who ask at once see what was done before it", async () => {
      const { store } = await open();
      const { ledger } = store;
      const caps = [buildCap(100, { window: "week" })];
      const ask = (key: string, tokens: number): ReturnType<Ledger["reserve"]> =>
        ledger.reserve(buildReservation(key, { tokens }, { caps }));
      await ask("a", 60);
      const answers = await Promise.all([
        ledger.settle("a", { tokens: 30 }, NOON),
        ask("b", 70),
        ask("c", 1),
        ledger.withdraw("b"),
        ask("d", 71),
        ask("e", 70),
        ledger.settle("e", { tokens: 10 }, NOON - 8 * DAY),
        ask("f", 70),
      ]);
      const [, b, c, , d, e, , f] = answers;
      const granted = { granted: true, degraded: null };
      const full = { granted: false, cap: caps[0], spent: 30, ahead: 0 };
      expect([b, c, d, e, f]).toEqual([
        granted,
        { ...full, reserved: 70, asked: 1, freesAt: NOON + 30_000 },
        { ...full, reserved: 0, asked: 71, freesAt: NOON + HOUR / 4 + 7 * DAY },
        granted,
        granted,
      ]);
      const spent = { run: 40, day: 30, week: 30 };
      expect(await ledger.standing([LOOP], NOON)).toEqual([{ account: LOOP, unit: "tokens", spent, reserved: 70 }]);
      expect(await store.integrity()).toEqual([]);
    });

    it("keeps the line among those who ask at once", async () => {
      const { store } = await open();
      const { ledger } = store;
      const caps = [buildCap(100, { window: "run" })];
      const ask = (key: string, tokens: number, wait = false): ReturnType<Ledger["reserve"]> =>
        ledger.reserve(buildReservation(key, { tokens }, { caps, wait, at: wait ? NOON : NOON + 1 }));
      await ask("a", 40);
      const answers = await Promise.all([ask("big", 90, true), ask("b", 5), ledger.withdraw("big"), ask("c", 5)]);
      expect(answers).toMatchObject([{ granted: false }, { granted: false, ahead: 1 }, undefined, { granted: true }]);
    });

    it("tells what a key was charged, by whichever settlement", async () => {
      const { store } = await open();
      const { ledger } = store;
      for (const key of ["r_1/a", "r_1/b", "r_1/c"]) await ledger.reserve(buildReservation(key, { tokens: 10 }));
      await ledger.withdraw("r_1/c");
      const settled = [
        await ledger.settle("r_1/a", { tokens: 3 }, NOON),
        await ledger.settle("r_1/a", "unknown", NOON),
        await ledger.settle("r_1/b", "unknown", NOON),
        await ledger.settle("r_1/c", "unknown", NOON),
        await ledger.settle("r_1/d", { tokens: 1 }, NOON),
      ];
      expect(settled).toEqual([{ tokens: 3 }, { tokens: 3 }, { tokens: 10 }, null, null]);
    });

    it("sums what was spent and is held below a key, and nothing beside it", async () => {
      const { store } = await open();
      const { ledger } = store;
      for (const key of ["r_1/a/1/1/1", "r_1/a/1/1/2", "r_1/a/1/10/1", "r_1/a/1/1"])
        await ledger.reserve(buildReservation(key, { tokens: 10 }));
      await ledger.settle("r_1/a/1/1/1", { tokens: 3, microUsd: 8 }, NOON);
      expect(await ledger.usage("r_1/a/1/1")).toEqual({ tokens: 13, microUsd: 8 });
      expect(await ledger.usage("r_1")).toEqual({ tokens: 33, microUsd: 8 });
      expect(await ledger.usage("r_2")).toEqual({});
      expect([await ledger.count("r_1/a/1/1"), await ledger.count("r_1"), await ledger.count("r_2")]).toEqual([
        2, 4, 0,
      ]);
    });

    it("lists what is held, page by page", async () => {
      const { store } = await open();
      const { ledger } = store;
      const keys = ["r_1/a", "r_1/b", "r_1/c", "r_2/a"];
      for (const key of keys) await ledger.reserve(buildReservation(key, { tokens: 10 }));
      await ledger.settle("r_1/b", "unknown", NOON);
      const first = await ledger.open({ limit: 1 });
      expect(first.reservations).toEqual([
        { key: "r_1/a", at: NOON, accounts: [RUN, LOOP, FLEET], amounts: { tokens: 10 } },
      ]);
      const rest = await ledger.open({ limit: 5, cursor: first.next ?? "" });
      expect([rest.reservations.map(({ key }) => key), rest.next]).toEqual([["r_1/c", "r_2/a"], null]);
      const below = await ledger.open({ prefix: "r_1", limit: 5, cursor: "a" });
      expect(below.reservations.map(({ key }) => key)).toEqual(["r_1/a", "r_1/c"]);
      expect(await ledger.open({ limit: 0 })).toMatchObject({ reservations: [], next: null });
    });

    it("counts whole numbers only, and refuses when it is closed", async () => {
      const { store } = await open();
      const { ledger } = store;
      const invalid = { code: "LEDGER_AMOUNT_INVALID" };
      await expect(ledger.reserve(buildReservation("a", { tokens: 0.5 }))).rejects.toMatchObject(invalid);
      await expect(ledger.reserve(buildReservation("a", { tokens: -1 }))).rejects.toMatchObject(invalid);
      await expect(ledger.settle("a", { tokens: Number.NaN }, NOON)).rejects.toMatchObject(invalid);
      await expect(ledger.reserve(buildReservation("a", { tokens: 2 ** 52 }))).rejects.toMatchObject(invalid);
      await expect(ledger.settle("a", { tokens: 2 ** 52 }, NOON)).rejects.toMatchObject(invalid);
      await store.close();
      const closed = { code: "JOURNAL_CLOSED" };
      await expect(ledger.reserve(buildReservation("a", { tokens: 1 }))).rejects.toMatchObject(closed);
      await expect(ledger.standing([LOOP], NOON)).rejects.toMatchObject(closed);
    });

    it("grants no more than fits to any number who ask at once", async () => {
      const { store, another } = await open();
      const ledgers = [store.ledger, (await another()).ledger];
      const asked = Array.from({ length: 40 }, (_, i) =>
        (ledgers[i % 2] as Ledger).reserve(buildReservation(`k${i}`, { tokens: 7 })),
      );
      const granted = (await Promise.all(asked)).filter((answer) => answer.granted);
      expect(granted).toHaveLength(14);
      expect(await spentToday(store.ledger, LOOP)).toEqual([["tokens", 0, 98]]);
    });
  });
}

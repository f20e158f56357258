import { expect, test } from "vitest";
import { createMemoryBoard } from "../../adapters/memory/loops/board.ts";
import { fingerprintOf, NOTICE_MS, noticesSince, raise, raised, type Trouble } from "./notices.ts";

const trouble = (about: string, what = "the gate verify failed after 12 s", at = 1): Trouble => ({
  ...{ loop: "fix", kind: "ended", what, about, at },
});

test("R14: ten same escalations are one notice, and the next one after a day is another", async () => {
  const board = createMemoryBoard();
  const told: boolean[] = [];
  for (let i = 0; i < 10; i += 1)
    told.push(await raise(board, trouble(`r_${i}`, `the gate verify failed after ${i} s`, 10 + i)));
  expect(told.filter(Boolean)).toHaveLength(1);
  expect(told[0]).toBe(true);
  expect(await noticesSince(board, 0)).toMatchObject([{ first: 10, last: 19, count: 10 }]);
  expect(await raise(board, trouble("r_10", undefined, 10 + NOTICE_MS))).toBe(true);
  expect(await noticesSince(board, 0)).toMatchObject([{ first: 10 + NOTICE_MS, count: 1 }]);
  expect(await noticesSince(board, 20 + NOTICE_MS)).toEqual([]);
});

test("what is told twice of one run counts once", async () => {
  const board = createMemoryBoard();
  expect(await raise(board, trouble("r_1"))).toBe(true);
  expect(await raise(board, trouble("r_1"))).toBe(false);
  expect(await noticesSince(board, 0)).toMatchObject([{ count: 1, abouts: ["r_1"] }]);
});

test("another loop, another kind or another trouble is another notice", () => {
  const prints = [
    trouble("x"),
    { ...trouble("x"), loop: "other" },
    { ...trouble("x"), kind: "returned" as const },
    trouble("x", "the disk is full"),
  ].map(fingerprintOf);
  expect(new Set(prints).size).toBe(4);
});

test("a clock that was put back begins a new notice", () => {
  const before = raised(null, trouble("r_1", "x", 1000));
  expect(raised(before, trouble("r_2", "x", 10))).toMatchObject({ first: 10, count: 1 });
});

test("none is left out, however many there are", async () => {
  const board = createMemoryBoard();
  for (let i = 0; i < 1001; i += 1) await raise(board, { ...trouble("r_1"), loop: `loop-${i}` });
  expect(await noticesSince(board, 0)).toHaveLength(1001);
});

test("the newest are first", async () => {
  const board = createMemoryBoard();
  await raise(board, trouble("r_1", "a", 1));
  await raise(board, trouble("r_2", "b", 2));
  expect((await noticesSince(board, 0)).map(({ what }) => what)).toEqual(["b", "a"]);
});

import { expect, it } from "vitest";
import { spread } from "./spread.ts";

it("gives the same number for the same name, below the bound, and no choice where there is none", () => {
  expect(spread("fix 1", 600)).toBe(spread("fix 1", 600));
  expect([spread("a", 0), spread("a", 1)]).toEqual([0, 0]);
  const found = Array.from({ length: 10_000 }, (_, index) => spread(`fix ${index}`, 100));
  expect(Math.min(...found)).toBe(0);
  expect(Math.max(...found)).toBe(99);
  const counts = found.reduce<number[]>((sums, each) => {
    sums[each] = (sums[each] ?? 0) + 1;
    return sums;
  }, []);
  expect(Math.max(...counts)).toBeLessThan(170);
  expect(Math.min(...counts)).toBeGreaterThan(50);
});

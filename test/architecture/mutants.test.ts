/** A mutant changes exactly one place of the code. One that no longer finds its place proves nothing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MUTANTS } from "../../scripts/law-mutants.ts";
import { ROOT, textOf } from "./tree.ts";

it("each mutant finds its place, and its tests are there", () => {
  const lost = MUTANTS.filter(({ file, find, tests }) => {
    const places = textOf(file).split(find).length - 1;
    return places !== 1 || tests.length === 0 || tests.some((path) => !existsSync(join(ROOT, path)));
  });
  expect(lost.map(({ name }) => name)).toEqual([]);
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThan(800);
});

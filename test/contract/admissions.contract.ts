/** What every keeper of admissions must do. */
import { describe, expect, it } from "vitest";
import type { Admissions } from "../../src/ports/loops/admissions.ts";
import type { OpenLoops } from "./loop-store-fixture.ts";

const GB = 1024 ** 3;
const TOTAL = { memoryBytes: 8 * GB, cpus: 4 };

const ask = async ({ ask }: Admissions, key: string, gigabytes: number, total = TOTAL): Promise<boolean> =>
  (await ask({ key, weight: { memoryBytes: gigabytes * GB, cpus: 1 }, total })).admitted;

export function admissionsContract(name: string, open: OpenLoops): void {
  describe(`admissions: ${name}`, () => {
    it("admit no more than fit, whoever asks", async () => {
      const { loops, another } = await open();
      const other = (await another()).admissions;
      const { admissions } = loops;
      expect(await Promise.all([ask(admissions, "a", 3), ask(other, "a", 3), ask(other, "b", 3)])).toEqual([
        ...[true, true, false],
      ]);
      expect(await ask(admissions, "a", 3)).toBe(true);
      expect(await other.ask({ key: "b", weight: { memoryBytes: 3 * GB, cpus: 1 }, total: TOTAL })).toEqual({
        ...{ admitted: false, why: "the memory of the machine is taken" },
      });
      expect((await admissions.list()).map(({ key, isHeld }) => [key, isHeld])).toEqual([
        ["a", true],
        ["a", true],
        ["b", false],
      ]);
      await admissions.leave("a");
      expect(await ask(other, "b", 3)).toBe(true);
      expect((await admissions.list())[0]).toMatchObject({ weight: { cpus: 1 }, holder: { pid: process.pid } });
    });

    it("free what a process held, and its place, the instant it is gone", async () => {
      const { loops, another } = await open();
      const other = await another();
      expect(await ask(other.admissions, "a", 8)).toBe(true);
      expect(await ask(loops.admissions, "b", 1)).toBe(false);
      await other.close();
      expect(await ask(loops.admissions, "b", 1)).toBe(true);
      expect((await loops.admissions.list()).map(({ key }) => key)).toEqual(["b"]);
    });

    it("let light ones pass a heavy one eight times, and then nobody", async () => {
      const { admissions } = (await open()).loops;
      await ask(admissions, "runs", 4);
      expect(await ask(admissions, "heavy", 8)).toBe(false);
      for (let i = 1; i <= 8; i += 1) {
        expect(await ask(admissions, `light${i}`, 1)).toBe(true);
        await admissions.leave(`light${i}`);
      }
      expect(await ask(admissions, "light9", 1)).toBe(false);
      await admissions.leave("runs");
      expect(await ask(admissions, "light9", 1)).toBe(false);
      expect(await ask(admissions, "heavy", 8)).toBe(true);
    });

    it("keep a place for who asks again, and for nobody else", async () => {
      const { loops, pass } = await open();
      const { admissions } = loops;
      await ask(admissions, "runs", 8);
      await ask(admissions, "first", 8);
      await ask(admissions, "second", 8);
      await admissions.leave("runs");
      expect(await ask(admissions, "second", 8)).toBe(false);
      pass(10_001);
      expect(await ask(admissions, "second", 8)).toBe(true);
    });
  });
}

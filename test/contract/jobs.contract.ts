/** What every queue of jobs must do. */
import { describe, expect, it } from "vitest";
import type { Claim, Jobs, Submission } from "../../src/ports/loops/jobs.ts";
import type { OpenLoops } from "./loop-store-fixture.ts";

const NOON = Date.UTC(2026, 5, 1, 12);
const LEASE_MS = 1000;

export function buildJob(id: string, fields: Partial<Submission> = {}): Submission {
  return {
    ...{ id, lane: "default", caller: "a", loop: "fix-tests", run: `r_${id}` as Submission["run"], priority: 0 },
    ...{ weight: { memoryBytes: 0, cpus: 0 }, paths: [], ...fields },
  };
}

const submit = (jobs: Jobs, id: string, fields: Partial<Submission> = {}) => jobs.submit(buildJob(id, fields), NOON);
const claim = (jobs: Jobs, lanes?: readonly string[]): Promise<Claim | null> =>
  jobs.claim({ at: NOON, leaseMs: LEASE_MS, ...(lanes === undefined ? {} : { lanes }) });

async function claimAll(jobs: Jobs): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let next = await claim(jobs); next !== null; next = await claim(jobs)) {
    ids.push(next.job.id);
    expect(await jobs.finish(next.job.id, next.token, NOON)).toBe(true);
  }
  return ids;
}

async function submitAll(jobs: Jobs, caller: string, count: number, fields: Partial<Submission> = {}): Promise<void> {
  for (let i = 1; i <= count; i += 1) await submit(jobs, `${caller}${i}`, { caller, ...fields });
}

async function claimOne(jobs: Jobs): Promise<Claim> {
  const found = await claim(jobs);
  if (found === null) throw new Error("nothing to claim");
  return found;
}

export function jobsContract(name: string, open: OpenLoops): void {
  describe(`jobs: ${name}`, () => {
    it("C1: submit says the position, and of one id there is one job", async () => {
      const { loops, another } = await open();
      expect(await submit(loops.jobs, "1")).toEqual({ isNew: true, state: "queued", position: 1 });
      expect(await submit(loops.jobs, "2")).toEqual({ isNew: true, state: "queued", position: 2 });
      const other = await another();
      expect(await submit(other.jobs, "2", { caller: "b", priority: 9 })).toEqual({
        ...{ isNew: false, state: "queued", position: 2 },
      });
      expect(await other.jobs.get("2")).toEqual({
        ...{ ...buildJob("2"), queuedAt: NOON, state: "queued", token: 0, begunAt: null, holder: null },
      });
      const { token } = await claimOne(loops.jobs);
      expect(await submit(loops.jobs, "1")).toEqual({ isNew: false, state: "running", position: null });
      await loops.jobs.finish("1", token, NOON);
      expect(await submit(loops.jobs, "1")).toEqual({ isNew: false, state: "done", position: null });
      expect(await other.jobs.get("3")).toBeNull();
    });

    it("C1: who submits one is served second after one who submits a hundred", async () => {
      const { loops } = await open();
      await submitAll(loops.jobs, "a", 100);
      expect(await submit(loops.jobs, "b1", { caller: "b" })).toMatchObject({ position: 2 });
      expect((await claimAll(loops.jobs)).slice(0, 3)).toEqual(["a1", "b1", "a2"]);
    });

    it("C1: serves by share, and by priority within a caller only", async () => {
      const { loops } = await open();
      await submitAll(loops.jobs, "a", 4);
      await submitAll(loops.jobs, "b", 4, { share: 2 });
      expect(await submit(loops.jobs, "a5", { priority: 5 })).toMatchObject({ position: 1 });
      expect(await submit(loops.jobs, "b5", { caller: "b", priority: 7, share: 2 })).toMatchObject({ position: 2 });
      const order = ["a5", "b5", "b1", "a1", "b2", "b3", "a2", "b4", "a3", "a4"];
      const { jobs } = await loops.jobs.queue({ at: NOON, limit: 100 });
      expect(jobs.map(({ id, position }) => [id, position])).toEqual(order.map((id, i) => [id, i + 1]));
      expect(await claimAll(loops.jobs)).toEqual(order);
    });

    it("lets nobody save up turns, neither by staying away nor by being held back", async () => {
      const { loops, pass } = await open();
      await submitAll(loops.jobs, "a", 20);
      await submit(loops.jobs, "b1", { caller: "b" });
      await submit(loops.jobs, "b2", { caller: "b" });
      const taken = [await claimOne(loops.jobs), await claimOne(loops.jobs)];
      expect(taken.map(({ job }) => job.id)).toEqual(["a1", "b1"]);
      expect(await loops.jobs.giveBack("b1", 1, 500)).toBe(true);
      await loops.jobs.cancel("b2");
      for (const id of ["a2", "a3", "a4", "a5"]) {
        await loops.jobs.finish(`a${Number(id.slice(1)) - 1}`, 1, NOON);
        expect((await claimOne(loops.jobs)).job.id).toBe(id);
      }
      pass(500);
      await submit(loops.jobs, "b3", { caller: "b" });
      await submit(loops.jobs, "c1", { caller: "c" });
      await submit(loops.jobs, "c2", { caller: "c" });
      await loops.jobs.finish("a5", 1, NOON);
      expect((await claimAll(loops.jobs)).slice(0, 6)).toEqual(["b1", "c1", "a6", "b3", "c2", "a7"]);
    });

    it("C1: runs no more at once than the bound of a lane, which can be changed while it runs", async () => {
      const { loops, another } = await open();
      const other = await another();
      await submitAll(loops.jobs, "a", 9);
      await loops.jobs.declare("default", 1);
      const { token } = await claimOne(loops.jobs);
      expect(await claim(other.jobs)).toBeNull();
      await other.jobs.resize("default", 3);
      expect([await claim(loops.jobs), await claim(other.jobs), await claim(other.jobs)]).toMatchObject([{}, {}, null]);
      await loops.jobs.declare("default", 1);
      await loops.jobs.finish("a1", token, NOON);
      expect((await claimOne(loops.jobs)).job.id).toBe("a4");
      await loops.jobs.declare("default", 2);
      expect((await loops.jobs.queue({ at: NOON, limit: 0 })).lanes).toMatchObject([{ max: 2, running: 3, queued: 5 }]);
      await other.jobs.resize("default", 0);
      await loops.jobs.finish("a4", 1, NOON);
      expect(await claim(loops.jobs)).toBeNull();
      await expect(loops.jobs.resize("default", -1)).rejects.toMatchObject({ code: "LANE_SIZE_INVALID" });
      await expect(loops.jobs.declare("default", 1.5)).rejects.toMatchObject({ code: "LANE_SIZE_INVALID" });
    });

    it("claims from the lanes that are asked for, in their order", async () => {
      const { loops } = await open();
      await submit(loops.jobs, "1", { lane: "agents" });
      await submit(loops.jobs, "2", { lane: "builds" });
      expect(await claim(loops.jobs, ["other"])).toBeNull();
      expect(await claim(loops.jobs, ["builds", "agents"])).toMatchObject({ job: { id: "2" } });
      expect(await claim(loops.jobs)).toMatchObject({ job: { id: "1" } });
    });

    it("C1: cancels what is queued, and nothing else", async () => {
      const { loops } = await open();
      await submitAll(loops.jobs, "a", 3);
      await loops.jobs.cancel("a1");
      const { job, token } = await claimOne(loops.jobs);
      expect(job.id).toBe("a2");
      await expect(loops.jobs.cancel("a2")).rejects.toMatchObject({ code: "LANE_JOB_RUNNING" });
      await loops.jobs.finish("a2", token, NOON);
      for (const id of ["a1", "a2"])
        await expect(loops.jobs.cancel(id)).rejects.toMatchObject({ code: "LANE_JOB_OVER" });
      await expect(loops.jobs.cancel("x")).rejects.toMatchObject({ code: "LANE_JOB_UNKNOWN" });
      expect(await submit(loops.jobs, "a1")).toEqual({ isNew: false, state: "cancelled", position: null });
      expect(await claimAll(loops.jobs)).toEqual(["a3"]);
    });

    it("refuses what it could not count", async () => {
      const { loops } = await open();
      for (const fields of [{ share: 17 }, { share: 0.5 }, { priority: 0.5 }, { lane: "" }, { caller: "" }])
        await expect(submit(loops.jobs, "1", fields)).rejects.toMatchObject({ code: "LANE_JOB_INVALID" });
      expect(await loops.jobs.get("1")).toBeNull();
    });

    it("C5: what is queued outlives the store it was queued in", async () => {
      const { loops, another } = await open();
      await submitAll(loops.jobs, "a", 3);
      await loops.close();
      expect(await claimAll((await another()).jobs)).toEqual(["a1", "a2", "a3"]);
      await expect(loops.jobs.get("a1")).rejects.toMatchObject({ code: "JOURNAL_CLOSED" });
    });

    it("frees what a closed store had at once, with a higher token", async () => {
      const { loops, another } = await open();
      const other = await another();
      await submitAll(loops.jobs, "a", 1);
      expect(await claim(other.jobs)).toMatchObject({ token: 1, isAgain: false, evict: [] });
      expect(await claim(loops.jobs)).toBeNull();
      expect((await loops.jobs.get("a1"))?.holder).toMatchObject({ pid: process.pid });
      await other.close();
      expect((await loops.jobs.get("a1"))?.holder).toBeNull();
      expect(await claim(loops.jobs, ["other"])).toBeNull();
      expect(await claim(loops.jobs)).toMatchObject({ job: { id: "a1" }, token: 2, isAgain: true, evict: [] });
    });

    it("frees what was not renewed in time, and refuses the late one", async () => {
      const { loops, another, pass } = await open();
      const other = await another();
      await submitAll(loops.jobs, "a", 1);
      await claimOne(other.jobs);
      pass(LEASE_MS - 1);
      expect(await other.jobs.renew("a1", 1, LEASE_MS)).toBe(true);
      pass(LEASE_MS - 1);
      expect(await claim(loops.jobs)).toBeNull();
      pass(1);
      expect(await claim(loops.jobs)).toBeNull();
      pass(LEASE_MS * 0.4);
      expect(await claim(loops.jobs)).toMatchObject({ token: 2, isAgain: true, evict: [{ pid: process.pid }] });
      for (const token of [1, 2]) {
        expect(await other.jobs.renew("a1", token, LEASE_MS)).toBe(false);
        expect(await other.jobs.finish("a1", token, NOON)).toBe(false);
        expect(await other.jobs.giveBack("a1", token, 0)).toBe(false);
      }
      expect(await loops.jobs.finish("a1", 1, NOON)).toBe(false);
      expect(await loops.jobs.giveBack("a1", 2, 0)).toBe(true);
      expect(await claim(loops.jobs)).toMatchObject({ token: 3, evict: [{ pid: process.pid }] });
      expect(await loops.jobs.finish("a1", 3, NOON)).toBe(true);
      expect(await loops.jobs.finish("a1", 3, NOON)).toBe(false);
      expect(await loops.jobs.renew("a1", 3, LEASE_MS)).toBe(false);
    });

    it("L7: leaves what it has to a worker that lives and was late only while nobody could look", async () => {
      const { loops, another, pass } = await open();
      const [other, third] = [await another(), await another()];
      await submitAll(loops.jobs, "a", 1);
      await claimOne(other.jobs);
      for (const _ of [1, 2]) {
        pass(9 * LEASE_MS);
        expect(await claim(loops.jobs)).toBeNull();
        pass(LEASE_MS / 4);
        expect(await claim(third.jobs)).toBeNull();
        expect(await other.jobs.renew("a1", 1, LEASE_MS)).toBe(true);
      }
      pass(9 * LEASE_MS);
      expect(await claim(loops.jobs)).toBeNull();
      pass(LEASE_MS / 2);
      expect(await claim(third.jobs)).toMatchObject({ token: 2, evict: [{ pid: process.pid }] });
    });

    it("L7: gives a worker again what it has and is not at", async () => {
      const { loops, another } = await open();
      const other = await another();
      await submitAll(loops.jobs, "a", 2);
      const ask = (jobs: Jobs, worksOn: readonly string[]) => jobs.claim({ at: NOON, leaseMs: LEASE_MS, worksOn });
      await ask(loops.jobs, []);
      expect(await ask(loops.jobs, ["a1"])).toMatchObject({ job: { id: "a2" }, token: 1 });
      expect(await ask(other.jobs, [])).toBeNull();
      expect(await ask(loops.jobs, ["a1", "a2"])).toBeNull();
      expect(await ask(loops.jobs, ["a2"])).toMatchObject({ job: { id: "a1" }, token: 2, isAgain: true, evict: [] });
      expect(await loops.jobs.finish("a1", 1, NOON)).toBe(false);
      expect(await loops.jobs.finish("a1", 2, NOON)).toBe(true);
      expect(await ask(loops.jobs, ["a2"])).toBeNull();
    });

    it("leaves its own to a worker that is late, as long as nobody else took it", async () => {
      const { loops, pass } = await open();
      await submitAll(loops.jobs, "a", 1);
      await claimOne(loops.jobs);
      pass(LEASE_MS);
      expect(await claim(loops.jobs)).toBeNull();
      expect(await loops.jobs.renew("a1", 1, LEASE_MS)).toBe(true);
    });

    it("keeps what was given back for its time, a minute at most, and serves others meanwhile", async () => {
      const { loops, pass } = await open();
      await submitAll(loops.jobs, "a", 2);
      await claimOne(loops.jobs);
      await loops.jobs.giveBack("a1", 1, 3_600_000);
      expect((await claimOne(loops.jobs)).job.id).toBe("a2");
      expect(await claim(loops.jobs)).toBeNull();
      expect(await submit(loops.jobs, "a1")).toMatchObject({ state: "queued", position: 1 });
      pass(60_000);
      expect(await claim(loops.jobs)).toMatchObject({ job: { id: "a1" }, token: 2 });
    });

    it("C1: tells how each lane does, and when each job is likely to begin", async () => {
      const { loops, pass } = await open();
      await submitAll(loops.jobs, "a", 7);
      await submit(loops.jobs, "x", { lane: "other" });
      const first = await loops.jobs.queue({ lane: "default", at: NOON, limit: 100 });
      expect(first.lanes).toEqual([{ lane: "default", max: 2, running: 0, queued: 7, perHour: 0, meanMs: null }]);
      expect(first.jobs.map(({ etaMs }) => etaMs)).toEqual([0, 0, ...Array(5).fill(null)]);
      for (const took of [100, 300]) {
        const { job, token } = await claimOne(loops.jobs);
        pass(took);
        await loops.jobs.finish(job.id, token, NOON);
      }
      await claimOne(loops.jobs);
      const { lanes, jobs } = await loops.jobs.queue({ lane: "default", at: NOON, limit: 4 });
      expect(lanes).toEqual([{ lane: "default", max: 2, running: 1, queued: 4, perHour: 2, meanMs: 200 }]);
      expect(jobs.map(({ id, state, position, etaMs }) => [id, state, position, etaMs])).toEqual([
        ["a3", "running", null, null],
        ["a4", "queued", 1, 0],
        ["a5", "queued", 2, 100],
        ["a6", "queued", 3, 200],
      ]);
      expect((await loops.jobs.queue({ at: NOON + 3_600_000, limit: 0 })).lanes).toMatchObject([
        { lane: "default", perHour: 0, meanMs: 200 },
        { lane: "other", queued: 1 },
      ]);
    });
  });
}

/** The contract of the Reaper port. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import type { RunId } from "../../src/base/ids.ts";
import type { Reaper } from "../../src/ports/stop/reaper.ts";
import { isGone, makeFolder, removeFolders } from "../support/process-fixture.ts";
import { PATIENCE_MS } from "../support/slowness.ts";

const RUN = "r_reaper000001" as RunId;
const OTHER = "r_reaper000002" as RunId;
/** Hears nothing, and has a child of its own in another session. */
const DEAF = `trap '' TERM INT HUP; setsid sh -c "trap '' TERM; while :; do sleep 1; done" & echo $!; while :; do sleep 1; done`;

export type OpenReaper = (stateDir: string) => Reaper;

export function reaperContract(name: string, open: OpenReaper): void {
  const started: ChildProcess[] = [];
  afterEach(async () => {
    for (const { pid } of started.splice(0)) if (pid !== undefined && !isGone(pid)) process.kill(pid, "SIGKILL");
    removeFolders();
  });

  /** A process with a child that has left it; resolves to both ids. */
  async function start(env: Record<string, string>, script = DEAF): Promise<readonly [number, number]> {
    const child = spawn("/bin/sh", ["-c", script], { env: { PATH: process.env["PATH"], ...env }, detached: true });
    started.push(child);
    const [text] = (await new Promise((resolve) => child.stdout.once("data", (data) => resolve([data])))) as [Buffer];
    return [child.pid ?? 0, Number(text.toString())];
  }

  async function gone(pids: readonly number[]): Promise<boolean> {
    for (const until = performance.now() + PATIENCE_MS; !pids.every(isGone) && performance.now() < until; )
      await sleep(10);
    return pids.every(isGone);
  }

  describe(`Reaper contract: ${name}`, () => {
    it("ends every process of a run, whatever it ignores and wherever it went, and nobody else's", async () => {
      const reaper = open(makeFolder());
      const own = await start({ PAWL_KEY: `${RUN}:build:1` });
      const stopped = await start({ PAWL_KEY: `${RUN}:test[3]:2` });
      process.kill(stopped[0], "SIGSTOP");
      const others = [...(await start({ PAWL_KEY: `${OTHER}:build:1` })), ...(await start({ MORE: `${RUN}:build:1` }))];
      const { ended, left } = await reaper.endRuns([RUN]);
      expect([ended >= 4, left]).toEqual([true, []]);
      expect(await gone([...own, ...stopped])).toBe(true);
      expect(others.some(isGone)).toBe(false);
      expect(await reaper.endRuns([RUN])).toEqual({ ended: 0, left: [] });
      await reaper.endRuns([OTHER]);
      for (const pid of others) if (!isGone(pid)) process.kill(pid, "SIGKILL");
    });

    it("ends a host of this project, also a stopped one, and whatever it has started", async () => {
      const stateDir = makeFolder();
      mkdirSync(join(stateDir, "hosts"));
      writeFileSync(join(stateDir, "hosts", "h_1.lock"), "");
      const script = `exec 7<'${join(stateDir, "hosts", "h_1.lock")}'; ${DEAF}`;
      const [pid, child] = await start({}, script);
      process.kill(pid, "SIGSTOP");
      const holder = { pid, hostname: hostname(), since: 0 };
      const reaped = await open(stateDir).endHost(holder);
      expect(reaped).toMatchObject({ left: [] });
      expect(reaped?.ended).toBeGreaterThanOrEqual(2);
      expect(await gone([pid, child])).toBe(true);
      expect(await open(stateDir).endHost(holder)).toEqual({ ended: 0, left: [] });
    });

    it("L7: finds a host gone that several end at once, and leaves none", async () => {
      const stateDir = makeFolder();
      mkdirSync(join(stateDir, "hosts"));
      writeFileSync(join(stateDir, "hosts", "h_1.lock"), "");
      const reaper = open(stateDir);
      for (let round = 0; round < 20; round += 1) {
        const [pid, child] = await start({}, `exec 7<'${join(stateDir, "hosts", "h_1.lock")}'; ${DEAF}`);
        const holder = { pid, hostname: hostname(), since: 0 };
        const several = [1, 2, 3, 4].map(async (each) => {
          await sleep(each * round);
          return reaper.endHost(holder);
        });
        for (const reaped of await Promise.all(several)) expect(reaped).toMatchObject({ left: [] });
        expect(await gone([pid, child])).toBe(true);
      }
    });

    it("touches no process that is no host of this project, none of another machine, and not itself", async () => {
      const stateDir = makeFolder();
      mkdirSync(join(stateDir, "hosts"));
      const family = await start({});
      const reaper = open(stateDir);
      const holder = { pid: family[0], hostname: hostname(), since: 0 };
      expect(await reaper.endHost(holder)).toBeNull();
      expect(await reaper.endHost({ ...holder, hostname: "elsewhere" })).toBeNull();
      expect(await reaper.endHost({ ...holder, pid: process.pid })).toBeNull();
      expect(family.some(isGone)).toBe(false);
      for (const pid of family) process.kill(pid, "SIGKILL");
    });
  });
}

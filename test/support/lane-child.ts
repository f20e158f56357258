/**
 * A process of its own on the queue of a project: `node lane-child.ts <dir> submit <caller> <count> <seed>` queues its jobs, in an
 * order and with priorities of its own; `… work <lease ms> <seed>` claims jobs until none is left and says each before it is
 * finished; `… hold` claims one and keeps it.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { openSqliteLoops } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { isPawlError } from "../../src/base/errors.ts";
import type { RunId } from "../../src/base/ids.ts";
import { chance } from "../simulation/random.ts";

const say = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const [dir = "", verb = "", who = "", count = "0", seed = "1"] = process.argv.slice(2);
const dice = chance(Number(seed));
const clock = createSystemClock();

/** Nothing was stored when the file was locked for too long, so it is asked again. */
async function patient<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPawlError(error) || error.code !== "JOURNAL_BUSY") throw error;
    }
  }
}

const { jobs, close } = await patient(() => openSqliteLoops({ dir, clock }));

if (verb === "submit") {
  const weight = { memoryBytes: dice.int(1000), cpus: dice.int(4) };
  const submitted: Promise<unknown>[] = [];
  for (let i = 0; i < Number(count); i += 1) {
    const id = `${who}-${i}`;
    const job = { id, lane: "default", caller: who, loop: who, run: `r_${id}` as RunId, weight, paths: [] };
    submitted.push(patient(() => jobs.submit({ ...job, priority: dice.int(3) }, clock.now())));
    if (dice.hit(0.1)) await Promise.all(submitted.splice(0));
  }
  await Promise.all(submitted);
  say({ submitted: Number(count) });
} else if (verb === "hold") {
  say({ job: (await patient(() => jobs.claim({ at: clock.now(), leaseMs: 60_000 })))?.job.id });
  await sleep(3_600_000);
} else {
  const leaseMs = Number(who);
  const idle = Number(count);
  for (let empty = 0; empty < idle; ) {
    const claim = await patient(() => jobs.claim({ at: clock.now(), leaseMs }));
    if (claim === null) {
      empty += 1;
      await sleep(20);
      continue;
    }
    empty = 0;
    const { job, token, isAgain, evict } = claim;
    say({ job: job.id, caller: job.caller, token, isAgain, evict: evict.length });
    if (dice.hit(0.02)) await sleep(dice.int(20));
    say({ finished: job.id, was: await patient(() => jobs.finish(job.id, token, clock.now())) });
  }
}
await close();
say({ ended: true });

/** Schedules: what the next wake of one loop costs among a thousand and more, and what ten thousand loops cost while nothing is due. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openSqliteLoops } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import type { Loop } from "../../src/blueprint/project/project-file.ts";
import { spread } from "../../src/loops/schedule/spread.ts";
import { createWakes } from "../../src/loops/schedule/wakes.ts";
import { createFiring } from "../../src/runtime/serve/firing.ts";
import { createScheduler } from "../../src/runtime/serve/scheduler.ts";
import { createLoopReader } from "../../src/runtime/serve/served-loop.ts";
import type { Figure } from "../figure.ts";
import { median } from "../statistics.ts";
import { type Served, serveIdle } from "../tasks/served.ts";

const LOOPS = 10_000;
const MIB = 1024 * 1024;

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

const SETTLES_S = 40;

/** V8 gives back what the start has taken once, some fifteen seconds later: a fifth of a second that no idle loop costs. */
async function settled(): Promise<void> {
  for (let seconds = 0; seconds < SETTLES_S; seconds += 1) {
    const { heapTotal, heapUsed } = process.memoryUsage();
    if (heapTotal < 1.5 * heapUsed) return;
    await sleep(1000);
  }
}

/** Microseconds of the processor for one wake: the first is taken and put back at its next time. */
function costOfWake(size: number, rounds: number): number {
  const wakes = createWakes();
  for (let index = 0; index < size; index += 1) wakes.set(`loop ${index}`, spread(`at ${index}`, 1e9));
  const from = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) {
    const first = wakes.first();
    if (first !== null) wakes.set(first.name, first.at + 1e6 + spread(`next ${round}`, 1e6));
  }
  const { user, system } = process.cpuUsage(from);
  return (user + system) / rounds;
}

function loopOf(index: number): Loop {
  const trigger =
    index % 2 === 0
      ? ({ kind: "every", minMs: 3_600_000, maxMs: 7_200_000 } as const)
      : ({ kind: "cron", text: `${index % 60} 3 1 1 *`, zone: "Europe/Berlin" } as const);
  return {
    ...{ name: `loop-${index}`, source: "a.yaml", kind: "blueprint", level: "L1", params: {}, trigger, catchUp: "one" },
    ...{
      jitterMs: 0,
      priority: 0,
      lane: "default",
      paths: [],
      maxOpen: null,
      agent: null,
      weight: { memoryBytes: 0, cpus: 0 },
    },
    where: { file: "pawl.yaml", line: 1, column: 1, length: 1 },
  };
}

async function idle(
  seconds: number,
): Promise<{ readonly startMs: number; readonly cpu: number; readonly mib: number }> {
  const dir = mkdtempSync(join(tmpdir(), "pawl-bench-schedule-"));
  const clock = createSystemClock();
  const store = await openSqliteLoops({ dir, clock });
  collect();
  const before = process.memoryUsage().rss;
  const read = createLoopReader();
  const loops = new Map(Array.from({ length: LOOPS }, (_, index) => [`loop-${index}`, read(loopOf(index))]));
  const { slots, jobs } = store;
  const now = (): number => clock.now();
  const tell = (): void => undefined;
  const firing = createFiring({ slots, jobs, now, tell, row: async () => undefined, onSubmitted: tell });
  const scheduler = createScheduler({ slots, firing, now, tell, clock, loops: () => loops });
  const from = performance.now();
  await scheduler.start();
  const startMs = performance.now() - from;
  // What was due at the beginning is not what is measured, nor what this process has to collect of its own.
  await sleep(2000);
  collect();
  await settled();
  const used = process.cpuUsage();
  await sleep(seconds * 1000);
  const { user, system } = process.cpuUsage(used);
  collect();
  const mib = (process.memoryUsage().rss - before) / MIB;
  await scheduler.stop();
  await store.close();
  rmSync(dir, { recursive: true });
  return { startMs, cpu: (user + system) / (seconds * 1e6), mib };
}

export const schedule: Figure = {
  name: "schedule",
  async measure({ quick, log, dir }) {
    log(`schedule: ${LOOPS} loops, nothing due`);
    const idled = await idle(quick ? 5 : 20);
    const served: Served[] = [];
    for (const loops of [1, LOOPS]) {
      log(`schedule: pawl serve with ${loops} loops`);
      served.push(await serveIdle({ dir, loops, seconds: quick ? 5 : 20 }));
    }
    const [one, all] = served as [Served, Served];
    const rounds = quick ? 3 : 9;
    const samples: { few: number[]; many: number[]; most: number[] } = { few: [], many: [], most: [] };
    for (let round = 1; round <= rounds; round += 1) {
      log(`schedule: round ${round}/${rounds}`);
      samples.few.push(costOfWake(1000, 200_000));
      samples.many.push(costOfWake(LOOPS, 200_000));
      samples.most.push(costOfWake(100_000, 200_000));
    }
    const [few, many, most] = [median(samples.few), median(samples.many), median(samples.most)];
    return {
      tables: [
        {
          title: "The next wake of one loop (medians)",
          columns: ["loops", "µs of processor"],
          rows: [
            ["1,000", few],
            ["10,000", many],
            ["100,000", most],
          ],
        },
        {
          title: `${LOOPS} loops while nothing is due`,
          columns: ["start, ms", "processor, share of a core", "memory, MB"],
          rows: [[idled.startMs, idled.cpu, idled.mib]],
        },
        {
          title: "pawl serve while nothing is due",
          columns: ["loops", "ready, ms", "processor, share of a core", "resident memory, MB"],
          rows: [
            ["1", one.readyMs, one.cpu, one.mib],
            ["10,000", all.readyMs, all.cpu, all.mib],
          ],
        },
      ],
      bars: [
        // Were it log n: 1.33. Were it the root of n: 3.2. Were it n: 10.
        {
          name: "a wake among 10,000 loops over one among 1,000",
          measured: many / few,
          rule: "at_most",
          limit: 2,
          unit: "x",
        },
        { name: "processor of 10,000 idle loops", measured: idled.cpu, rule: "at_most", limit: 0.01, unit: "cores" },
        { name: "memory of 10,000 idle loops", measured: idled.mib, rule: "at_most", limit: 100, unit: "MB" },
        {
          name: "processor of pawl serve with 10,000 loops over one",
          measured: all.cpu - one.cpu,
          rule: "at_most",
          limit: 0.01,
          unit: "cores",
        },
        {
          name: "resident memory of pawl serve with 10,000 loops over one",
          measured: all.mib - one.mib,
          rule: "at_most",
          limit: 100,
          unit: "MB",
        },
      ],
      samples: { ...samples, idle: [idled.startMs, idled.cpu, idled.mib], served },
    };
  },
};

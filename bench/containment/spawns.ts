/** Supervised spawns: how many processes without a wall a second, beside Node's own spawn. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readConfig } from "../../src/runtime/config.ts";
import type { FigureContext, FigureResult } from "../figure.ts";
import { withStateDir } from "../state-dir.ts";
import { median } from "../statistics.ts";
import { execute, openSandbox, requestFor, withExecutor } from "./parts.ts";
import { ratio, type Samples, takeTurn, timed } from "./turns.ts";

const PROGRAM = "/bin/true";
const RAW = "child_process.spawn";
const OURS = "the executor";
const CONCURRENCIES = [1, 8] as const;

export function measureSpawns(context: FigureContext): Promise<FigureResult> {
  return withStateDir(context.dir, "spawns", async (dir) => {
    const rounds = context.quick ? 15 : 41;
    const batch = context.quick ? 40 : 80;
    const { processEnv: env } = readConfig();
    const spawnRaw = async (): Promise<void> => {
      const child = spawn(PROGRAM, [], { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.resume();
      child.stderr.resume();
      const [code] = (await once(child, "exit")) as [number | null];
      if (code !== 0) throw new Error(`${PROGRAM} ended with ${code}`);
    };
    const samples: Record<number, Samples> = {};
    await withExecutor(dir, await openSandbox(), async (executor) => {
      const supervise = (): Promise<void> => execute(executor, requestFor([PROGRAM], dir, "danger_full_access"));
      for (const concurrency of CONCURRENCIES) {
        context.log(`containment: supervised spawns, ${rounds} rounds of ${batch}, ${concurrency} at once`);
        const own: Samples = {};
        const ways = {
          [RAW]: () => rateOf(spawnRaw, batch, concurrency),
          [OURS]: () => rateOf(supervise, batch, concurrency),
        };
        await takeTurn({}, ways, 0);
        for (let round = 0; round < rounds; round += 1) await takeTurn(own, ways, round);
        samples[concurrency] = own;
      }
    });
    return resultOf(samples);
  });
}

/** Calls a second. */
async function rateOf(call: () => Promise<void>, calls: number, concurrency: number): Promise<number> {
  let left = calls;
  const work = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1;
      await call();
    }
  };
  const ms = await timed(() => Promise.all(Array.from({ length: concurrency }, work)));
  return (calls * 1000) / ms;
}

function resultOf(samples: Readonly<Record<number, Samples>>): FigureResult {
  return {
    tables: [
      {
        title: "Processes a second without a wall (`/bin/true`; medians)",
        columns: ["at once", RAW, OURS, "over raw"],
        rows: CONCURRENCIES.map((concurrency) => {
          const own = samples[concurrency] ?? {};
          return [concurrency, median(own[RAW] ?? []), median(own[OURS] ?? []), ratio(own, OURS, RAW)];
        }),
      },
    ],
    bars: CONCURRENCIES.map((concurrency) => ({
      name: `supervised spawns/s over child_process.spawn at ${concurrency}`,
      measured: ratio(samples[concurrency] ?? {}, OURS, RAW),
      rule: "at_least" as const,
      limit: 0.7,
      unit: "x",
    })),
    samples,
  };
}

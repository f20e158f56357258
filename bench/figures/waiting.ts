/** Waiting runs: what ten thousand of them cost `pawl serve` while nothing is due, also behind a long history. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfig } from "../../src/runtime/config.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import type { Figure } from "../figure.ts";
import { type Served, serveIdle } from "../tasks/served.ts";

interface History {
  readonly waiting: number;
  readonly ended: number;
}

const AT_ONCE = 64;
const ASKS = `version: 1
name: asks
stages: [{ id: ask, gate: { approval: { question: "Fine?", expires: 30d, remind: 20d } } }]
`;
/** Its policy ends it at once. */
const ENDS = `version: 1
name: ends
policy: { deny: [{ action: file.append }] }
stages: [{ id: one, action: file.append, with: { path: a.txt, line: a } }]
`;

/** Real runs: each asks a person, or has ended. */
async function fill(root: string, { waiting, ended }: History): Promise<void> {
  writeFileSync(join(root, "asks.yaml"), ASKS);
  writeFileSync(join(root, "ends.yaml"), ENDS);
  const config = readConfig({ flags: { root }, env: { PATH: process.env["PATH"] } });
  const runtime = await openRuntime({ root, config });
  await begin(runtime, "ends.yaml", ended);
  await begin(runtime, "asks.yaml", waiting);
  await runtime.close();
}

async function begin(runtime: Runtime, blueprint: string, count: number): Promise<void> {
  const { plan } = await runtime.compile(blueprint, {});
  if (!plan.ok) throw new Error(`${blueprint} does not compile`);
  const { value } = plan;
  let left = count;
  async function one(): Promise<void> {
    while (left > 0) {
      left -= 1;
      await (await runtime.start(value)).ended;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

export const waiting: Figure = {
  name: "waiting",
  async measure({ quick, log, dir }) {
    const histories: readonly History[] = [
      { waiting: 0, ended: 0 },
      { waiting: 10_000, ended: 0 },
      { waiting: 100, ended: quick ? 10_000 : 100_000 },
    ];
    const served: Served[] = [];
    for (const history of histories) {
      log(`waiting: ${history.waiting} waiting runs, ${history.ended} ended ones`);
      const seconds = quick ? 30 : 60;
      served.push(await serveIdle({ dir, loops: 1, seconds, fill: (root) => fill(root, history) }));
    }
    const [, many, long] = served as [Served, Served, Served];
    const bar = { rule: "at_most", limit: 0.005, unit: "cores" } as const;
    return {
      tables: [
        {
          title: "pawl serve with waiting runs while nothing is due",
          columns: ["waiting runs", "ended runs", "ready, ms", "processor, share of a core", "resident memory, MB"],
          rows: histories.map((history, index) => {
            const { readyMs, cpu, mib } = served[index] as Served;
            return [String(history.waiting), String(history.ended), readyMs, cpu, mib];
          }),
        },
      ],
      bars: [
        { ...bar, name: "processor of pawl serve with 10,000 waiting runs", measured: many.cpu },
        { ...bar, name: "processor of pawl serve behind a long history", measured: long.cpu },
      ],
      samples: served,
    };
  },
};

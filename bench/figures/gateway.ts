/** Gateway: what metering, reserving and recording cost beside a plain reverse proxy in front of the same provider. */

import type { Figure, FigureContext, FigureResult } from "../figure.ts";
import { latencies, type Server, serve, throughput } from "../gateway/drive.ts";
import { withStateDir } from "../state-dir.ts";
import { median } from "../statistics.ts";

const STREAMS = 64;
const MEGABYTE = 1024 * 1024;

export const gateway: Figure = {
  name: "gateway",
  measure: (context) =>
    withStateDir(context.dir, "gateway", async (stateDir) => {
      const provider = await serve("provider");
      const rivals: Rivals = {
        direct: provider,
        plain: await serve("plain", provider.url),
        pawl: await serve("gateway", provider.url, stateDir),
      };
      try {
        return await compare(rivals, context);
      } finally {
        for (const server of Object.values(rivals)) server.stop();
      }
    }),
};

type Rivals = Readonly<Record<"direct" | "plain" | "pawl", Server>>;
const NAMES = ["direct", "plain", "pawl"] as const;

async function compare(rivals: Rivals, { quick, log }: FigureContext): Promise<FigureResult> {
  const [rounds, calls, packets] = quick ? [3, 200, 100] : [9, 500, 300];
  const samples = { direct: [] as Sample[], plain: [] as Sample[], pawl: [] as Sample[] };
  const memory: number[] = [];
  for (const name of NAMES) {
    await latencies(rivals[name], 50);
    await throughput(rivals[name], STREAMS, 10);
  }
  for (let round = 1; round <= rounds; round += 1) {
    log(`gateway: round ${round}/${rounds}`);
    for (const name of NAMES) {
      const p50 = median(await latencies(rivals[name], calls));
      samples[name].push({ p50, rate: await throughput(rivals[name], STREAMS, packets) });
    }
    // Asked of both: it collects, and whoever was just collected begins the next round with a small heap.
    await rivals.plain.rss();
    memory.push((await rivals.pawl.rss()) / MEGABYTE);
  }
  return resultOf(samples, memory);
}

interface Sample {
  /** Milliseconds of a small call. */
  readonly p50: number;
  /** Megabytes a second of streams. */
  readonly rate: number;
}

type Samples = Readonly<Record<"direct" | "plain" | "pawl", readonly Sample[]>>;

function resultOf(samples: Samples, memory: readonly number[]): FigureResult {
  const { direct, plain, pawl } = samples;
  const added = median(pawl.map(({ p50 }, round) => p50 - (direct[round]?.p50 ?? Number.NaN)));
  const ratio = median(pawl.map(({ rate }, round) => rate / (plain[round]?.rate ?? Number.NaN)));
  // Later rounds over the first ones: what a process keeps of what has passed.
  const half = Math.floor(memory.length / 2);
  const growth = median(memory.slice(-Math.max(1, half))) - median(memory.slice(0, Math.max(1, half)));
  const row = (name: keyof Samples): readonly (string | number)[] => [
    name,
    median(samples[name].map(({ p50 }) => p50)),
    median(samples[name].map(({ rate }) => rate)),
  ];
  return {
    tables: [
      {
        title: `A provider on loopback, reached directly and through each; ${STREAMS} streams at once (medians)`,
        columns: ["way", "small call p50 ms", "streams MB/s"],
        rows: [row("direct"), row("plain"), row("pawl")],
      },
    ],
    bars: [
      { name: "gateway: added latency, p50", measured: added, rule: "at_most", limit: 3, unit: "ms" },
      { name: "gateway: streams over a plain proxy", measured: ratio, rule: "at_least", limit: 0.8, unit: "x" },
      { name: "gateway: memory kept by later rounds", measured: growth, rule: "at_most", limit: 16, unit: "MB" },
    ],
    samples: { ...samples, memory },
  };
}

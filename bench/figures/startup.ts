/** Start-up: the command line against bare Node, and the first durable stage of a new process against raw SQLite. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Figure, FigureContext } from "../figure.ts";
import { withStateDir } from "../state-dir.ts";
import { median } from "../statistics.ts";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const COLD_PAWL = fileURLToPath(new URL("../cold/pawl.mjs", import.meta.url));
const COLD_RAW = fileURLToPath(new URL("../cold/raw.mjs", import.meta.url));

interface Started {
  /** From spawn to exit, as the caller sees it. */
  readonly wallMs: number;
  /** From the start of the process to the durable stage, as the process printed it. */
  readonly durableMs: number;
}

export const startup: Figure = {
  name: "startup",
  async measure(context) {
    const rounds = context.quick ? 7 : 21;
    const samples: Record<string, Started[]> = { node: [], pawl: [], "raw first stage": [], "pawl first stage": [] };
    for (let round = 1; round <= rounds; round += 1) {
      if (round % 7 === 1) context.log(`startup: round ${round}/${rounds}`);
      samples["node"]?.push(await start(context, ["-e", "0"]));
      samples["pawl"]?.push(await start(context, [CLI, "--version"]));
      samples["raw first stage"]?.push(await start(context, [COLD_RAW]));
      samples["pawl first stage"]?.push(await start(context, [COLD_PAWL]));
    }
    const of = (name: string, value: (started: Started) => number): number => median((samples[name] ?? []).map(value));
    const wall = (started: Started): number => started.wallMs;
    const durable = (started: Started): number => started.durableMs;
    return {
      tables: [
        {
          title: "Start-up of a new process (fresh store; medians)",
          columns: ["process", "first durable stage ms", "wall ms"],
          rows: [
            ["node -e 0", "-", of("node", wall)],
            ["pawl --version", "-", of("pawl", wall)],
            ["raw SQLite script", of("raw first stage", durable), of("raw first stage", wall)],
            ["pawl, one action stage", of("pawl first stage", durable), of("pawl first stage", wall)],
          ],
        },
      ],
      bars: [
        {
          name: "pawl --version over node -e 0",
          measured: of("pawl", wall) / of("node", wall),
          rule: "at_most",
          limit: 2,
          unit: "x",
        },
        {
          name: "first durable stage over a raw SQLite script",
          measured: of("pawl first stage", durable) / of("raw first stage", durable),
          rule: "at_most",
          limit: 2.5,
          unit: "x",
        },
      ],
      samples,
    };
  },
};

function start(context: FigureContext, argv: readonly string[]): Promise<Started> {
  return withStateDir(context.dir, "startup", async (dir) => {
    const from = performance.now();
    const child = spawnSync(process.execPath, argv, { cwd: dir, encoding: "utf8", timeout: 60_000 });
    const wallMs = performance.now() - from;
    if (child.status !== 0) throw new Error(`node ${argv.join(" ")} ended with ${child.status}\n${child.stderr}`);
    return { wallMs, durableMs: Number.parseFloat(child.stdout) };
  });
}

/** The bench: measures Pawl beside the raw limit and its peers; tables on stdout, progress on stderr, JSON in results/. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg, release } from "node:os";
import { fileURLToPath } from "node:url";
import { SYSTEMS } from "./catalogue.ts";
import { type Bar, type Figure, type FigureContext, type FigureResult, passes } from "./figure.ts";
import { containment } from "./figures/containment.ts";
import { gateway } from "./figures/gateway.ts";
import { growth } from "./figures/growth.ts";
import { harness } from "./figures/harness.ts";
import { memory } from "./figures/memory.ts";
import { policy } from "./figures/policy.ts";
import { queries } from "./figures/queries.ts";
import { resume } from "./figures/resume.ts";
import { schedule } from "./figures/schedule.ts";
import { startup } from "./figures/startup.ts";
import { throughput } from "./figures/throughput.ts";
import { waiting } from "./figures/waiting.ts";
import { type BenchOptions, parseOptions, USAGE } from "./options.ts";
import { buildPawl, installPeers } from "./prepare.ts";
import { renderBars, renderTable } from "./report.ts";

const FIGURES: readonly Figure[] = [
  throughput,
  growth,
  memory,
  resume,
  queries,
  startup,
  containment,
  policy,
  schedule,
  waiting,
  gateway,
  harness,
];
const RESULTS = fileURLToPath(new URL("./results/", import.meta.url));

function log(text: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

function readOptions(): BenchOptions | null {
  try {
    return parseOptions(
      process.argv.slice(2),
      [...FIGURES, ...SYSTEMS].map(({ name }) => name),
    );
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    return null;
  }
}

/** Names given with --only choose within their kind; a kind that no name was given of stays whole. */
function chosen<T extends { readonly name: string }>(all: readonly T[], only: ReadonlySet<string>): readonly T[] {
  const some = all.filter(({ name }) => only.has(name));
  return some.length > 0 ? some : all;
}

function prepare(options: BenchOptions, figures: readonly Figure[]): FigureContext {
  const wanted = chosen(SYSTEMS, options.only);
  // These are measured on source files, which the package does not export.
  const compiled = figures.filter((figure) => ![containment, policy, schedule, gateway, harness].includes(figure));
  const needsPawl = (figure: Figure): boolean => figure !== throughput || wanted.some(({ kind }) => kind === "pawl");
  if (compiled.some(needsPawl)) buildPawl(log);
  const needsPeers = figures.includes(throughput) && wanted.some(({ kind }) => kind === "peer");
  const hasPeers = needsPeers && installPeers(log);
  if (options.profileDir !== null) mkdirSync(options.profileDir, { recursive: true });
  mkdirSync(options.dir, { recursive: true });
  const systems = wanted.filter(({ kind }) => kind !== "peer" || hasPeers);
  return { quick: options.quick, dir: options.dir, profileDir: options.profileDir, systems, log };
}

/** A figure that failed is a bar that was missed; the others are still measured. */
function unmeasured(figure: Figure, error: Error): FigureResult {
  log(`${figure.name} was not measured: ${error.stack}`);
  const bar: Bar = { name: `${figure.name} is measured`, measured: Number.NaN, rule: "at_least", limit: 1, unit: "" };
  return { tables: [], bars: [bar], samples: error.message };
}

async function measure(options: BenchOptions): Promise<readonly Bar[]> {
  const figures = chosen(FIGURES, options.only);
  const context = prepare(options, figures);
  const startedAt = new Date().toISOString();
  const results: Record<string, FigureResult> = {};
  for (const figure of figures) {
    const result = await figure.measure(context).catch((error: Error) => unmeasured(figure, error));
    results[figure.name] = result;
    if (!options.json) for (const table of result.tables) process.stdout.write(`${renderTable(table)}\n`);
  }
  const bars = Object.values(results).flatMap((result) => result.bars);
  const machine = {
    node: process.version,
    kernel: release(),
    cpus: cpus().length,
    cpu: cpus()[0]?.model,
    load: loadavg(),
  };
  const judged = bars.map((bar) => ({ ...bar, pass: passes(bar) }));
  const text = JSON.stringify({ startedAt, quick: options.quick, machine, bars: judged, figures: results }, null, 2);
  mkdirSync(RESULTS, { recursive: true });
  const file = `${RESULTS}${startedAt.replaceAll(":", "-")}.json`;
  writeFileSync(file, `${text}\n`);
  process.stdout.write(options.json ? `${text}\n` : renderBars(bars));
  log(`results: ${file}`);
  return bars;
}

async function main(): Promise<number> {
  const options = readOptions();
  if (options === null) return 3;
  try {
    const bars = await measure(options);
    return options.assert && !bars.every(passes) ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

process.exitCode = await main();

/**
 * A process of its own that looks at what a power cut left: `node --import tsx power-cut-witness.ts <root> <work> <loss>`.
 * It goes on with what was under way, and prints a Testimony.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { sha256 } from "../../src/base/digest.ts";
import type { RunId } from "../../src/base/ids.ts";
import { canonical, type JsonObject } from "../../src/base/json.ts";
import type { RunRow } from "../../src/ports/store/run-index.ts";
import type { Store } from "../../src/ports/store/store.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { statePaths } from "../../src/runtime/paths.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { createRun } from "./events-builder.ts";
import type { Testimony } from "./power-cut.ts";

const ALL = Number.MAX_SAFE_INTEGER;

const [root = "", work = "", loss = ""] = process.argv.slice(2);
const problems: string[] = [];

async function rowsOf(from: Pick<Store["runs"], "list">): Promise<readonly RunRow[]> {
  const rows: RunRow[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await from.list({ limit: 1000, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...page.rows);
    cursor = page.next;
  }
  return rows;
}

/** Every event as `<run> <seq> <digest>`. The chain is checked over the bytes as they are stored. */
async function readJournal(): Promise<string[]> {
  const dir = statePaths(root).state;
  const store = await openSqliteStore({ dir, clock: createSystemClock(), acceptLoss: loss === "accepted" });
  const events: string[] = [];
  for (const { run } of await rowsOf(store.runs)) {
    const report = await store.journal.verify(run);
    if (!report.intact) problems.push(`${run}: event ${report.seq}: ${report.problem}`);
    for (const { seq, event } of await store.journal.read(run, 0, ALL)) {
      events.push(`${run} ${seq} ${sha256(canonical(event as unknown as JsonObject))}`);
    }
  }
  problems.push(...(await store.integrity()));
  // What was left must be good to write on.
  const next = await createRun(store.journal, { more: 3 });
  if (!(await store.journal.verify(next)).intact) problems.push("a new run is not intact");
  await store.close();
  return events;
}

/** An event that was stored relies on bytes outside the journal: they must be there too. */
async function checkReferences(runtime: Runtime, run: RunId, event: RunEvent): Promise<void> {
  if (event.type !== "stage.finished") return;
  const refs = [...(event.log === undefined ? [] : [event.log]), ...Object.values(event.artifacts ?? {})];
  for (const { sha256: digest, bytes } of refs) {
    const found = await runtime.log({ sha256: digest, bytes, dropped: 0 }).catch((error: Error) => error.message);
    if (found.length !== bytes) problems.push(`${run}: artifact ${digest} of ${event.stage}: ${String(found)}`);
  }
  if (event.stage === "append" && event.outcome === "success" && recordsOf(run) !== 1) {
    problems.push(`${run}: its line was acknowledged and is there ${recordsOf(run)} times`);
  }
}

function recordsOf(run: RunId): number {
  const file = join(root, "effects.log");
  return existsSync(file) ? readFileSync(file, "utf8").split(`"key":"${run}:`).length - 1 : 0;
}

/** Ends every run, and looks whether each has done everything once. */
async function finishRuns(): Promise<number> {
  const runtime = await openRuntime({ root });
  const rows = (await rowsOf(runtime)).filter((row) => row.blueprint === "power-cut");
  for (const { run } of rows) {
    for (const { event } of await runtime.read(run, 0, ALL)) await checkReferences(runtime, run, event);
  }
  const open = rows.filter((row) => row.status !== "succeeded");
  for (const { run } of open) {
    const { status, reason } = await (await runtime.resume(run, { by: "witness" })).ended;
    if (status !== "succeeded") problems.push(`${run}: resumed and ended as ${status}, ${reason}`);
  }
  for (const { run } of rows) {
    if (recordsOf(run) !== 1) problems.push(`${run}: its line is there ${recordsOf(run)} times`);
    const chain = await runtime.verify(run);
    if (!chain.intact) problems.push(`${run}: after its end: event ${chain.seq}: ${chain.problem}`);
    const replay = await runtime.replay(run);
    if (!replay.equal) problems.push(`${run}: decides otherwise at event ${replay.seq}`);
  }
  await runtime.close();
  return open.length;
}

const events = await readJournal();
const resumed = work === "runs" ? await finishRuns() : 0;
process.stdout.write(JSON.stringify({ events, problems, resumed } satisfies Testimony));

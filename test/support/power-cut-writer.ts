/**
 * A process of its own that writes until its disk loses power: `node --import tsx power-cut-writer.ts <root> <work> <sync> <most>`.
 * It prints `<run> <seq> <digest>` for each event, once the event is acknowledged, and ends after so many.
 */
import { randomInt } from "node:crypto";
import { writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Database, type Driver, loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { sha256 } from "../../src/base/digest.ts";
import type { RunId } from "../../src/base/ids.ts";
import { canonical, type JsonObject } from "../../src/base/json.ts";
import type { Journal } from "../../src/ports/store/journal.ts";
import type { RunEvent } from "../../src/run/events.ts";
import { statePaths } from "../../src/runtime/paths.ts";
import { openRuntime } from "../../src/runtime/wire.ts";
import { buildCreated, buildFinished, buildPlan, buildRunId, buildStageStarted, STARTED } from "./events-builder.ts";

const LANES = 4;
const MOST_TEXT = 12_000;
const BLUEPRINT = `
version: 1
name: power-cut
workspace: directory
defaults: { timeout: 20s, sandbox: danger_full_access }
limits: { stages: 20 }
policy: { allow: [ { run: [/bin/sh, -c, "**"] }, { shell: "**" }, { action: file.append }, { action: artifact.save } ] }
stages:
  - { id: say, command: [/bin/sh, -c, 'echo "said by $PAWL_KEY"'], effect: idempotent, capture: text }
  - { id: append, action: file.append, with: { path: effects.log, line: "\${stages.say.output}" } }
  - { id: save, action: artifact.save, with: { name: note, content: "\${stages.say.output} and saved" } }
  - { id: check, gate: { command: [/bin/sh, -c, 'grep -q "$PAWL_RUN" effects.log'] } }
`;

const [root = "", work = "", sync = "", most = "0"] = process.argv.slice(2);
let said = 0;

const isOver = (): boolean => said >= Number(most);

/** One write per call, so that what is in the file was acknowledged before. */
function acknowledge(run: RunId, first: number, events: readonly RunEvent[]): void {
  const lines = events.map(
    (event, index) => `${run} ${first + index} ${sha256(canonical(event as unknown as JsonObject))}\n`,
  );
  said += lines.length;
  writeSync(1, lines.join(""));
}

/** A driver that remembers its connection to the journal. */
async function rememberingDriver(): Promise<{ driver: Driver; journal: () => Database }> {
  const real = await loadDriver();
  let kept: Database | undefined;
  const open: Driver["open"] = (path, options) => {
    const db = real.open(path, options);
    if (String(path).endsWith("pawl.db")) kept = db;
    return db;
  };
  return {
    driver: { open },
    journal() {
      if (kept === undefined) throw new Error("the journal was not opened");
      return kept;
    },
  };
}

/** Runs of every length, events of every size: pages are split, and the -wal file is checkpointed again and again. */
async function appendRuns(journal: Journal): Promise<void> {
  while (!isOver()) {
    const plan = buildPlan(`plan-${randomInt(5)}`);
    const run = buildRunId();
    const first = [buildCreated(run, plan), STARTED];
    await journal.create(run, plan, first);
    acknowledge(run, 1, first);
    const end = randomInt(4, 24);
    for (let seq = 3; seq < end && !isOver(); ) {
      const events = Array.from({ length: randomInt(1, 4) }, (_, index) => buildLargeEvent(seq + index));
      await journal.append(run, seq, events);
      acknowledge(run, seq, events);
      seq += events.length;
      if (seq >= end) {
        await journal.append(run, seq, [buildFinished()]);
        acknowledge(run, seq, [buildFinished()]);
      }
    }
  }
}

function buildLargeEvent(n: number): RunEvent {
  return { ...buildStageStarted(n), rule: "x".repeat(randomInt(MOST_TEXT)) } as RunEvent;
}

async function appends(): Promise<void> {
  const { driver, journal } = await rememberingDriver();
  const store = await openSqliteStore({ dir: statePaths(root).state, clock: createSystemClock(), driver });
  if (sync === "normal") journal().exec("PRAGMA synchronous=NORMAL");
  await Promise.all(Array.from({ length: LANES }, () => appendRuns(store.journal)));
  await store.close();
}

async function runs(): Promise<void> {
  writeFileSync(join(root, "cut.yaml"), BLUEPRINT);
  const runtime = await openRuntime({ root });
  const { plan } = await runtime.compile(join(root, "cut.yaml"), {});
  if (!plan.ok) throw new Error(JSON.stringify(plan));
  const never = new AbortController().signal;
  const host = async (): Promise<void> => {
    while (!isOver()) {
      const { run, ended } = await runtime.start(plan.value, { danger: true });
      for await (const { seq, event } of runtime.follow(run, 0, never)) acknowledge(run, seq, [event]);
      await ended;
    }
  };
  await Promise.all(Array.from({ length: LANES }, host));
  await runtime.close();
}

/** One line for each reservation and each settlement, once it is acknowledged. */
async function reservations(): Promise<void> {
  const store = await openSqliteStore({ dir: statePaths(root).state, clock: createSystemClock() });
  const accounts = [{ scope: "run", name: "r" }] as const;
  const lane = async (name: number): Promise<void> => {
    for (let n = 1; !isOver(); n += 1) {
      const key = `r/${name}/${n}`;
      const asking = { key, at: 1, accounts, amounts: { tokens: 10 }, caps: [], priority: 0, wait: false } as const;
      await store.ledger.reserve(asking);
      said += 1;
      writeSync(1, `${key} reserved\n`);
      await store.ledger.settle(key, { tokens: 7 }, 2);
      said += 1;
      writeSync(1, `${key} settled\n`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, (_, name) => lane(name)));
  await store.close();
}

const WORK: Readonly<Record<string, () => Promise<void>>> = { runs, appends, ledger: reservations };
await WORK[work]?.();

/**
 * A process of its own that uses a store: `node --import tsx store-child.ts <dir> <verb> <run> [count]`.
 * It prints one JSON line for each thing that has become durable.
 */
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { openSqliteStore } from "../../src/adapters/sqlite/store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { isPawlError } from "../../src/base/errors.ts";
import type { RunId } from "../../src/base/ids.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { buildCreated, buildFinished, buildPlan, buildStageStarted, createRun, STARTED } from "./events-builder.ts";

const say = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`);
};

const VERBS = {
  /** Claims the run and stays. */
  async hold(store: Store, run: RunId) {
    say(await store.lease.claim(run));
    setInterval(() => {}, 1000);
  },
  /** Claims the run until it is its own, says whom it was kept from by before, and stays. */
  async contend(store: Store, run: RunId) {
    for (let isFirst = true; ; isFirst = false) {
      const claimed = await store.lease.claim(run);
      if (isFirst || claimed.claimed) say(claimed);
      if (claimed.claimed) break;
      await sleep(20);
    }
    setInterval(() => {}, 1000);
  },
  /** Claims the run, starts a process that outlives it, says which, and stays. */
  async fork(store: Store, run: RunId) {
    await store.lease.claim(run);
    say(spawn("sleep", ["60"], { detached: true, stdio: "ignore" }).pid);
    setInterval(() => {}, 1000);
  },
  /** Creates the run and appends to it until it is killed. */
  async write(store: Store, run: RunId) {
    await createRun(store.journal, { run });
    for (let seq = 3; ; seq += 1) {
      await store.journal.append(run, seq, [buildStageStarted(seq)]);
      say(seq);
    }
  },
  /** Fights for every seq up to `count`; prints those it won. */
  async race(store: Store, run: RunId, count: number) {
    say("ready");
    for (let seq = 3; seq <= count; seq += 1) {
      const result = await store.journal.append(run, seq, [
        { ...buildStageStarted(seq), attempt: process.pid } as never,
      ]);
      if (result.appended) say(seq);
    }
    await store.close();
  },
  /** Creates and finishes a run, step by step, and leaves cleanly. */
  async finish(store: Store, run: RunId) {
    const plan = buildPlan();
    await store.journal.create(run, plan, [buildCreated(run, plan)]);
    await store.journal.append(run, 2, [STARTED]);
    await store.control.request(run, { kind: "cancel", by: "child" });
    await store.journal.append(run, 3, [buildFinished()]);
    await store.close();
    say("done");
  },
  /** Asks a breaker, named in the place of the run, and stays. */
  async try(store: Store, target: string) {
    const rules = { failures: 2, coolDownMs: 100, longestMs: 1000, trialMs: 60_000, staggerMs: 10 };
    const admission = await store.breakers.admit(target, rules, 50);
    say(admission.go && admission.isTrial ? "trial" : "refused");
    setInterval(() => {}, 1000);
  },
  /** Lists and creates, as far as it may; prints what happened. */
  async probe(store: Store, run: RunId) {
    const { rows } = await store.runs.list({ limit: 10 });
    const written = await createRun(store.journal, { run }).catch((error: unknown) =>
      isPawlError(error) ? error.code : String(error),
    );
    say({ rows: rows.map((row) => row.run), written });
    await store.close();
  },
};

async function main(): Promise<void> {
  const [dir = "", verb = "", run = "", count = "0"] = process.argv.slice(2);
  const [name, readOnly] = verb.split(":");
  try {
    const store = await openSqliteStore({ dir, clock: createSystemClock(), readOnly: readOnly === "readonly" });
    await VERBS[name as keyof typeof VERBS](store, run as RunId, Number(count));
  } catch (error) {
    say({ error: isPawlError(error) ? error.code : String(error) });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main();

/** The Runtime over parts that somebody else has chosen. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pawlError } from "../base/errors.ts";
import { formatRunId, type RunId } from "../base/ids.ts";
import { canonical } from "../base/json.ts";
import type { PlanJson } from "../plan/plan.ts";
import type { Actions } from "../ports/actions.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Engine } from "../ports/engine.ts";
import type { RunPage, RunRow } from "../ports/run-index.ts";
import type { Store } from "../ports/store.ts";
import { RUN_ERRORS } from "../run/errors.ts";
import { compileFile } from "./compile-file.ts";
import type { Runtime } from "./runtime.ts";

type OutputListener = (run: RunId, stage: string, text: string) => void;

export interface RuntimeParts {
  readonly root: string;
  readonly statePath: string;
  openStore(): Promise<Store>;
  createEngine(store: Store, onOutput: OutputListener): Engine;
  readonly artifacts: Artifacts;
  readonly actions: Actions;
  randomBytes(count: number): Uint8Array;
  hasSecret(text: string): boolean;
}

interface Open {
  readonly store: Store;
  readonly engine: Engine;
}

export function createRuntime(parts: RuntimeParts): Runtime {
  const listeners = new Set<OutputListener>();
  const checkedPlans = new WeakSet<object>();
  let opening: Promise<Open> | null = null;

  const open = (): Promise<Open> => {
    opening ??= parts.openStore().then((store) => ({
      store,
      engine: parts.createEngine(store, (run, stage, text) => {
        for (const listener of listeners) listener(run, stage, text);
      }),
    }));
    return opening;
  };
  /** A project without state has no runs, and looking for one creates none. */
  const hasState = (): boolean => opening !== null || existsSync(join(parts.statePath, "pawl.db"));

  async function find(name: string): Promise<RunRow> {
    // No name is the prefix of every name.
    const rows = name !== "" && hasState() ? await (await open()).store.runs.find(name, 5) : [];
    const [row, ...others] = rows;
    if (row === undefined) throw pawlError(RUN_ERRORS, "RUN_NOT_FOUND", { run: name });
    if (others.length > 0 && row.run !== name) {
      throw pawlError(RUN_ERRORS, "RUN_AMBIGUOUS", { run: name, matches: rows.map((match) => match.run) });
    }
    return row;
  }

  /** What is open; a store that could not be opened has nothing to end, and whoever asked for it was told. */
  const opened = async (): Promise<Open | null> => opening?.catch(() => null) ?? null;

  async function close(): Promise<void> {
    const found = await opened();
    await found?.engine.drain();
    await found?.store.close();
  }

  return {
    compile: (path, options) => compileFile(parts.root, path, options, parts.actions.signatures()),
    async start(plan) {
      if (!checkedPlans.has(plan)) {
        if (parts.hasSecret(canonical(plan as PlanJson)))
          throw pawlError(RUN_ERRORS, "RUN_SECRET_IN_PLAN", { plan: plan.name });
        checkedPlans.add(plan);
      }
      const { engine } = await open();
      return engine.start({ run: formatRunId(parts.randomBytes(12)), plan, params: plan.params });
    },
    resume: async (run, options) => (await open()).engine.resume(run, options),
    cancel: async (run, by) => (await open()).engine.cancel(run, by),
    pause: async (run, by) => (await open()).engine.pause(run, by),
    async list(query): Promise<RunPage> {
      return hasState() ? (await open()).store.runs.list(query) : { rows: [], next: null };
    },
    find,
    read: async (run, afterSeq, limit) => (await open()).store.journal.read(run, afterSeq, limit),
    async *follow(run, afterSeq, signal) {
      yield* (await open()).store.journal.follow(run, afterSeq, signal);
    },
    plan: async (fingerprint) => (await open()).store.journal.plan(fingerprint),
    verify: async (run) => (await open()).store.journal.verify(run),
    replay: async (run) => (await open()).engine.replay(run),
    log: (ref) => parts.artifacts.get(ref.sha256),
    onOutput(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    actions: () => parts.actions.signatures(),
    blueprints: async () => (await import("./blueprint-files.ts")).blueprintFiles(parts.root),
    doctor: async () => (await import("./doctor.ts")).examine(parts, open),
    drain: async () => (await opened())?.engine.drain(),
    close,
  };
}

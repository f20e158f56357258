/**
 * openworkflow with SQLite. On `node:sqlite` it is FULL by default; a driver with a weaker default is set to FULL. Variant `worker` is its
 * own polling worker; variant `tick` drives the same worker by hand as soon as a run is created, so it never waits for
 * a poll. The end of a run is taken from the backend call that stores it, not from the client's one-second poll.
 */
import Module, { createRequire } from "node:module";
import { join } from "node:path";

const FULL = 2;

/** openworkflow asks for `node:sqlite`; a Node without it gets the package with the same API that Pawl uses there. */
function provideSqlite() {
  if (Module.isBuiltin("node:sqlite")) return "node:sqlite";
  const require = createRequire(import.meta.url);
  const load = Module._load;
  Module._load = (request, ...rest) => (request === "node:sqlite" ? require("@photostructure/sqlite") : load(request, ...rest));
  return "@photostructure/sqlite";
}

function readSynchronous(db) {
  return Object.values(db.prepare("PRAGMA synchronous").get())[0];
}

function watchEnds(backend) {
  const waiting = new Map();
  for (const [method, settle] of [["completeWorkflowRun", "resolve"], ["failWorkflowRun", "reject"]]) {
    const original = backend[method].bind(backend);
    backend[method] = async (params) => {
      const result = await original(params);
      waiting.get(params.workflowRunId)?.[settle](params.error);
      waiting.delete(params.workflowRunId);
      return result;
    };
  }
  return (run) => new Promise((resolve, reject) => waiting.set(run, { resolve, reject }));
}

/** One tick for all runs that were created in the same turn, and again while a created run has not begun. */
function createTicker(worker, unbegun) {
  let scheduled = false;
  const tick = async () => {
    await worker.tick();
    scheduled = false;
    if (unbegun.count > 0) schedule();
  };
  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(tick);
  };
  return schedule;
}

export const system = {
  async open({ dir, meter, concurrency, variant }) {
    const driver = provideSqlite();
    const { OpenWorkflow } = await import("openworkflow");
    const { BackendSqlite } = await import("openworkflow/sqlite");
    const backend = BackendSqlite.connect(join(dir, "openworkflow.db"));
    const synchronousDefault = readSynchronous(backend.db);
    backend.db.exec("PRAGMA synchronous = FULL");
    const synchronous = readSynchronous(backend.db);
    if (synchronous !== FULL) throw new Error(`openworkflow runs with synchronous=${synchronous}, not FULL`);
    const client = new OpenWorkflow({ backend });
    const unbegun = { count: 0 };
    const chain = client.defineWorkflow({ name: "chain" }, async ({ input, step, run }) => {
      unbegun.count -= 1;
      for (let i = 0; i < input.stages; i += 1) await step.run({ name: `s${i}` }, async () => meter.body(run.id));
      return "done";
    });
    const worker = client.newWorker({ concurrency });
    const end = watchEnds(backend);
    const wake = variant === "tick" ? createTicker(worker, unbegun) : () => {};
    if (variant === "worker") await worker.start();
    return {
      facts: { driver, synchronous: `${synchronous} (default ${synchronousDefault})` },
      prepare: async () => undefined,
      async run({ stages }) {
        const handle = await chain.run({ stages });
        const ended = end(handle.workflowRun.id);
        unbegun.count += 1;
        wake();
        await ended;
        return handle.workflowRun.id;
      },
      async close() {
        await worker.stop();
        await backend.stop();
      },
    };
  },
};

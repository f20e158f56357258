/** Pawl as a program embeds it: the compiled package, its own store, actions that do nothing but return 100 bytes. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../src/base/ids.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Action } from "../../src/ports/actions.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { Meter, RunRequest, StoreSession, System } from "../system.ts";
import { blueprintText } from "./pawl-blueprint.ts";
import { driverName } from "./sqlite-driver.ts";

const PACKAGE = new URL("../../dist/index.js", import.meta.url).href;
const SHOWN_EVENTS = 1000;

export const system: System<StoreSession> = {
  async open({ dir, meter }) {
    const { openRuntime }: typeof import("../../src/index.ts") = await import(PACKAGE);
    const root = join(dir, "project");
    mkdirSync(root, { recursive: true });
    const runtime = await openRuntime({ root, actions: benchActions(meter) });
    return createPawlSession(runtime, root);
  },
};

function createPawlSession(runtime: Runtime, root: string): StoreSession {
  const plans = new Map<string, Promise<Plan>>();
  const planOf = (request: RunRequest): Promise<Plan> => {
    const name = `${request.shape}-${request.stages}-${request.end}`;
    const plan = plans.get(name) ?? compilePlan(runtime, root, name, request);
    plans.set(name, plan);
    return plan;
  };
  return {
    // The store asserts FULL on every connection and refuses to open otherwise.
    facts: { synchronous: "asserted", driver: driverName() },
    async prepare(request) {
      await planOf(request);
    },
    async run(request) {
      const handle = await runtime.start(await planOf(request));
      const end = await handle.ended;
      if (end.status !== request.end) throw new Error(`run ${end.run} is ${end.status}: ${end.reason}`);
      return end.run;
    },
    async list({ failedOnly, cursor }) {
      const page = await runtime.list({
        limit: 20,
        ...(failedOnly ? { status: "failed" as const } : {}),
        ...(cursor === null ? {} : { cursor }),
      });
      return { rows: page.rows.length, next: page.next };
    },
    async show(run) {
      const row = await runtime.find(run);
      await runtime.read(row.run, 0, SHOWN_EVENTS);
      return row.events;
    },
    async resume() {
      const page = await runtime.list({ status: "running", limit: 1 });
      const run = page.rows[0]?.run ?? ("" as RunId);
      const end = await (await runtime.resume(run, { by: "bench" })).ended;
      if (end.status !== "succeeded") throw new Error(`run ${end.run} is ${end.status}: ${end.reason}`);
      return run;
    },
    close: () => runtime.close(),
  };
}

async function compilePlan(runtime: Runtime, root: string, name: string, request: RunRequest): Promise<Plan> {
  const path = join(root, `${name}.yaml`);
  writeFileSync(path, blueprintText(name, request));
  const { plan } = await runtime.compile(path, {});
  if (!plan.ok) throw new Error(`${name} does not compile: ${JSON.stringify(plan.problems[0])}`);
  return plan.value;
}

/** `b.e` succeeds, `b.fail` fails, `b.turn` succeeds until the cycle has had its rounds. */
function benchActions(meter: Meter): readonly Action[] {
  const define = (name: string, perform: Action["perform"]): Action => ({
    name,
    summary: "A stage of the bench.",
    effect: "idempotent",
    cost: { tokens: 0, microUsd: 0 },
    input: { rounds: { required: false, summary: "Rounds of the cycle." } },
    perform,
  });
  return [
    define("b.e", async (_input, { run }) => ({ ok: true, output: meter.body(run) })),
    define("b.fail", async (_input, { run }) => ({ ok: false, error: meter.body(run) })),
    define("b.turn", async (input, { run, key }) => {
      const output = meter.body(run);
      const visit = Number(key.slice(key.lastIndexOf(":") + 1));
      return visit < Number(input["rounds"]) ? { ok: true, output } : { ok: false, error: output };
    }),
  ];
}

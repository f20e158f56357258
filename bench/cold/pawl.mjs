/** A new process that runs one action stage with Pawl, then prints how long it was since its start. */
import { writeFileSync } from "node:fs";
import { openRuntime } from "../../dist/index.js";

writeFileSync(
  "one.yaml",
  "version: 1\nname: one\npolicy: { allow: [{ action: b.* }] }\nstages:\n  - { id: s0, action: b.e }\n",
);
const action = {
  name: "b.e",
  summary: "A stage of the bench.",
  effect: "idempotent",
  cost: { tokens: 0, microUsd: 0 },
  input: {},
  perform: async () => ({ ok: true, output: "x".repeat(100) }),
};
const runtime = await openRuntime({ root: process.cwd(), actions: [action] });
const { plan } = await runtime.compile("one.yaml", {});
if (!plan.ok) throw new Error(JSON.stringify(plan.problems));
const end = await (await runtime.start(plan.value)).ended;
if (end.status !== "succeeded") throw new Error(`the run is ${end.status}`);
process.stdout.write(`${performance.now()}\n`);
await runtime.close();

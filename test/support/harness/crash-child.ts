/** A run of the harness in a process that somebody kills: it pays ten times, and writes down each payment with its key. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../../src/base/ids.ts";
import { runAgent } from "../../../src/harness/run-agent.ts";
import { createFileJournal } from "../../../src/runtime/wire.ts";
import { scriptedModel } from "./scripted-model.ts";
import { testTool } from "./tools.ts";

const [dir = "", mode = ""] = process.argv.slice(2);
const RUN = "r_000000000001" as RunId;
const PAYMENTS = 10;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const pay = testTool(
  "pay",
  async (_, { key }) => {
    await pause(mode === "slow" ? 60_000 : 3);
    appendFileSync(join(dir, "paid.txt"), `${key}\n`);
    await pause(3);
    return { ok: true, output: "paid" };
  },
  { idempotent: false },
);

const model = scriptedModel(({ prompt }) => {
  const turns = prompt.filter(({ role }) => role === "assistant").length;
  return turns < PAYMENTS
    ? { calls: [{ tool: "pay", input: { number: turns }, id: `p${turns}` }] }
    : { text: "all paid" };
});

const known = mode === "resume" ? { resume: RUN } : { id: RUN };
const ports = { journal: createFileJournal(join(dir, "journal")) };
// The most that a model can cost which was cut off is charged.
const budget = { usd: 100 };
const { status, output, steps, error } = await runAgent({
  prompt: "pay",
  model,
  tools: [pay],
  budget,
  ...known,
  ports,
});
const why = error === null ? {} : { why: error.message };
process.stdout.write(`${JSON.stringify({ status, output, steps: steps.length, ...why })}\n`);

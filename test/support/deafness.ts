/**
 * How long this thread answers nobody, beyond what the machine itself lets an idle thread of the same process wait meanwhile:
 * whoever else uses the processors is no fault of the code under test.
 */
import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Worker } from "node:worker_threads";

const IDLE = `
const { parentPort } = require("node:worker_threads");
const delay = require("node:perf_hooks").monitorEventLoopDelay({ resolution: 5 });
delay.enable();
parentPort.once("message", () => { parentPort.postMessage(delay.max); });
parentPort.postMessage("listens");
`;

export async function listenForDeafness(): Promise<{ stop(): Promise<number> }> {
  const idle = new Worker(IDLE, { eval: true });
  await once(idle, "message");
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  return {
    async stop() {
      delay.disable();
      const answered = once(idle, "message");
      idle.postMessage("stop");
      const [machineNs] = (await answered) as [number];
      await idle.terminate();
      return Math.max(0, delay.max - machineNs) / 1e6;
    },
  };
}

/** The measured process: performs one task on one system and sends its report to the parent. */

import type { StoreSession, System } from "./system.ts";
import { performGrowth } from "./tasks/growth.ts";
import { performCrash, performResume } from "./tasks/interrupted-run.ts";
import { performLoad } from "./tasks/load.ts";
import { performMemory } from "./tasks/memory.ts";
import { performQueries } from "./tasks/queries.ts";
import type { Reports, Task } from "./tasks/task.ts";

async function perform(task: Task): Promise<Reports[keyof Reports]> {
  const module: { readonly system: System<StoreSession> } = await import(new URL(task.module, import.meta.url).href);
  switch (task.kind) {
    case "load":
      return performLoad(module.system, task);
    case "memory":
      return performMemory(module.system, task);
    case "growth":
      return performGrowth(module.system, task);
    case "queries":
      return performQueries(module.system, task);
    case "crash":
      return performCrash(module.system, task);
    case "resume":
      return performResume(module.system, task);
  }
}

const text = process.argv[2];
if (text === undefined || process.send === undefined) throw new Error("child.ts is started by run.ts only");
// Whoever stops the bench stops what it measures.
process.once("disconnect", () => process.exit(1));
const report = await perform(JSON.parse(text) as Task);
process.send(report, () => process.exit(0));

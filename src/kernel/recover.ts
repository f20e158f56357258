/** What was under way when the last host was lost. Its processes are ended before anything is decided. */
import { effectKey } from "../base/ids.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { Fact } from "../run/events.ts";
import type { Restored } from "./loop.ts";

export async function recover(restored: Restored, ports: Pick<KernelPorts, "executor">): Promise<readonly Fact[]> {
  const { run, state } = restored;
  if (state.status !== "running") return [];
  const facts: Fact[] = [{ type: "run.resumed", after: "interruption" }];
  for (const lane of state.progress.lanes.values()) {
    if (lane.status !== "running") continue;
    // A child run is recovered by its own host, under its own keys.
    if (lane.leaf.kind !== "run") await ports.executor.reap(effectKey(run, lane.path, lane.visit));
    facts.push({ type: "stage.interrupted", stage: lane.path, attempt: lane.attempts });
  }
  return facts;
}

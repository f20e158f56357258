/** An attempt that a vendor has refused for now: its program says so last, and failed because of it. */
import { readQuota } from "../limits/quota/read-quota.ts";
import type { CommandStage, GateStage } from "../plan/plan.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { Fact } from "../run/events.ts";
import type { Flight } from "./flight.ts";
import type { Modelled } from "./models.ts";

/** A program that was refused says so at the end. */
const MOST_TAIL_BYTES = 8192;

/** null: it was not refused, or waiting would not help. */
export async function quotaFact(
  { stage: path, attempt }: Flight,
  stage: CommandStage | GateStage,
  { finished, parkedUntil }: Modelled,
  { artifacts, clock, zone = "UTC" }: KernelPorts,
): Promise<Fact | null> {
  const { cause, log, tree, used, usage, turns } = finished;
  if (cause === "exit" && parkedUntil !== null) {
    const why = "the provider of its models has no quota left";
    return {
      type: "stage.parked",
      stage: path,
      attempt,
      reason: "awaiting_quota",
      until: parkedUntil,
      why,
      log,
      usage,
      turns,
      used,
      tree,
    };
  }
  // How it ended says that it has done nothing more; of anything else that is not known.
  if (stage.kind !== "command" || stage.quota === undefined || cause !== "exit" || log === undefined) return null;
  const bytes = await artifacts.get(log.sha256).catch(() => new Uint8Array());
  const text = new TextDecoder().decode(bytes.subarray(-MOST_TAIL_BYTES));
  const quota = readQuota({ text, vendor: stage.quota, at: clock.now(), zone });
  if (quota === null || quota.kind === "credit") return null;
  const { until, why, evidence } = quota;
  const said = { until, why: `${why}: ${evidence}`, target: `quota:${stage.quota}` };
  return {
    type: "stage.parked",
    stage: path,
    attempt,
    reason: "awaiting_quota",
    ...said,
    log,
    usage,
    turns,
    used,
    tree,
  };
}

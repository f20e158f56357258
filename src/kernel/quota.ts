/** An attempt that a vendor has refused for now: its program says so last, and failed because of it. */
import { billingText } from "../limits/quota/billing-text.ts";
import { readQuota } from "../limits/quota/read-quota.ts";
import type { CommandStage, GateStage } from "../plan/plan.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { EventOf, Fact } from "../run/events.ts";
import { type Flight, failure, landing } from "./flight.ts";
import type { Modelled } from "./models.ts";

/** A program that was refused says so at the end. */
const MOST_TAIL_BYTES = 8192;

/** null: it was not refused, or waiting would not help. */
export async function quotaFact(
  flight: Flight,
  stage: CommandStage | GateStage,
  { finished, parkedUntil }: Modelled,
  ports: KernelPorts,
): Promise<Fact | null> {
  const { stage: path, attempt } = flight;
  const { cause, log, tree, used, usage, turns } = finished;
  // How it ended says that it has done nothing more; of anything else that is not known.
  if (stage.kind !== "command" || cause !== "exit") return null;
  const said = parkedUntil === null ? await saidBy(stage, finished, ports) : saidByGateway(stage, parkedUntil);
  if (said === null) return null;
  if ("credit" in said) return landing(flight, { ...finished, ...failure("auth", said.credit) }).fact;
  const spent = { log, usage, turns, used, tree };
  return { type: "stage.parked", stage: path, attempt, reason: "awaiting_quota", ...said, ...spent };
}

type Said = Pick<EventOf<"stage.parked">, "until" | "why" | "target">;

/** Runs of the same provider are woken in turn; which of several has refused is not known. */
function saidByGateway({ models }: CommandStage, until: number): Said {
  const { providers } = models as NonNullable<typeof models>;
  const [provider, ...others] = providers ?? [];
  const target = provider === undefined || others.length > 0 ? "quota:models" : `quota:${provider}`;
  return { until, why: "the provider of its models has no quota left", target };
}

async function saidBy(
  { quota: vendor }: CommandStage,
  { log }: Modelled["finished"],
  { artifacts, clock, zone = () => "UTC" }: KernelPorts,
): Promise<Said | { readonly credit: string } | null> {
  if (vendor === undefined || log === undefined) return null;
  const bytes = await artifacts.get(log.sha256).catch(() => new Uint8Array());
  const text = new TextDecoder().decode(bytes.subarray(-MOST_TAIL_BYTES));
  const quota = readQuota({ text, vendor, at: clock.now(), zone: zone() });
  if (quota === null) return null;
  if (quota.kind === "credit")
    return { credit: `billing: ${billingText(`the account that ${vendor} is signed in with`, quota.evidence)}` };
  return { until: quota.until, why: `${quota.why}: ${quota.evidence}`, target: `quota:${vendor}` };
}

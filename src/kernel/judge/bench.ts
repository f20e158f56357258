/** Bench: what a judge works with, and how it reads what a process has shown. */
import type { GateStage } from "../../plan/plan.ts";
import type { ProcessReport } from "../../ports/executor.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { Flight } from "../flight.ts";

export interface Bench {
  readonly flight: Flight;
  readonly stage: GateStage;
  readonly ports: KernelPorts;
  /** The tree that is judged, and the one it is compared with. */
  readonly judged: string;
  readonly base: string;
  /** Runs the program once in a checkout of its own. `report`: what to keep of it; see `ProcessRequest.evidence`. */
  observe(tree: string, report?: string | null): Promise<ProcessReport>;
}

/** The bytes of what a process was asked to show, as text; or why there are none. */
export async function readEvidence(
  { ports }: Bench,
  { evidence }: ProcessReport,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  if (evidence === undefined) return { problem: "it showed nothing" };
  if ("problem" in evidence) return evidence;
  return { text: new TextDecoder().decode(await ports.artifacts.get(evidence.ref.sha256)) };
}

/** The process did not come to an end of its own: there is no verdict in what it showed. */
export function wasCutShort({ cause }: ProcessReport): boolean {
  return cause !== "ok" && cause !== "exit";
}

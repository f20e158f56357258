/** The proof of a run: a success whose tree every gate has passed ends with its certificate. */
import type { RunId } from "../base/ids.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import { isVerified } from "../run/decide.ts";
import type { RunEvent } from "../run/events.ts";
import type { RunState } from "../run/state.ts";

interface Ending {
  readonly run: RunId;
  readonly ports: Pick<KernelPorts, "certifier">;
  /** After the last event. */
  readonly state: RunState;
}

/** Gives the last event its certificate, once everything before it is durable; null: it needs none. */
export function proofOf(
  { run, ports: { certifier }, state: { status, facts } }: Ending,
  last: RunEvent | undefined,
): (() => Promise<RunEvent>) | null {
  if (certifier === undefined || last?.type !== "run.finished") return null;
  if (status !== "succeeded" || !isVerified(facts)) return null;
  return async () => {
    const certified = await certifier.certify(run, "end");
    return certified === null ? last : { ...last, certificate: certified.ref };
  };
}

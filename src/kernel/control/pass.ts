/** Pass: leave to use a target that a breaker guards. */
import type { RunId } from "../../base/ids.ts";
import { formatInstant } from "../../base/text/instant.ts";
import type { CallEnd } from "../../limits/breaker/breaker.ts";
import { BREAKER_RULES } from "../../limits/breaker/rules.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { StopReason, TerminalStatus } from "../../run/reasons.ts";
import { type Finished, failure } from "../flight.ts";
import type { Halt } from "./halt.ts";
import { isOver } from "./heed.ts";

/** `refusal`: the stage does not start, and fails with this. `over`: how it ended, to be said once. */
export type Pass = { readonly refusal: Finished } | { readonly refusal: null; over(end: CallEnd): Promise<void> };

type PassPorts = Pick<KernelPorts, "breakers" | "clock" | "killSwitch">;

/** Leave to begin now: the kill switch is looked at once more, for asking takes a moment. */
export async function passFor(ports: PassPorts, target: string, run: RunId, halt: Halt): Promise<Pass> {
  const pass = await ask(ports, target);
  if (pass.refusal !== null || !isOver(run, ports.killSwitch, halt)) return pass;
  await pass.over("ignored");
  return { refusal: NOT_STARTED };
}

async function ask({ breakers, clock }: PassPorts, target: string): Promise<Pass> {
  const admission = await breakers.admit(target, BREAKER_RULES, clock.now());
  if (admission.go) return { refusal: null, over: (end) => breakers.report(admission.ticket, end, clock.now()) };
  const { until, why } = admission;
  const again = until === null ? "" : `; it is tried again at ${formatInstant(until)}`;
  return { refusal: failure("circuit_open", `the breaker of ${target} is open: ${why}${again}`) };
}

export const NOT_STARTED: Finished = failure("killed", "it was not started: the run is ending");

/** What the end of an action says about the machine it talks to. `hasReached`: it got as far as that. */
export function endOfAction({ cause }: Finished, hasReached: boolean): CallEnd {
  if (cause === "ok") return "success";
  return cause === "killed" || !hasReached ? "ignored" : "failure";
}

/** A child that could not work has failed; one whose work was found wanting has worked. */
const BROKEN: ReadonlySet<StopReason> = new Set<StopReason>([
  "resource_exhausted",
  "stall",
  "oom",
  "backend_exhausted",
  "crashed",
  "internal_error",
  "max_runtime",
]);
const SAYS_NOTHING: ReadonlySet<TerminalStatus> = new Set<TerminalStatus>(["cancelled", "killed", "rejected"]);

export function endOfChild(status: TerminalStatus, reason: StopReason, isLate: boolean): CallEnd {
  if (isLate || BROKEN.has(reason)) return "failure";
  return SAYS_NOTHING.has(status) || reason === "circuit_open" ? "ignored" : "success";
}

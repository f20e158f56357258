/**
 * A gate that a process judges. It works in a fresh checkout of exactly the tree that is judged: that of the run, with its
 * protected paths as they were when the run began. Whatever it leaves there is thrown away.
 */
import type { GateStage, Plan } from "../../plan/plan.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { Halt } from "../control/halt.ts";
import { inTimeBox } from "../control/time-box.ts";
import type { Finished, Flight, Of } from "../flight.ts";
import { execute, finishedBy, type Processed, refused, withoutProcess } from "../process.ts";
import type { Bench } from "./bench.ts";
import { judgeMeasured } from "./metric.ts";
import { judgeTested } from "./tests.ts";

type GateEffect = Of<"process"> & { readonly stage: GateStage };

export async function performGate(
  plan: Plan,
  flight: Flight,
  effect: GateEffect,
  ports: KernelPorts,
  halt: Halt,
): Promise<Processed> {
  const { run, stage, attempt, tree, base, startedAt } = flight;
  const { clock } = ports;
  const { timeoutMs } = effect.stage;
  const { workspace } = plan;
  if (tree === null || base === null || workspace === null)
    return refused(effect, "the run has no tree to judge: nothing was started");
  const composition = { candidate: tree, base, protect: plan.protect, at: startedAt };
  const composed = await inTimeBox({ timeoutMs, clock, halt }, "spawn_error", (signal) =>
    ports.workspaces.compose(run, composition, signal),
  );
  if ("refusal" in composed) return withoutProcess(effect, composed.refusal);
  const judged = composed.value;
  const forget = (): Promise<void> => ports.executor.forget({ run, stage, attempt });
  const bench: Bench = {
    ...{ flight, stage: effect.stage, ports, judged, base },
    async observe(on, report) {
      const checkout = await inTimeBox({ timeoutMs, clock, halt }, "spawn_error", (signal) =>
        ports.workspaces.checkout({ run, spec: workspace }, on, signal),
      );
      if ("refusal" in checkout) throw new CheckoutRefused(checkout.refusal);
      const { value } = checkout;
      try {
        return await execute(flight, effect, value, ports, halt, report === undefined ? {} : { evidence: { report } });
      } finally {
        const label = { stage, attempt, at: clock.now() };
        await inTimeBox({ timeoutMs: 0, clock, halt }, "killed", (signal) => value.remove(label, signal));
      }
    },
  };
  const finished = await judge(bench, effect).catch(checkoutRefused);
  if (finished instanceof CheckoutRefused) return withoutProcess(effect, finished.end);
  // What goes on is what was judged, and not what it was made from.
  const goesOn = finished.outcome === "pass" && judged !== tree ? { tree: judged } : {};
  return { finished: { ...finished, judged, ...goesOn }, clear: forget };
}

/** There is nothing to judge in: the gate ends with that, however many checkouts it has had before. */
class CheckoutRefused extends Error {
  readonly end: Finished;

  constructor(end: Finished) {
    super(end.error);
    this.name = "CheckoutRefused";
    this.end = end;
  }
}

function checkoutRefused(error: unknown): CheckoutRefused {
  if (error instanceof CheckoutRefused) return error;
  throw error;
}

function judge(bench: Bench, effect: GateEffect): Promise<Finished> {
  const { judge: how } = effect.stage;
  switch (how.by) {
    case "tests":
      return judgeTested(bench, how);
    case "metric":
      return judgeMeasured(bench, how);
    default:
      return bench.observe(bench.judged).then((report) => finishedBy(effect, report));
  }
}

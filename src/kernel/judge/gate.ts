/**
 * A gate that a process judges. It works in a fresh checkout of exactly the tree that is judged: that of the run, with its
 * protected paths as they were when the run began. Whatever it leaves there is thrown away.
 */
import type { GateStage, Plan } from "../../plan/plan.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { Halt } from "../control/halt.ts";
import type { Finished, Flight, Of } from "../flight.ts";
import { execute, finishedBy, orRefusal, type Processed, refused } from "../process.ts";
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
  const { workspace } = plan;
  if (tree === null || base === null || workspace === null)
    return refused(effect, "the run has no tree to judge: nothing was started");
  const composition = { candidate: tree, base, protect: plan.protect, at: startedAt };
  const composed = await orRefusal(ports.workspaces.compose(run, composition));
  if ("refusal" in composed) return refused(effect, composed.refusal);
  const judged = composed.value;
  const forget = (): Promise<void> => ports.executor.forget({ run, stage, attempt });
  const bench: Bench = {
    ...{ flight, stage: effect.stage, ports, judged, base },
    async observe(on, report) {
      const checkout = await ports.workspaces.checkout({ run, spec: workspace }, on);
      try {
        return await execute(
          flight,
          effect,
          checkout,
          ports,
          halt,
          report === undefined ? {} : { evidence: { report } },
        );
      } finally {
        await checkout.remove({ stage, attempt, at: ports.clock.now() });
      }
    },
  };
  const finished = await orRefusal(judge(bench, effect));
  if ("refusal" in finished) return refused(effect, finished.refusal);
  const { value } = finished;
  // What goes on is what was judged, and not what it was made from.
  const goesOn = value.outcome === "pass" && judged !== tree ? { tree: judged } : {};
  return { finished: { ...value, judged, ...goesOn }, clear: forget };
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

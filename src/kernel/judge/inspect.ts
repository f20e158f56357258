/** A gate on the change itself: what differs between the tree of the run and the tree that it began with. */
import type { JsonObject } from "../../base/json.ts";
import { type ChangeVerdict, judgeChange } from "../../gates/change.ts";
import { judgeMerge } from "../../gates/merge.ts";
import type { Plan } from "../../plan/plan.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import { createDeadline } from "../control/deadline.ts";
import type { Halt } from "../control/halt.ts";
import { type Finished, type Flight, failure, type Of } from "../flight.ts";
import { orRefusal } from "../refusal.ts";

export async function performInspection(
  plan: Plan,
  { tree, base, verified, stage }: Flight,
  { stage: gate }: Of<"inspection">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Finished> {
  if (tree === null) return failed("spawn_error", "the run has no tree to look at");
  const deadline = createDeadline(gate.timeoutMs, ports.clock, halt);
  const changes = await Promise.race([orRefusal(ports.trees.changes(base as string, tree)), deadline.over]);
  deadline.clear();
  if (changes === null)
    return deadline.isLate()
      ? failed("timeout", `"${stage}" took longer than ${gate.timeoutMs} ms`)
      : failed("killed", "the run is ending");
  if ("refusal" in changes) return failed("invalid_output", changes.refusal);
  const files = changes.value;
  const verdict =
    gate.by === "change"
      ? judgeChange(gate.rules, files)
      : judgeMerge(gate.rules, files, { verified, level: plan.level });
  return finishedWith(verdict);
}

function finishedWith(verdict: ChangeVerdict): Finished {
  const output = { ...verdict } as unknown as JsonObject;
  if (verdict.outcome === "pass") return { outcome: "pass", cause: "ok", output };
  return { outcome: verdict.outcome, cause: "exit", error: verdict.reason, output };
}

function failed(cause: Finished["cause"], error: string): Finished {
  return { ...failure(cause, error), outcome: "fail" };
}

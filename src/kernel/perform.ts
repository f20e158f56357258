/** perform: one effect → one port call → one fact. Outcomes are data; nothing that a stage does can throw into the loop. */
import type { Plan } from "../plan/plan.ts";
import { needsTree } from "../plan/walls.ts";
import type { ChildReport } from "../ports/child-runs.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { EventOf } from "../run/events.ts";
import { childOf } from "../run/plan-index.ts";
import type { ParkReason } from "../run/reasons.ts";
import type { Landing } from "./aftermath.ts";
import { createDeadline } from "./control/deadline.ts";
import type { Halt } from "./control/halt.ts";
import { isOver } from "./control/heed.ts";
import { endOfChild, NOT_STARTED, passFor } from "./control/pass.ts";
import { performAction } from "./effect/action.ts";
import { childRunId } from "./effect/child-id.ts";
import { type Around, type Flight, failure, landing, type Of } from "./flight.ts";
import { performGate } from "./judge/gate.ts";
import { performInspection } from "./judge/inspect.ts";
import { nothingSpent } from "./models.ts";
import { performProcess } from "./process.ts";
import { quotaFact } from "./quota.ts";

export function perform(plan: Plan, flight: Flight, ports: KernelPorts, halt: Halt): Promise<Landing> {
  const { effect } = flight;
  if (isOver(flight.run, ports.killSwitch, halt)) {
    return Promise.resolve(landing(flight, { ...NOT_STARTED, ...nothingSpent(effect.stage) }));
  }
  switch (effect.kind) {
    case "process":
      return judgedOrRun(plan, flight, effect, ports, halt);
    case "agent":
      // Most runs have no agent.
      return import("./agents/agent.ts").then(({ performAgent }) =>
        performAgent(plan, { ...flight, effect, around: flight.around as Around }, ports, halt),
      );
    case "inspection":
      return performInspection(plan, flight, effect, ports, halt).then((finished) => landing(flight, finished));
    case "action":
      return performAction(flight, effect, ports, halt);
    case "run":
      return performRun(plan, flight, effect, ports, halt);
  }
}

async function judgedOrRun(
  plan: Plan,
  flight: Flight,
  effect: Of<"process">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Landing> {
  const { stage } = effect;
  const {
    finished,
    clear,
    parkedUntil = null,
  } = stage.kind === "gate" && needsTree(plan)
    ? await performGate(plan, flight, { ...effect, stage }, ports, halt)
    : await performProcess(plan, flight, effect, ports, halt);
  const parked = await quotaFact(flight, stage, { finished, parkedUntil }, ports);
  return { fact: parked ?? landing(flight, finished).fact, clear };
}

async function performRun(
  plan: Plan,
  flight: Flight,
  effect: Of<"run">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Landing> {
  const child = childOf(plan, effect.stage.plan);
  const run = childRunId(flight.run, flight.stage, flight.visit, flight.failures);
  const request = {
    run,
    plan: child,
    params: { ...child.params, ...effect.params },
    tree: child.workspace === null ? null : flight.tree,
    base: child.workspace === null ? null : flight.base,
    parent: { run: flight.run, stage: flight.stage },
  };
  const pass = await passFor(ports, `loop:${child.name}`, flight.run, halt);
  if (pass.refusal !== null) return landing(flight, pass.refusal);
  const deadline = createDeadline(effect.stage.timeoutMs, ports.clock, halt);
  const ended = await ports.children.run(request, deadline.halt.signal()).finally(deadline.clear);
  if (!ended.ended) {
    await pass.over("ignored");
    const { stage, attempt } = flight;
    return { fact: { type: "stage.rested", stage, attempt, child: run, ...parkedBy(ended) } };
  }
  const { status, reason, usage, turns, spawned } = ended;
  await pass.over(endOfChild(status, reason, deadline.isLate()));
  const tree = ended.tree ?? undefined;
  const told = { child: run, usage, turns, spawned };
  if (deadline.isLate()) {
    const late = failure("timeout", `run ${run} took longer than ${effect.stage.timeoutMs} ms`);
    return landing(flight, { ...late, ...told });
  }
  if (status === "succeeded") return landing(flight, { outcome: "success", cause: "ok", ...told, tree });
  return landing(flight, { ...failure("child", `run ${run} ${status}: ${reason}`), ...told });
}

/** A child that goes on by itself; who else rests waits for a person. */
function parkedBy({ reason, until, target }: Resting): Pick<EventOf<"stage.rested">, "parked"> {
  if (until === null) return {};
  return { parked: { reason: reason as ParkReason, until, ...(target === null ? {} : { target }) } };
}

type Resting = Extract<ChildReport, { ended: false }>;

/** perform: one effect → one port call → one fact. Outcomes are data; nothing that a stage does can throw into the loop. */
import { effectKey } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Plan } from "../plan/plan.ts";
import { needsTree } from "../plan/walls.ts";
import type { Action, ActionContext } from "../ports/actions.ts";
import type { ChildReport } from "../ports/child-runs.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { Certified } from "../ports/trust/certifier.ts";
import type { CertificateRef, EventOf, Fact } from "../run/events.ts";
import { childOf } from "../run/plan-index.ts";
import type { ParkReason } from "../run/reasons.ts";
import type { Landing } from "./aftermath.ts";
import { childRunId } from "./child-id.ts";
import { createDeadline, type Deadline } from "./control/deadline.ts";
import type { Halt } from "./control/halt.ts";
import { isOver } from "./control/heed.ts";
import { endOfAction, endOfChild, NOT_STARTED, passFor } from "./control/pass.ts";
import { type Finished, type Flight, failure, type Of } from "./flight.ts";
import { performGate } from "./judge/gate.ts";
import { performInspection } from "./judge/inspect.ts";
import { performProcess } from "./process.ts";
import { quotaFact } from "./quota.ts";

/** Turns of the promise queue in which an action that waits for nothing has ended. */
const TURNS_AT_ONCE = 4;
const FREE = { refusal: null, over: null } as const;

export async function perform(plan: Plan, flight: Flight, ports: KernelPorts, halt: Halt): Promise<Landing> {
  const { stage: path, attempt } = flight;
  const done = (report: Finished): Fact => ({ type: "stage.finished", stage: path, attempt, ...report });
  const { effect } = flight;
  if (isOver(flight.run, ports.killSwitch, halt)) return { fact: done(NOT_STARTED) };
  switch (effect.kind) {
    case "process": {
      const { stage } = effect;
      const {
        finished,
        clear,
        parkedUntil = null,
      } = stage.kind === "gate" && needsTree(plan)
        ? await performGate(plan, flight, { ...effect, stage }, ports, halt)
        : await performProcess(plan, flight, effect, ports, halt);
      return { fact: (await quotaFact(flight, stage, { finished, parkedUntil }, ports)) ?? done(finished), clear };
    }
    case "agent": {
      // Most runs have no agent.
      const { performAgent } = await import("./agents/agent.ts");
      return performAgent(plan, { ...flight, effect }, ports, halt);
    }
    case "inspection":
      return { fact: done(await performInspection(plan, flight, effect, ports, halt)) };
    case "action":
      return { fact: done(await performAction(flight, effect, ports, halt)) };
    case "run": {
      const report = await performRun(plan, flight, effect, ports, halt);
      return {
        fact: "rested" in report ? { type: "stage.rested", stage: path, attempt, ...report.rested } : done(report),
      };
    }
  }
}

async function performAction(flight: Flight, effect: Of<"action">, ports: KernelPorts, halt: Halt): Promise<Finished> {
  const { run, stage, visit, attempt, tree } = flight;
  const action = ports.actions.get(effect.stage.action);
  if (action === undefined)
    return failure("spawn_error", `action ${effect.stage.action} is not registered in this process`);
  const pass = action.remote === true ? await passFor(ports, `action:${action.name}`, run, halt) : FREE;
  if (pass.refusal !== null) return pass.refusal;
  const limits: Deadline[] = [];
  const limit = (): Deadline => {
    if (limits.length === 0) limits.push(createDeadline(effect.stage.timeoutMs, ports.clock, halt));
    return limits[0] as Deadline;
  };
  let certificate: CertificateRef | undefined;
  const certify = async (): Promise<Certified | null> => {
    const certified = flight.verified ? await ports.certifier?.certify(run, { stage, visit }) : null;
    certificate = certified?.ref;
    return certified ?? null;
  };
  const context: ActionContext = {
    run,
    stage,
    attempt,
    key: effectKey(run, stage, visit),
    get signal() {
      return limit().halt.signal();
    },
    inputs: effect.inputs,
    level: flight.level,
    tree,
    verified: flight.verified,
    certificate: certify,
  };
  const work = attemptAction(action, effect.input, context);
  const cut = (await endedAtOnce(work)) ?? (await Promise.race([work, limit().over]));
  // An action that ignores its signal is left behind: its host must not hang with it. Only a kill waits: it may say that
  // all is over when it is.
  const ended = cut === null && halt.reason() === "kill" ? await work : cut;
  for (const deadline of limits) deadline.clear();
  const finished = ended?.finished ?? leftBehind(action, effect, limit().isLate());
  if (pass.over !== null) await pass.over(endOfAction(finished, ended?.hasReached !== false && !halt.hasEnded()));
  return certificate === undefined ? finished : { ...finished, certificate };
}

function leftBehind({ name }: Action, { stage }: Of<"action">, isLate: boolean): Finished {
  return isLate
    ? failure("timeout", `action ${name} took longer than ${stage.timeoutMs} ms`)
    : failure("killed", `action ${name} was ended before it reported: its effect may have happened`);
}

interface Attempted {
  readonly finished: Finished;
  readonly hasReached: boolean;
}

/** Most actions end at once and need no deadline, which costs more than they do. */
async function endedAtOnce<T>(work: Promise<T>): Promise<T | null> {
  let ended: T | null = null;
  void work.then((value) => {
    ended = value;
  });
  for (let turn = 0; turn < TURNS_AT_ONCE && ended === null; turn += 1) await null;
  return ended;
}

async function attemptAction(action: Action, input: JsonObject, context: ActionContext): Promise<Attempted> {
  try {
    const report = await action.perform(input, context);
    const { usage } = report;
    if (!report.ok) {
      const finished: Finished = { outcome: "failure", cause: "exit", error: report.error, usage };
      return { finished, hasReached: report.reached !== false };
    }
    const { output, artifacts, tree } = report;
    return { finished: { outcome: "success", cause: "ok", output, artifacts, usage, tree }, hasReached: true };
  } catch (error) {
    return { finished: failure("defect", `action ${action.name} threw: ${messageOf(error)}`), hasReached: true };
  }
}

async function performRun(
  plan: Plan,
  flight: Flight,
  effect: Of<"run">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Finished | Rested> {
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
  if (pass.refusal !== null) return pass.refusal;
  const deadline = createDeadline(effect.stage.timeoutMs, ports.clock, halt);
  const ended = await ports.children.run(request, deadline.halt.signal()).finally(deadline.clear);
  if (!ended.ended) {
    await pass.over("ignored");
    return { rested: { child: run, ...parkedBy(ended) } };
  }
  const { status, reason, usage, turns, spawned } = ended;
  await pass.over(endOfChild(status, reason, deadline.isLate()));
  const tree = ended.tree ?? undefined;
  const told = { child: run, usage, turns, spawned };
  if (deadline.isLate())
    return { ...failure("timeout", `run ${run} took longer than ${effect.stage.timeoutMs} ms`), ...told };
  if (status === "succeeded") return { outcome: "success", cause: "ok", ...told, tree };
  return { ...failure("child", `run ${run} ${status}: ${reason}`), ...told };
}

interface Rested {
  readonly rested: Pick<EventOf<"stage.rested">, "child" | "parked">;
}

/** A child that goes on by itself; who else rests waits for a person. */
function parkedBy({ reason, until, target }: Resting): Pick<EventOf<"stage.rested">, "parked"> {
  if (until === null) return {};
  return { parked: { reason: reason as ParkReason, until, ...(target === null ? {} : { target }) } };
}

type Resting = Extract<ChildReport, { ended: false }>;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

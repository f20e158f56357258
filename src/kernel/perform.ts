/** perform: one effect → one port call → one fact. Outcomes are data; nothing that a stage does can throw into the loop. */
import { effectKey, type RunId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Plan } from "../plan/plan.ts";
import type { Action, ActionContext } from "../ports/actions.ts";
import type { ProcessReport } from "../ports/executor.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { Effect } from "../run/effect/effect.ts";
import type { EventOf, Fact } from "../run/events.ts";
import { childOf } from "../run/plan-index.ts";
import { childRunId } from "./child-id.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import type { Halt } from "./halt.ts";

/** An effect that was authorized and whose INTENT is durable. */
export interface Flight {
  readonly run: RunId;
  readonly stage: string;
  readonly visit: number;
  readonly attempt: number;
  /** Failed attempts of this visit so far: a child run is new after a failure and the same after an interruption. */
  readonly failures: number;
  readonly effect: Effect;
}

/** Turns of the promise queue in which an action that waits for nothing has ended. */
const TURNS_AT_ONCE = 4;

type Finished = Omit<EventOf<"stage.finished">, "at" | "type" | "stage" | "attempt">;

export async function perform(plan: Plan, flight: Flight, ports: KernelPorts, halt: Halt): Promise<Fact> {
  const { stage, attempt } = flight;
  const done = (report: Finished): Fact => ({ type: "stage.finished", stage, attempt, ...report });
  const { effect } = flight;
  if (halt.hasEnded()) return done(failure("killed", "it was not started: the run is ending"));
  switch (effect.kind) {
    case "process":
      return done(await performProcess(flight, effect, ports, halt));
    case "action":
      return done(await performAction(flight, effect, ports, halt));
    case "run": {
      const report = await performRun(plan, flight, effect, ports, halt);
      return "rested" in report ? { type: "stage.rested", stage, attempt, child: report.rested } : done(report);
    }
  }
}

type Of<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;

async function performProcess(
  flight: Flight,
  effect: Of<"process">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Finished> {
  const { run, stage, visit, attempt } = flight;
  const { cwd, timeoutMs, stallMs, capture, outputs } = effect.stage;
  const { argv, env, inputs } = effect;
  const key = effectKey(run, stage, visit);
  const request = { run, stage, attempt, key, argv, env, cwd, timeoutMs, stallMs, capture, inputs, outputs };
  const report = await ports.executor.execute(request, halt.signal(), (text) => ports.onOutput(run, stage, text));
  const { artifacts, ...facts } = report;
  return {
    ...facts,
    outcome: outcomeOf(effect, report),
    ...(Object.keys(artifacts).length === 0 ? {} : { artifacts }),
  };
}

/** A gate speaks its own words: whatever is not a pass or an exit it lists is a fail. */
function outcomeOf(effect: Of<"process">, report: ProcessReport): string {
  const { stage } = effect;
  if (stage.kind === "command") return report.cause === "ok" ? "success" : "failure";
  if (report.cause === "ok") return "pass";
  return report.cause === "exit" && stage.escalateExits.some((exit) => exit === report.exit) ? "escalate" : "fail";
}

async function performAction(flight: Flight, effect: Of<"action">, ports: KernelPorts, halt: Halt): Promise<Finished> {
  const { run, stage, visit, attempt } = flight;
  const action = ports.actions.get(effect.stage.action);
  if (action === undefined)
    return failure("spawn_error", `action ${effect.stage.action} is not registered in this process`);
  const limits: Deadline[] = [];
  const limit = (): Deadline => {
    if (limits.length === 0) limits.push(createDeadline(effect.stage.timeoutMs, ports.clock, halt));
    return limits[0] as Deadline;
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
  };
  const work = attemptAction(action, effect.input, context);
  // An action that ignores its signal is left behind: its host must not hang with it.
  const ended = (await endedAtOnce(work)) ?? (await Promise.race([work, limit().over]));
  for (const deadline of limits) deadline.clear();
  if (ended === null) {
    return limit().isLate()
      ? failure("timeout", `action ${action.name} took longer than ${effect.stage.timeoutMs} ms`)
      : failure("killed", `action ${action.name} was ended before it reported: its effect may have happened`);
  }
  return ended;
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

async function attemptAction(action: Action, input: JsonObject, context: ActionContext): Promise<Finished> {
  try {
    const report = await action.perform(input, context);
    const { usage } = report;
    if (!report.ok) return { outcome: "failure", cause: "exit", error: report.error, usage };
    return { outcome: "success", cause: "ok", output: report.output, artifacts: report.artifacts, usage };
  } catch (error) {
    return failure("defect", `action ${action.name} threw: ${messageOf(error)}`);
  }
}

async function performRun(
  plan: Plan,
  flight: Flight,
  effect: Of<"run">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Finished | { readonly rested: string }> {
  const child = childOf(plan, effect.stage.plan);
  const run = childRunId(flight.run, flight.stage, flight.visit, flight.failures);
  const request = {
    run,
    plan: child,
    params: { ...child.params, ...effect.params },
    parent: { run: flight.run, stage: flight.stage },
  };
  const deadline = createDeadline(effect.stage.timeoutMs, ports.clock, halt);
  const ended = await ports.children.run(request, deadline.halt.signal()).finally(deadline.clear);
  if (!ended.ended) return { rested: run };
  const { status, reason, usage } = ended;
  if (deadline.isLate())
    return { ...failure("timeout", `run ${run} took longer than ${effect.stage.timeoutMs} ms`), child: run, usage };
  if (status === "succeeded") return { outcome: "success", cause: "ok", child: run, usage };
  return { ...failure("child", `run ${run} ${status}: ${reason}`), child: run, usage };
}

function failure(cause: Finished["cause"], error: string): Finished {
  return { outcome: "failure", cause, error };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

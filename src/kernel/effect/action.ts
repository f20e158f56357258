/** An action: a registered function, called with what it may know, and given up when its time is over. */
import { effectKey } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Usage } from "../../base/usage.ts";
import { amountProblem } from "../../limits/ledger/cap.ts";
import type { Action, ActionContext, ActionReport } from "../../ports/actions.ts";
import type { KernelPorts } from "../../ports/kernel-ports.ts";
import type { Certified } from "../../ports/trust/certifier.ts";
import { type CertificateRef, succeededFact } from "../../run/events.ts";
import type { Landing } from "../aftermath.ts";
import { createDeadline, type Deadline } from "../control/deadline.ts";
import type { Halt } from "../control/halt.ts";
import { endOfAction, passFor } from "../control/pass.ts";
import { type Finished, type Flight, failure, landing, type Of } from "../flight.ts";
import { nothingSpent } from "../models.ts";

/** Turns of the promise queue in which an action that waits for nothing has ended. */
const TURNS_AT_ONCE = 4;
const FREE = { refusal: null, over: null } as const;

/** One call of an action, as the kernel knows it. */
interface Call {
  readonly flight: Flight;
  readonly timeoutMs: number;
  readonly ports: KernelPorts;
  readonly halt: Halt;
  /** Begun when it is needed: most actions end at once, and it costs more than they do. */
  deadline: Deadline | null;
  /** What the action has asked for and handed on. */
  certificate: CertificateRef | undefined;
  ended: Finished | null;
  /** It got as far as the machine it talks to, as far as it says. */
  hasReached: boolean;
}

const CALL = Symbol("call");
/** In common to all calls: an accessor of its own would give each of them a shape of its own, which is slow. */
const SIGNAL_ON_DEMAND = {
  get signal(): AbortSignal {
    return deadlineOf((this as unknown as { readonly [CALL]: Call })[CALL]).halt.signal();
  },
};

export async function performAction(
  flight: Flight,
  effect: Of<"action">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Landing> {
  const { stage, input } = effect;
  const action = ports.actions.get(stage.action);
  if (action === undefined)
    return notBegun(flight, effect, failure("spawn_error", `action ${stage.action} is not registered in this process`));
  const pass = action.remote === true ? await passFor(ports, `action:${action.name}`, flight.run, halt) : FREE;
  if (pass.refusal !== null) return notBegun(flight, effect, pass.refusal);
  const call = callOf(flight, stage.timeoutMs, ports, halt);
  const work = begin(action, input, contextOf(call, effect), call);
  for (let turn = 0; turn < TURNS_AT_ONCE && call.ended === null; turn += 1) await null;
  if (call.ended === null) await untilOver(call, work);
  call.deadline?.clear();
  const finished = call.ended ?? leftBehind(action, call);
  if (pass.over !== null) await pass.over(endOfAction(finished, call.hasReached && !halt.hasEnded()));
  if (call.certificate !== undefined) return landing(flight, { ...finished, certificate: call.certificate });
  if (finished.cause !== "ok") return landing(flight, finished);
  return { fact: succeededFact(flight.stage, flight.attempt, finished) };
}

function notBegun(flight: Flight, { stage }: Of<"action">, end: Finished): Landing {
  return landing(flight, { ...end, ...nothingSpent(stage) });
}

function callOf(flight: Flight, timeoutMs: number, ports: KernelPorts, halt: Halt): Call {
  return {
    flight,
    timeoutMs,
    ports,
    halt,
    deadline: null,
    certificate: undefined,
    ended: null,
    hasReached: true,
  };
}

function contextOf(call: Call, { inputs }: Of<"action">): ActionContext {
  const { run, stage, visit, attempt, level, tree, verified } = call.flight;
  const context = {
    __proto__: SIGNAL_ON_DEMAND,
    [CALL]: call,
    run,
    stage,
    attempt,
    key: effectKey(run, stage, visit),
    inputs,
    level,
    tree,
    verified,
    certificate: () => certify(call),
  };
  return context as unknown as ActionContext;
}

function deadlineOf(call: Call): Deadline {
  call.deadline ??= createDeadline(call.timeoutMs, call.ports.clock, call.halt);
  return call.deadline;
}

async function certify(call: Call): Promise<Certified | null> {
  const { run, stage, visit, verified } = call.flight;
  const certified = verified ? await call.ports.certifier?.certify(run, { stage, visit }) : null;
  call.certificate = certified?.ref;
  return certified ?? null;
}

/** Resolves when it has ended; what it ended with is in the call. */
function begin(action: Action, input: JsonObject, context: ActionContext, call: Call): Promise<void> {
  const fail = (error: unknown): void => {
    const what = error instanceof Error ? error.message : String(error);
    call.ended = failure("defect", `action ${action.name} threw: ${what}`);
  };
  try {
    return Promise.resolve(action.perform(input, context)).then((report) => end(call, report), fail);
  } catch (error) {
    fail(error);
    return Promise.resolve();
  }
}

function end(call: Call, report: ActionReport): void {
  const usage = countable(report.usage);
  if (report.ok) {
    const { output, artifacts, tree } = report;
    call.ended = { outcome: "success", cause: "ok", output, artifacts, usage, tree };
    return;
  }
  call.hasReached = report.reached !== false;
  call.ended = { outcome: "failure", cause: "exit", error: report.error, usage };
}

/** Numbers that nobody can count say nothing: less than nothing would be room for more. */
function countable(usage: Usage | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const { tokens, microUsd } = usage;
  return amountProblem({ tokens, microUsd }) === undefined ? { tokens, microUsd } : undefined;
}

/**
 * An action that ignores its signal is left behind: its host must not hang with it. Only a kill waits: it may say that all is
 * over when it is.
 */
async function untilOver(call: Call, work: Promise<void>): Promise<void> {
  await Promise.race([work, deadlineOf(call).over]);
  if (call.ended === null && call.halt.reason() === "kill") await work;
}

function leftBehind({ name }: Action, { timeoutMs, deadline }: Call): Finished {
  return deadline?.isLate() === true
    ? failure("timeout", `action ${name} took longer than ${timeoutMs} ms`)
    : failure("killed", `action ${name} was ended before it reported: its effect may have happened`);
}

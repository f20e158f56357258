/** perform: one effect → one port call → one fact. Outcomes are data; nothing that a stage does can throw into the loop. */
import { isPawlError } from "../base/errors.ts";
import { effectKey, type RunId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import type { Plan } from "../plan/plan.ts";
import { needsTree } from "../plan/walls.ts";
import type { Action, ActionContext } from "../ports/actions.ts";
import type { ProcessReport } from "../ports/executor.ts";
import type { KernelPorts } from "../ports/kernel-ports.ts";
import type { Workspace } from "../ports/workspaces.ts";
import { isVerified, type Start } from "../run/decide.ts";
import type { Effect } from "../run/effect/effect.ts";
import type { EventOf, Fact } from "../run/events.ts";
import { childOf } from "../run/plan-index.ts";
import type { RunningState } from "../run/state.ts";
import type { Landing } from "./aftermath.ts";
import { childRunId } from "./child-id.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import type { Halt } from "./halt.ts";
import { canWrite, placeOf } from "./place.ts";

/** An effect that was authorized and whose INTENT is durable. */
export interface Flight {
  readonly run: RunId;
  readonly stage: string;
  /** Path of the member; null: the stage is no member of a group. */
  readonly member: string | null;
  readonly visit: number;
  readonly attempt: number;
  /** Failed attempts of this visit so far: a child run is new after a failure and the same after an interruption. */
  readonly failures: number;
  /** What the workspace holds when the attempt begins; null: there is none. */
  readonly tree: string | null;
  /** A gate has passed exactly this tree. */
  readonly verified: boolean;
  readonly effect: Effect;
}

export function flightOf(run: RunId, { facts, progress }: RunningState, start: Start, effect: Effect): Flight {
  const { path: stage, visit, attempt, failures, tree } = start;
  const member = progress.group === null ? null : stage;
  return { run, stage, member, visit, attempt, failures, tree, verified: isVerified(facts), effect };
}

/** Turns of the promise queue in which an action that waits for nothing has ended. */
const TURNS_AT_ONCE = 4;

type Finished = Omit<EventOf<"stage.finished">, "at" | "type" | "stage" | "attempt">;

export async function perform(plan: Plan, flight: Flight, ports: KernelPorts, halt: Halt): Promise<Landing> {
  const { stage, attempt } = flight;
  const done = (report: Finished): Fact => ({ type: "stage.finished", stage, attempt, ...report });
  const { effect } = flight;
  if (halt.hasEnded()) return { fact: done(failure("killed", "it was not started: the run is ending")) };
  switch (effect.kind) {
    case "process": {
      const { finished, clear } = await performProcess(plan, flight, effect, ports, halt);
      return { fact: done(finished), clear };
    }
    case "action":
      return { fact: done(await performAction(plan, flight, effect, ports, halt)) };
    case "run": {
      const report = await performRun(plan, flight, effect, ports, halt);
      return {
        fact: "rested" in report ? { type: "stage.rested", stage, attempt, child: report.rested } : done(report),
      };
    }
  }
}

type Of<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;

/** A process works in a workspace that holds exactly the tree it shall begin with; what it leaves there is saved. */
async function performProcess(
  plan: Plan,
  flight: Flight,
  effect: Of<"process">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Processed> {
  const { run, stage, member, attempt, tree } = flight;
  const place = placeOf(plan, { run, member, tree, leaf: effect.stage });
  if (place === null && needsTree(plan)) return refused(effect, "the run has no tree to work in: nothing was started");
  const clear = (): Promise<void> => ports.executor.forget({ run, stage, attempt });
  if (place === null || tree === null) return { finished: await execute(flight, effect, null, ports, halt), clear };
  const label = { stage, attempt, at: ports.clock.now() };
  const workspace = await orRefusal(ports.workspaces.enter(place, tree, label));
  if ("refusal" in workspace) return refused(effect, workspace.refusal);
  const finished = await execute(flight, effect, workspace.value, ports, halt);
  if (!canWrite(effect.stage)) return { finished, clear };
  const saved = await orRefusal(workspace.value.save(label));
  if ("refusal" in saved)
    return { finished: gated(effect, { ...finished, ...failure("invalid_output", saved.refusal) }), clear };
  const clearAll = async (): Promise<void> => {
    await Promise.all([clear(), workspace.value.remove(label)]);
  };
  return { finished: { ...finished, tree: saved.value }, clear: place.member === null ? clear : clearAll };
}

interface Processed {
  readonly finished: Finished;
  readonly clear?: Landing["clear"];
}

function refused(effect: Of<"process">, error: string): Processed {
  return { finished: gated(effect, failure("spawn_error", error)) };
}

/** What a workspace refuses is the end of the stage; anything else that goes wrong is the end of its host. */
async function orRefusal<T>(work: Promise<T>): Promise<{ readonly value: T } | { readonly refusal: string }> {
  try {
    return { value: await work };
  } catch (error) {
    if (isPawlError(error) && error.code.startsWith("WORKSPACE_")) return { refusal: error.message };
    throw error;
  }
}

function gated(effect: Of<"process">, finished: Finished): Finished {
  return effect.stage.kind === "gate" ? { ...finished, outcome: "fail" } : finished;
}

async function execute(
  flight: Flight,
  effect: Of<"process">,
  workspace: Workspace | null,
  ports: KernelPorts,
  halt: Halt,
): Promise<Finished> {
  const { run, stage, visit, attempt } = flight;
  const { cwd, wall, timeoutMs, stallMs, capture, outputs } = effect.stage;
  const { argv, env, inputs, strip } = effect;
  const key = effectKey(run, stage, visit);
  const { folder, project, mounts } = workspace ?? { folder: null, project: "", mounts: [] };
  const request = { run, stage, attempt, key, argv, env, folder, project, mounts, cwd, wall, inputs, strip, outputs };
  const report = await ports.executor.execute({ ...request, timeoutMs, stallMs, capture }, halt.signal(), (text) =>
    ports.onOutput(run, stage, text),
  );
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

async function performAction(
  plan: Plan,
  flight: Flight,
  effect: Of<"action">,
  ports: KernelPorts,
  halt: Halt,
): Promise<Finished> {
  const { run, stage, visit, attempt, tree } = flight;
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
    level: plan.level,
    tree,
    verified: flight.verified,
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
    const { output, artifacts, tree } = report;
    return { outcome: "success", cause: "ok", output, artifacts, usage, tree };
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
    tree: child.workspace === null ? null : flight.tree,
    parent: { run: flight.run, stage: flight.stage },
  };
  const deadline = createDeadline(effect.stage.timeoutMs, ports.clock, halt);
  const ended = await ports.children.run(request, deadline.halt.signal()).finally(deadline.clear);
  if (!ended.ended) return { rested: run };
  const { status, reason, usage } = ended;
  const tree = ended.tree ?? undefined;
  if (deadline.isLate())
    return { ...failure("timeout", `run ${run} took longer than ${effect.stage.timeoutMs} ms`), child: run, usage };
  if (status === "succeeded") return { outcome: "success", cause: "ok", child: run, usage, tree };
  return { ...failure("child", `run ${run} ${status}: ${reason}`), child: run, usage };
}

function failure(cause: Finished["cause"], error: string): Finished {
  return { outcome: "failure", cause, error };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

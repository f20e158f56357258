/** What the plans of one execution share: their time, their calls, what was given so far, their log. */
import type { RunId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Hooks } from "../ports.ts";
import type { ExecutionContext, StepResult } from "./execution-context.ts";
import { createLogWriter, type ExecutionLog, type LogWriter } from "./execution-log.ts";
import { type ExecutionPlan, limitsWithin, type PlanLimits } from "./reading/execution-plan.ts";
import type { CallDoor } from "./run-step.ts";
import type { PlanStop } from "./stops.ts";

export type ReplanTrigger = "tool_failure" | "invalid_data" | "needs_replan";

export interface ReplanRequest {
  readonly trigger: ReplanTrigger;
  readonly plan: ExecutionPlan;
  readonly failed: StepResult;
  readonly results: readonly StepResult[];
  /** Which one it is: 1, 2. */
  readonly replan: number;
}

/** Another plan, as JSON; null: there is none. */
export type Replan = (request: ReplanRequest, signal: AbortSignal) => Promise<JsonValue | null>;

export interface PlanHost {
  /** The run that it belongs to; hooks know it by that. */
  readonly run: RunId;
  /** The one door for calls; it asks hooks and policy. */
  readonly call: CallDoor;
  /** Names of the tools that the parent has. */
  readonly tools: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: ExecutionLog;
  readonly hooks?: Hooks;
  /** Within the ceilings. */
  readonly limits?: Partial<PlanLimits>;
  /** Makes another plan when one fails; without it, the first failure is the end. */
  readonly replan?: Replan;
}

export interface Session {
  readonly host: PlanHost;
  readonly context: ExecutionContext;
  readonly limits: PlanLimits;
  readonly log: LogWriter;
  readonly signal: AbortSignal;
  /** What steps have given, by their id. */
  readonly outputs: Map<string, JsonValue>;
  /** Ids of the plans so far, in order. */
  readonly plans: string[];
  readonly startedAt: number;
  /** Counts one more call; false: there is none left. */
  takeCall(): boolean;
  calls(): number;
  /** Why it must stop at once; null: it goes on. */
  halted(): PlanStop | null;
  /** A part of it that has a time of its own; `end` gives the time back. */
  narrow(ms: number, stop: PlanStop): { readonly session: Session; end(): void };
}

export interface SessionTime {
  readonly ms: number;
  /** The word for its end. */
  readonly stop: PlanStop;
}

export function openSession(
  context: ExecutionContext,
  host: PlanHost,
  caller: AbortSignal,
  time: SessionTime & { readonly calls: number },
): { readonly session: Session; end(): void } {
  const { clock } = host;
  const startedAt = clock.now();
  const limits = limitsWithin(host.limits ?? {});
  const left = context.deadline === null ? time.ms : Math.min(time.ms, Math.max(0, context.deadline - startedAt));
  const life = createLife(clock, caller, () => "context_canceled", left, time.stop);
  let calls = 0;
  const shared = {
    ...{ host, context, limits, startedAt },
    log: createLogWriter(host.log, context, clock),
    outputs: new Map<string, JsonValue>(),
    plans: [],
    takeCall: () => {
      if (calls >= time.calls) return false;
      calls += 1;
      return true;
    },
    calls: () => calls,
  };
  const sessionIn = (own: Life): Session => ({
    ...shared,
    signal: own.signal,
    halted: own.halted,
    narrow: (ms, stop) => {
      const inner = createLife(clock, own.signal, () => own.halted() ?? "context_canceled", ms, stop);
      return { session: sessionIn(inner), end: inner.end };
    },
  });
  return { session: sessionIn(life), end: life.end };
}

interface Life {
  readonly signal: AbortSignal;
  halted(): PlanStop | null;
  end(): void;
}

/** The first cause counts: what its caller ends is cancelled, what its time ends is late. */
function createLife(clock: Clock, outer: AbortSignal, why: () => PlanStop, ms: number, late: PlanStop): Life {
  const own = new AbortController();
  let halted: PlanStop | null = null;
  const halt = (stop: PlanStop): void => {
    if (halted !== null) return;
    halted = stop;
    own.abort(stop);
  };
  const follow = (): void => halt(why());
  outer.addEventListener("abort", follow, { once: true });
  if (outer.aborted) follow();
  const callOff = clock.after(ms, () => halt(late));
  return {
    signal: own.signal,
    halted: () => halted,
    end: () => {
      callOff();
      outer.removeEventListener("abort", follow);
    },
  };
}

/** Flight: one effect on its way, from its INTENT to its DONE. */
import type { RunId } from "../base/ids.ts";
import type { Level } from "../blueprint/blueprint.ts";
import type { Payment } from "../limits/ledger/budget.ts";
import type { Plan } from "../plan/plan.ts";
import { levelNow } from "../run/budget/ceiling.ts";
import { isVerified, type Start } from "../run/decide.ts";
import type { Effect } from "../run/effect/effect.ts";
import type { EventOf } from "../run/events.ts";
import type { Deferral, RunningState, StageResult } from "../run/state.ts";
import type { Landing } from "./aftermath.ts";

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
  /** What gates compare with. */
  readonly base: string | null;
  /** A gate has passed exactly this tree. */
  readonly verified: boolean;
  /** What the latest visit of this stage has ended with; null: it is the first. */
  readonly before: StageResult | null;
  /** When the attempt began. */
  readonly startedAt: number;
  readonly effect: Effect;
  /** How far the run may go now. */
  readonly level: Level;
  /** It was cut to that because most of a cap is spent. */
  readonly degraded: boolean;
  /** Who pays for its calls to models, under which caps; null: nobody but the stage counts them. */
  readonly payment: Payment | null;
  /** Where an agent goes on from that a person has allowed a call; null: it begins. */
  readonly deferral: Deferral | null;
  /** What an agent needs to know of its run; null: it is none. */
  readonly around: Around | null;
}

export interface Around {
  /** Sessions of other stages, which it must not share. */
  readonly sessions: readonly string[];
  readonly round: number;
  /** What went wrong last and was not yet put right; null: nothing. */
  readonly lastError: string | null;
}

interface Host {
  readonly run: RunId;
  readonly plan: Plan;
}

export function flightOf(host: Host, { facts, progress }: RunningState, start: Start, effect: Effect): Flight {
  const { run, plan } = host;
  const { path: stage, visit, attempt, failures, tree, deferral } = start;
  const member = progress.group === null ? null : stage;
  const { base, at: startedAt, results } = facts;
  const verified = isVerified(facts);
  const before = results.get(stage) ?? null;
  const level = levelNow(plan, facts);
  const { degraded } = facts;
  return {
    run,
    stage,
    member,
    visit,
    attempt,
    failures,
    tree,
    base,
    verified,
    before,
    startedAt,
    effect,
    level,
    degraded,
    payment: null,
    deferral,
    around: effect.kind === "agent" ? aroundOf(stage, facts) : null,
  };
}

function aroundOf(stage: string, { results, round, lastFailure }: RunningState["facts"]): Around {
  const others = [...results].filter(([id]) => id !== stage);
  return {
    sessions: others.flatMap(([, { session }]) => session ?? []),
    round,
    lastError: lastFailure?.error ?? null,
  };
}

export type Of<K extends Effect["kind"]> = Extract<Effect, { kind: K }>;
export type Finished = Omit<EventOf<"stage.finished">, "at" | "type" | "stage" | "attempt">;

/** The DONE of a flight. */
export function landing({ stage, attempt }: Flight, finished: Finished): Landing {
  return { fact: { type: "stage.finished", stage, attempt, ...finished } };
}

export function failure(cause: Finished["cause"], error: string): Finished {
  return { outcome: "failure", cause, error };
}

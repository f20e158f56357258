/** ChildRuns: hosts the run that a `run` stage asks for, under the same laws. */
import type { RunId } from "../base/ids.ts";
import type { JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { Plan } from "../plan/plan.ts";
import type { StopReason, TerminalStatus, WaitReason } from "../run/reasons.ts";

export interface ChildRequest {
  readonly run: RunId;
  readonly plan: Plan;
  readonly params: Readonly<Record<string, JsonValue>>;
  /** What its workspace starts from: the tree of its parent. */
  readonly tree: string | null;
  /** What its gates compare with: what those of its parent do. */
  readonly base: string | null;
  readonly parent: { readonly run: RunId; readonly stage: string };
}

export type ChildReport =
  | {
      readonly ended: true;
      readonly status: TerminalStatus;
      readonly reason: StopReason;
      readonly usage: Usage;
      /** Calls to models, with those of its child runs. */
      readonly turns: number;
      /** Child runs that it has begun, with theirs. */
      readonly spawned: number;
      /** What its workspace held at the end. */
      readonly tree: string | null;
    }
  /** The child rests until a person acts, or until `until`. */
  | {
      readonly ended: false;
      readonly status: "waiting" | "paused";
      readonly reason: WaitReason | null;
      readonly until: number | null;
      /** What must let it then; null: nothing but time. */
      readonly target: string | null;
    };

export interface ChildRuns {
  /**
   * Starts the child, or goes on with it when a run of this id exists, until it ends or rests.
   * `signal` aborted with the reason "stop" cancels the child, with "kill" kills it; with "drain" its host is leaving and the
   * child stays resumable.
   */
  run(request: ChildRequest, signal: AbortSignal): Promise<ChildReport>;
}

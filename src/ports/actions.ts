/** Actions: registered functions a blueprint may call by name. */
import type { RunId } from "../base/ids.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { Level } from "../blueprint/blueprint.ts";
import type { ActionSignature } from "../plan/plan.ts";
import type { ArtifactRef } from "../run/events.ts";
import type { Certified } from "./trust/certifier.ts";

export interface ActionContext {
  readonly run: RunId;
  readonly stage: string;
  readonly attempt: number;
  /** The same for every attempt of this visit: an action declared `keyed` must do its effect once per key. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly inputs: Readonly<Record<string, ArtifactRef>>;
  /** The ceiling of the run: an action may do less than it could, never more. */
  readonly level: Level;
  /** What the workspace of the run holds; null: it has none. */
  readonly tree: string | null;
  /** The latest verdict of every gate is a pass, and the last of them judged exactly this tree. */
  readonly verified: boolean;
  /** Proof of that, for what leaves the run: the same for every attempt of this visit. null: there is nothing to prove. */
  readonly certificate?: () => Promise<Certified | null>;
}

export type ActionReport =
  | {
      readonly ok: true;
      readonly output?: JsonValue;
      readonly artifacts?: Readonly<Record<string, ArtifactRef>>;
      readonly usage?: Usage;
      /** What the workspace shall hold from now on. */
      readonly tree?: string;
    }
  | {
      readonly ok: false;
      readonly error: string;
      readonly usage?: Usage;
      /** false: it did not get as far as the other machine, so it says nothing about that. */
      readonly reached?: boolean;
    };

export interface Action extends ActionSignature {
  /** A throw is a failure of the stage with cause `defect`, never of the run's host. */
  perform(input: JsonObject, context: ActionContext): Promise<ActionReport>;
}

export interface Actions {
  get(name: string): Action | undefined;
  signatures(): readonly ActionSignature[];
}

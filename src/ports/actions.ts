/** Actions: registered functions a blueprint may call by name. */
import type { RunId } from "../base/ids.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Usage } from "../base/usage.ts";
import type { ActionSignature } from "../plan/plan.ts";
import type { ArtifactRef } from "../run/events.ts";

export interface ActionContext {
  readonly run: RunId;
  readonly stage: string;
  readonly attempt: number;
  /** The same for every attempt of this visit: an action declared `keyed` must do its effect once per key. */
  readonly key: string;
  readonly signal: AbortSignal;
  readonly inputs: Readonly<Record<string, ArtifactRef>>;
}

export type ActionReport =
  | {
      readonly ok: true;
      readonly output?: JsonValue;
      readonly artifacts?: Readonly<Record<string, ArtifactRef>>;
      readonly usage?: Usage;
    }
  | { readonly ok: false; readonly error: string; readonly usage?: Usage };

export interface Action extends ActionSignature {
  /** A throw is a failure of the stage with cause `defect`, never of the run's host. */
  perform(input: JsonObject, context: ActionContext): Promise<ActionReport>;
}

export interface Actions {
  get(name: string): Action | undefined;
  signatures(): readonly ActionSignature[];
}

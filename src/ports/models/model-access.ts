/** ModelAccess: a stage may call models, through the gateway and no other way, up to an amount. */
import type { Usage } from "../../base/usage.ts";
import type { Account, Cap } from "../../limits/ledger/cap.ts";
import type { RefusalReason } from "../../limits/routes/refusal.ts";
import type { ArtifactRef } from "../../run/events.ts";

export interface ModelGrant {
  /** `RUN/STAGE/VISIT/ATTEMPT`: no two attempts share it. */
  readonly key: string;
  /** Who pays. */
  readonly accounts: readonly Account[];
  readonly caps: readonly Cap[];
  readonly priority: number;
  readonly calls: number | null;
  /** null: any that there is a key for. */
  readonly providers: readonly string[] | null;
  /** Keep all that passes. */
  readonly record: boolean;
}

/** What an attempt used of models. */
export interface ModelUse {
  readonly usage: Usage;
  readonly calls: number;
  /** Calls that were refused because the budget was reached. */
  readonly refused: number;
  /** Calls that a replay had no answer for: what came of them proves nothing. */
  readonly missed: number;
  /** When the quota of a provider that said no comes back; null: none said so. */
  readonly parkedUntil: number | null;
  /** All that passed, one call a line; without it, nothing was kept. */
  readonly traffic?: ArtifactRef;
}

/** What a call got instead of an answer. */
export interface ModelRefusal {
  readonly why: RefusalReason;
  /** Secrets masked; text of others. */
  readonly error: string;
  /** No call of the attempt was answered. */
  readonly isAll: boolean;
}

export interface ModelDoor {
  /** Variables that lead the usual clients to the gateway, with the token of this attempt for a key. */
  readonly env: Readonly<Record<string, string>>;
  /** A unix socket that the wall must lead to. */
  readonly socket: string;
  /** What the last call got instead of an answer; null: it was answered, or there was none. Still known after the end. */
  lastRefusal(): ModelRefusal | null;
  /** Resolves when trying on is of no use: call after call was refused, or no answer is to be had for long. Never rejects. */
  readonly hopeless: Promise<ModelRefusal>;
  /** Ends the token and every call under way. Resolves when all of it is settled. Idempotent. */
  close(): Promise<ModelUse>;
}

export interface ModelAccess {
  /** Rejects with GATEWAY_… when there is no way to a model: then nothing was opened. */
  open(grant: ModelGrant): Promise<ModelDoor>;
  /** Settles what an attempt of a host that died has left open. Resolves to all that it has used, however often it is asked. */
  reconcile(key: string): Promise<ModelUse>;
}

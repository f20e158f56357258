/** CallRecords: what was asked of models, so that a crash loses no amount. Small, and gone when the attempt is settled. */
import type { Usage } from "../../base/usage.ts";

/** It may be billed from now on, if it was reserved too. */
export interface CallBegun {
  readonly type: "begun";
  /** Key in the ledger. */
  readonly key: string;
  readonly at: number;
  readonly model: string;
  readonly reserved: Usage;
}

export interface CallEnded {
  readonly type: "ended";
  readonly key: string;
  readonly at: number;
  /** Who answered. */
  readonly provider: string;
  readonly model: string;
  readonly charged: Usage;
  /** Why `charged` is not exact; null: it is. */
  readonly estimate: string | null;
}

export type CallRecord = CallBegun | CallEnded;

export interface CallRecords {
  /** Durable when it resolves. `of`: key of the grant that the call belongs to. */
  append(of: string, record: CallRecord): Promise<void>;
  /** In order; what a crash left half-written at the end is left out. */
  read(of: string): Promise<readonly CallRecord[]>;
  /** Everything of it is settled. Idempotent. */
  forget(of: string): Promise<void>;
}

/** Budget: who pays for what one run spends, which caps hold for it, and the ledger that counts. */
import type { Payment } from "../../limits/ledger/budget.ts";
import type { Amounts } from "../../limits/ledger/cap.ts";
import type { Ledger } from "./ledger.ts";

export interface Budget extends Payment {
  readonly ledger: Pick<Ledger, "reserve" | "settle" | "withdraw">;
  /** What the run itself counts as, with its first stage: a run, or one that another run has spawned; null: no cap counts it. */
  readonly entry: Amounts | null;
}

/** The budget of one run, which is not looked for before something may be spent. */
export interface Purse {
  /** Whether the run itself may have to be counted before its next stage begins. */
  isCounted: boolean;
  /** Names under which it stands in line. */
  readonly waiting: Set<string>;
  open(): Promise<Budget>;
}

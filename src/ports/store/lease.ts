/** Lease: one host per run. The operating system holds it, so it is free the instant its process dies, however it died. */
import type { RunId } from "../../base/ids.ts";
import type { Holder } from "./run-index.ts";

export type Claimed = { readonly claimed: true } | { readonly claimed: false; readonly holder: Holder };

export interface Lease {
  /** Takes the run for this host unless a living host has it. Claiming what one has already is a success. */
  claim(run: RunId): Promise<Claimed>;
  /** Gives the run back. Giving back what one does not have does nothing. */
  release(run: RunId): Promise<void>;
}

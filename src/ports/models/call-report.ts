/** CallReport: what became of a model call, for whoever watches. */
import type { Usage } from "../../base/usage.ts";
import type { Tokens } from "../../limits/prices/tokens.ts";
import type { PassedOver } from "../../limits/routes/route.ts";

/** It names the model that answered, never only the one that was asked for. */
export interface CallReport {
  readonly key: string;
  readonly asked: string;
  readonly provider: string;
  readonly answered: string;
  readonly status: number;
  readonly tokens: Tokens | null;
  readonly charged: Usage;
  readonly estimate: string | null;
  readonly toolCalls: number;
  /** Who was asked before, or left out, and why. */
  readonly passedOver: readonly PassedOver[];
  readonly error: string | null;
  readonly ms: number;
}

/** What every answer says of its way: who gave it, and who did not. */
import { showCandidate } from "../../limits/routes/candidate.ts";
import type { ProviderAnswer } from "../exchange.ts";
import type { Headers } from "../http/headers.ts";

const LONGEST = 1000;

export function routeHeaders({ candidate, passedOver = [] }: ProviderAnswer): Headers {
  const told = passedOver.map(({ model, why }) => `${model}: ${why}`).join("; ");
  return {
    "x-pawl-model": plain(showCandidate({ ...candidate, effort: null })),
    ...(told === "" ? {} : { "x-pawl-passed-over": plain(told) }),
  };
}

/** Names of models are written by people. */
function plain(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?").slice(0, LONGEST);
}

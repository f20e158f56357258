/** Names of things that are stored. Ids are generated, short and safe as a file name; what a person typed is only a label. */

declare const brand: unique symbol;
export type RunId = string & { readonly [brand]: "RunId" };

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** A run id from 12 or more random bytes; 60 bits, so a store can treat a clash as a defect. */
export function formatRunId(random: Uint8Array): RunId {
  return `r_${letters(random)}` as RunId;
}

/** The id of a drill or an incident, likewise. */
export function formatEvidenceId(random: Uint8Array): string {
  return `e_${letters(random)}`;
}

function letters(random: Uint8Array): string {
  let text = "";
  for (let i = 0; i < 12; i += 1) text += ALPHABET[(random[i] ?? 0) & 31];
  return text;
}

/** The idempotency key of an effect: the same for every attempt of one visit, different for any other visit. */
export function effectKey(run: RunId, stage: string, visit: number): string {
  return `${run}:${stage}:${visit}`;
}

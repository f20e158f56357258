/**
 * Whether a delivery is who it says it is, and new. The sender signs time, id and body with a secret that both know:
 *
 *   x-pawl-timestamp: 1780000000          seconds; not older than five minutes
 *   x-pawl-delivery: build-4711           deduplicated for ever
 *   x-pawl-signature: sha256=HMAC-SHA256(secret, "1780000000.build-4711." + body)
 */
import { createHmac, timingSafeEqual } from "node:crypto";

export interface Signed {
  readonly timestamp: string;
  readonly delivery: string;
  readonly signature: string;
  readonly body: Uint8Array;
}

const LONGEST_AGE_MS = 5 * 60_000;
const DELIVERY = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const TIMESTAMP = /^\d{1,12}$/;
/** A shorter one can be guessed. */
export const SHORTEST_SECRET = 16;

/** Why it is refused; null: it is good. */
export function signatureProblem(signed: Signed, secret: string, now: number): string | null {
  const { timestamp, delivery, signature, body } = signed;
  if (!DELIVERY.test(delivery))
    return "its x-pawl-delivery is missing, or is no name of up to 128 letters, digits and . _ : -";
  if (!TIMESTAMP.test(timestamp)) return "its x-pawl-timestamp is missing, or is no number of seconds";
  const expected = createHmac("sha256", secret).update(`${timestamp}.${delivery}.`).update(body).digest();
  const given = Buffer.from(/^sha256=([0-9a-f]{64})$/.exec(signature)?.[1] ?? "", "hex");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "its signature is wrong";
  return Math.abs(now - Number(timestamp) * 1000) > LONGEST_AGE_MS
    ? "it is older than five minutes, or from the future"
    : null;
}

/** Reads from a failed call when the same model may be asked again. */
import { readHeaders } from "../quota/headers.ts";
import { readQuota } from "../quota/read-quota.ts";
import type { CallFailure } from "./failure.ts";

/**
 * null: the provider named no instant, or only money helps. `zone`: the IANA zone of this machine, for providers that name an hour
 * without one; "" ignores such hours.
 */
export function retryAt(
  { status, headers, message, body = message }: CallFailure,
  { at, zone }: { readonly at: number; readonly zone: string },
): number | null {
  const quota = readQuota({ ...(status === null ? {} : { status }), headers, text: body, at, zone });
  if (quota?.kind === "credit") return null;
  return quota?.until ?? readHeaders(headers, at)?.until ?? null;
}

/** Refusals: a problem of the catalogue as an answer. 402 is what agents stop at; the others are the nearest there is. */
import { diagnose } from "../base/diagnostic.ts";
import type { JsonObject } from "../base/json.ts";
import { GATEWAY_ERRORS } from "../ports/errors/gateway-errors.ts";
import type { Refusal } from "./wires/wire.ts";

const STATUSES = {
  GATEWAY_TOKEN_UNKNOWN: 401,
  GATEWAY_KEY_MISSING: 401,
  GATEWAY_BUDGET_REACHED: 402,
  GATEWAY_CALLS_REACHED: 402,
  GATEWAY_PROVIDER_DENIED: 403,
  GATEWAY_HOST_DENIED: 403,
  GATEWAY_ROUTE_UNKNOWN: 404,
  GATEWAY_REQUEST_TOO_LARGE: 413,
  GATEWAY_REQUEST_UNFIT: 400,
  GATEWAY_ROUTE_UNFIT: 400,
  GATEWAY_RATE_REACHED: 429,
  GATEWAY_MODELS_RESTING: 429,
  GATEWAY_UPSTREAM_FAILED: 502,
  // The one that a client may well try again by itself.
  GATEWAY_LEDGER_FAILED: 503,
  // No status of HTTP means it, and nobody tries this one again.
  GATEWAY_REPLAY_MISSED: 599,
} as const;

type Code = keyof typeof STATUSES;
type DataOf<K extends Code> = Parameters<(typeof GATEWAY_ERRORS)[K]["what"]>[0] & JsonObject;

export function refusalFor<K extends Code>(code: K, data: DataOf<K>): Refusal {
  const { what, hint } = diagnose(GATEWAY_ERRORS, code, data as never);
  return { status: STATUSES[code], code, message: `${what} ${hint}` };
}

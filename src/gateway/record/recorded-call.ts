/** RecordedCall: one try at a provider, kept so that it can be answered again without one. */
import { sha256 } from "../../base/digest.ts";
import { canonical, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Candidate, ModelCall } from "../exchange.ts";
import type { Headers } from "../http/headers.ts";

export interface RecordedCall {
  readonly version: 1;
  /** In which order the answers came to their end, from 1. */
  readonly order: number;
  /** Of what was asked, and of whom. */
  readonly digest: string;
  readonly provider: string;
  readonly model: string;
  /** For people who read the record; secrets are masked. null: it was too large to keep. */
  readonly request: JsonValue;
  readonly status: number;
  readonly headers: Headers;
  /** Secrets are masked. null: it was too large to keep, or broke off; it cannot be replayed. */
  readonly response: string | null;
}

/** Members that say who asks and not what: they differ each time. */
const WHO_ASKS: ReadonlySet<string> = new Set([
  ...["metadata", "user", "safety_identifier", "prompt_cache_key", "client_metadata"],
]);

/** The same for the same question, however its members are ordered. */
export function digestOf({ wire, path, body }: ModelCall, { provider, model }: Candidate): string {
  const asked: JsonObject = Object.fromEntries(Object.entries(body).filter(([name]) => !WHO_ASKS.has(name)));
  return sha256(canonical([wire.name, path.split("?")[0] ?? "", provider, model, asked]));
}

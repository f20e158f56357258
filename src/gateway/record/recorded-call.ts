/** RecordedCall: one try at a provider, kept so that it can be answered again without one. */
import { sha256 } from "../../base/digest.ts";
import { canonical, type JsonValue } from "../../base/json.ts";
import type { Candidate, ModelCall } from "../exchange.ts";
import type { Headers } from "../http/headers.ts";
import { withoutVolatile } from "./volatile.ts";

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

/** The same for the same question, however its members are ordered, whoever asks and whenever. */
export function digestOf({ wire, path, body }: ModelCall, { provider, model }: Candidate): string {
  return sha256(canonical([wire.name, path.split("?")[0] ?? "", provider, model, withoutVolatile(wire.name, body)]));
}

/** Player: answers from a record, without a network. The n-th time something is asked it gives the n-th answer; or none at all. */
import { Readable } from "node:stream";
import { type Candidate, type ModelCall, ReplayMiss, type Send } from "../exchange.ts";
import type { Traffic } from "../grants.ts";
import { digestOf, type RecordedCall } from "./recorded-call.ts";

export function createPlayer(calls: readonly RecordedCall[]): Extract<Traffic, { kind: "replay" }> {
  const waiting = new Map<string, RecordedCall[]>();
  for (const call of [...calls].sort((a, b) => a.order - b.order))
    waiting.set(call.digest, [...(waiting.get(call.digest) ?? []), call]);
  let order = 0;
  const next = (call: ModelCall, candidate: Candidate): RecordedCall & { readonly response: string } => {
    order += 1;
    const found = waiting.get(digestOf(call, candidate))?.shift();
    if (found === undefined || found.response === null) throw new ReplayMiss(candidate.model, order);
    return { ...found, response: found.response };
  };
  const send: Send = async (call, candidate) => {
    const { status, headers, response } = next(call, candidate);
    return { status, headers, body: Readable.from([Buffer.from(response)]), candidate };
  };
  return { kind: "replay", send };
}

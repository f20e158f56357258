/** An exchange with a provider: the call of a client, who may answer it, and the answer. Routes decide in between. */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { JsonObject } from "../base/json.ts";
import type { PassedOver } from "../limits/routes/route.ts";
import type { Headers } from "./http/headers.ts";
import type { Refusal, RequestFacts, Wire } from "./wires/wire.ts";

/** What a client asks, checked, without its credentials. */
export interface ModelCall {
  readonly wire: Wire;
  /** Path and query, without a token. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: JsonObject;
  /** The body as it came; what is sent when nothing in it has to be changed. */
  readonly bytes: Buffer;
  readonly facts: RequestFacts;
  /** Whose rates count, besides those of the provider; null: nobody's. */
  readonly tenant?: string | null;
  /** Events of the answer that the client did not ask for, and does not get. */
  readonly isHidden?: (event: JsonObject) => boolean;
}

/** A model that may answer a call. */
export interface Candidate {
  readonly provider: string;
  /** As the provider calls it. */
  readonly model: string;
  /** Members of the body that this candidate needs otherwise, such as its effort. */
  readonly changes?: JsonObject;
}

export interface ProviderAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Not compressed. */
  readonly body: Readable;
  /** Who answered. */
  readonly candidate: Candidate;
  /** Who was asked before and did not answer, or was left out. */
  readonly passedOver?: readonly PassedOver[];
  /** When the quota of the provider comes back, where it says that it has none left. */
  readonly until?: number | null;
  /** To be told how many tokens it was, when that is known. */
  readonly onCounted?: (tokens: number) => void;
}

/** One try. Rejects with an UpstreamError when there is no answer at all. */
export type Send = (call: ModelCall, candidate: Candidate, signal: AbortSignal) => Promise<ProviderAnswer>;

export interface Router {
  /** Everyone who may answer, in order, never empty: the dearest of them is reserved. An unknown name stands for itself. */
  candidates(call: ModelCall): readonly Candidate[];
  /** Gets the answer that the client shall see. An answer that it gives up for another one it reads to its end or destroys. */
  answer(call: ModelCall, candidates: readonly Candidate[], send: Send, signal: AbortSignal): Promise<ProviderAnswer>;
}

/** The first candidate, once. */
export const PLAIN_ROUTER: Router = {
  candidates: ({ wire, facts }) => [{ provider: wire.provider, model: facts.model }],
  answer: (call, candidates, send, signal) => send(call, candidates[0] as Candidate, signal),
};

export class UpstreamError extends Error {
  /** Whether the provider may have got the request, and so may bill it. */
  readonly maySpend: boolean;

  constructor(message: string, maySpend: boolean) {
    super(message);
    this.name = "UpstreamError";
    this.maySpend = maySpend;
  }
}

/** Nobody is asked: a route leads nowhere, or everybody on it rests. Nothing was spent. */
export class RouteRefusal extends Error {
  readonly refusal: Refusal;
  /** When it makes sense to ask again; null: nobody knows. */
  readonly until: number | null;

  constructor(refusal: Refusal, until: number | null) {
    super(refusal.message);
    this.name = "RouteRefusal";
    this.refusal = refusal;
    this.until = until;
  }
}

/** A replay was asked for what it does not have. */
export class ReplayMiss extends Error {
  readonly model: string;
  /** Which call of the replay it is, from 1. */
  readonly order: number;

  constructor(model: string, order: number) {
    super(`call ${order} to ${model} is not in the record`);
    this.name = "ReplayMiss";
    this.model = model;
    this.order = order;
  }
}

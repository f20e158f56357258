/**
 * The router: which models may answer a call, and which of them does. It never changes the wire, never repeats a try that may
 * have been billed, and tells of every model that did not answer.
 */
import { finished } from "node:stream";
import type { Candidate as Choice, Providers } from "../../limits/routes/candidate.ts";
import { effortMembers } from "../../limits/routes/effort.ts";
import type { CallFailure } from "../../limits/routes/failure.ts";
import { retryAt } from "../../limits/routes/retry-at.ts";
import { findRoute, type PassedOver, type Routed } from "../../limits/routes/route.ts";
import type { RouteSettings } from "../../limits/routes/settings.ts";
import type { Clock } from "../../ports/clock.ts";
import {
  type Candidate,
  type ModelCall,
  type ProviderAnswer,
  RouteRefusal,
  type Router,
  type Send,
  UpstreamError,
} from "../exchange.ts";
import { refusalFor } from "../refusals.ts";
import { type Asked, type Attempt, askInTurn, type Turns } from "./ask-in-turn.ts";
import { readHead } from "./head.ts";
import { paced } from "./pace.ts";
import { createRateLimits } from "./rate-limits.ts";

export interface RouterOptions extends Omit<Turns, "settings"> {
  readonly settings: RouteSettings;
  readonly providers: Providers;
  /** IANA name of the zone of this machine: providers that name an hour may mean it. */
  readonly zone: string;
}

export function createRouter({ settings, providers, zone, ...turns }: RouterOptions): Router {
  const { tiers } = settings;
  const { clock } = turns;
  const rates = createRateLimits(settings.rates);
  const longestMs = settings.retry.maxMs;
  const routeOf = (call: ModelCall): Routed => findRoute(call.facts.model, call.wire.name, { tiers, providers });
  const passedOver = (call: ModelCall): readonly PassedOver[] => {
    const found = routeOf(call);
    return found.ok ? found.route.passedOver : [];
  };
  return {
    candidates(call) {
      const found = routeOf(call);
      if (!found.ok) throw new RouteRefusal(refusalFor("GATEWAY_ROUTE_UNFIT", { problem: found.why }), null);
      return found.route.candidates.map((choice) => candidateOf(call, choice));
    },

    async answer(call, candidates, send, signal) {
      const choices = candidates.map(({ provider, model }): Choice => ({ provider, model, effort: null }));
      const asked = await askInTurn<Tried>(
        {
          route: { asked: call.facts.model, candidates: choices, passedOver: passedOver(call) },
          ask: (choice) => {
            const candidate = candidates[choices.indexOf(choice)] as Candidate;
            return tryOne(call, candidate, { send: paced(send, { rates, longestMs, clock }), signal, zone, clock });
          },
          signal,
        },
        { ...turns, settings },
      );
      return deliverable(asked, signal);
    },
  };
}

function candidateOf({ body, wire }: ModelCall, { provider, model, effort }: Choice): Candidate {
  if (effort === null) return { provider, model };
  return { provider, model, changes: effortMembers(body, wire.name, model, effort) };
}

interface Try {
  readonly send: Send;
  readonly signal: AbortSignal;
  readonly zone: string;
  readonly clock: Pick<Clock, "now">;
}

/** What was sent and got no answer may be billed, so it is not sent again: the client gets to know, and decides. */
async function tryOne(call: ModelCall, candidate: Candidate, given: Try): Promise<Attempt<Tried>> {
  const { send, signal } = given;
  try {
    const head = await readHead(call, await send(call, candidate, signal)).catch((error: unknown) => {
      throw new UpstreamError(String(error), true);
    });
    if (head.failure === null) return { kind: "answered", answer: head.answer };
    const until = retryAt(head.failure, { at: given.clock.now(), zone: given.zone });
    return { kind: "failed", failure: head.failure, until, answer: head.answer };
  } catch (thrown) {
    if (thrown instanceof RouteRefusal) return { kind: "failed", failure: ownRate(call), until: null, answer: thrown };
    // A record without the answer is no failure of the model, nor is a client that has gone.
    if (!(thrown instanceof UpstreamError) || signal.aborted) {
      return { kind: "ended", end: "ignored", answer: thrown instanceof Error ? thrown : new Error(String(thrown)) };
    }
    if (thrown.maySpend) return { kind: "ended", end: "failure", answer: thrown };
    const failure = { wire: call.wire.name, status: null, headers: {}, type: null, message: thrown.message };
    return { kind: "failed", failure, until: null, answer: thrown };
  }
}

/** What is thrown is the answer that the client gets to see, when nobody gives another. */
type Tried = ProviderAnswer | Error;

/** Our own rate says no: the model is not asked, and not to blame. */
function ownRate({ wire }: ModelCall): CallFailure {
  return { wire: wire.name, status: 429, headers: { "x-should-retry": "false" }, type: "rate", message: "" };
}

function deliverable(asked: Asked<Tried>, signal: AbortSignal): ProviderAnswer {
  const { answer, passedOver, until } = asked;
  if (answer === null)
    throw new RouteRefusal(refusalFor("GATEWAY_MODELS_RESTING", { models: shown(passedOver) }), until);
  if (answer instanceof Error) throw answer;
  finished(answer.body, { writable: false }, (error) => {
    const end = error === null || error === undefined ? "success" : signal.aborted ? "ignored" : "failure";
    asked.finish(end).catch(() => undefined);
  });
  return { ...answer, passedOver, until };
}

function shown(passedOver: readonly PassedOver[]): string {
  return passedOver.map(({ model, why }) => `${model}: ${why}`).join("; ");
}

/**
 * One call: reserve → begun → forward → ended → settle. Nothing is sent before its worst case is reserved and durable, and the
 * client does not see the end of an answer before it is settled.
 */
import type { ServerResponse } from "node:http";
import { addUsage } from "../base/usage.ts";
import { refusalText } from "../limits/ledger/cap-text.ts";
import type { Reserved } from "../limits/ledger/reservation.ts";
import { type WorstCall, worstCall } from "../limits/prices/cost.ts";
import { findPrice } from "../limits/prices/find-price.ts";
import type { Price, PriceTable } from "../limits/prices/price.ts";
import { saysNoCredit } from "../limits/quota/signals.ts";
import type { PassedOver } from "../limits/routes/route.ts";
import type { Clock } from "../ports/clock.ts";
import type { CallRecords } from "../ports/models/call-records.ts";
import type { CallReport } from "../ports/models/call-report.ts";
import type { Ledger } from "../ports/store/ledger.ts";
import { type Charge, chargeFor, FREE, reserved } from "./charge.ts";
import {
  type Candidate,
  type ModelCall,
  type ProviderAnswer,
  ReplayMiss,
  RouteRefusal,
  type Router,
  type Send,
  UpstreamError,
} from "./exchange.ts";
import type { OpenGrant } from "./grants.ts";
import type { Trial } from "./hope.ts";
import { refuse } from "./http/answer.ts";
import { readWhole } from "./http/body.ts";
import { towardsClient } from "./http/headers.ts";
import { tapStream } from "./http/tap.ts";
import { refusalFor } from "./refusals.ts";
import { routeHeaders } from "./routes/route-headers.ts";
import { listIn } from "./wires/members.ts";
import { type AnswerReading, NOTHING_READ, type Refusal } from "./wires/wire.ts";

export interface CallParts {
  readonly ledger: Pick<Ledger, "reserve" | "settle" | "withdraw">;
  readonly records: CallRecords;
  readonly clock: Pick<Clock, "now" | "after">;
  readonly prices: PriceTable;
  readonly router: Router;
  readonly send: Send;
  readonly hasKey: (provider: string) => boolean;
  readonly redact: (text: string) => string;
  readonly onCall: (report: CallReport) => void;
  readonly mostAnswerBytes: number;
}

interface Passage {
  readonly parts: CallParts;
  readonly open: OpenGrant;
  readonly call: ModelCall;
  readonly response: ServerResponse;
  readonly key: string;
  readonly worst: WorstCall;
  readonly begunAt: number;
  readonly trial: Trial;
  isSettled: boolean;
}

export async function answerCall(
  parts: CallParts,
  open: OpenGrant,
  call: ModelCall,
  response: ServerResponse,
): Promise<void> {
  const { grant } = open;
  const trial = open.hope.begin(listIn(call.body["tools"]).length > 0);
  const say = (refusal: Refusal): void => {
    trial.refused({ ...refusal, until: null });
    open.refused += refusal.status === 402 ? 1 : 0;
    refuse(response, call.wire, refusal);
  };
  const found = candidatesOf(parts, call);
  if ("status" in found) return say(found);
  const allowed = found.filter(({ provider }) => grant.providers?.includes(provider) ?? true);
  if (allowed.length === 0) return say(refusalFor("GATEWAY_PROVIDER_DENIED", { provider: call.wire.provider }));
  const isReplay = grant.traffic?.kind === "replay";
  const candidates = isReplay ? allowed : allowed.filter(({ provider }) => parts.hasKey(provider));
  if (candidates.length === 0) return say(refusalFor("GATEWAY_KEY_MISSING", { provider: allowed[0]?.provider ?? "" }));
  if (grant.calls !== null && open.calls >= grant.calls)
    return say(refusalFor("GATEWAY_CALLS_REACHED", { calls: grant.calls }));

  open.calls += 1;
  open.asked += 1;
  const key = `${grant.key}/${open.asked}`;
  const worst = worstOf(parts, call, candidates);
  const begunAt = parts.clock.now();
  const passage: Passage = { parts, open, call, response, key, worst, begunAt, trial, isSettled: false };
  if (isReplay) return void (await exchange(passage, candidates));
  const answer = await hold(passage, candidates).catch((error: unknown) => ledgerFailed(passage, error));
  if ("status" in answer || !answer.granted) open.calls -= 1;
  if ("status" in answer) return say(answer);
  if (!answer.granted) return say(refusalFor("GATEWAY_BUDGET_REACHED", { why: refusalText(answer) }));
  await exchange(passage, candidates);
}

/** Nothing is sent until it has resolved: what is held when it rejects is given back. */
async function hold(passage: Passage, candidates: readonly Candidate[]): Promise<Reserved> {
  const { parts, open, key } = passage;
  await Promise.allSettled(open.settling);
  await settleLoose(parts, open);
  // At once: what was begun and never reserved was never sent.
  const [held, begun] = await Promise.allSettled([reserve(passage, candidates), begin(passage, candidates)]);
  if (held.status === "fulfilled" && begun.status === "fulfilled") return held.value;
  // A step that failed may have been done all the same.
  open.loose.set(key, null);
  throw held.status === "rejected" ? held.reason : (begun as PromiseRejectedResult).reason;
}

/** What the ledger did not take before. Rejects when it still does not. */
export async function settleLoose({ ledger }: Pick<CallParts, "ledger">, { loose }: OpenGrant): Promise<void> {
  for (const [key, left] of loose) {
    if (left === null) await ledger.withdraw(key);
    else await ledger.settle(key, { ...left.charged }, left.at);
    loose.delete(key);
  }
}

function ledgerFailed({ parts }: Pick<Passage, "parts">, error: unknown): Refusal {
  const detail = parts.redact(error instanceof Error ? error.message : String(error));
  return refusalFor("GATEWAY_LEDGER_FAILED", { detail });
}

function candidatesOf({ router }: CallParts, call: ModelCall): readonly Candidate[] | Refusal {
  try {
    return router.candidates(call);
  } catch (error) {
    if (!(error instanceof RouteRefusal)) throw error;
    return error.refusal;
  }
}

function worstOf({ prices }: CallParts, { facts, bytes }: ModelCall, candidates: readonly Candidate[]): WorstCall {
  const each = candidates.map(({ model }) => findPrice(model, prices));
  return worstCall(each, { ...facts, promptBytes: facts.unseen === null ? null : bytes.length + facts.unseen });
}

function reserve({ parts, open, key, worst, begunAt }: Passage, candidates: readonly Candidate[]): Promise<Reserved> {
  const { accounts, caps, priority } = open.grant;
  const { tokens, microUsd } = worst;
  const payer = { scope: "provider", name: candidates[0]?.provider ?? "" } as const;
  return parts.ledger.reserve({
    key,
    at: begunAt,
    accounts: [...accounts, payer],
    amounts: { tokens, microUsd },
    caps,
    priority,
    wait: false,
  });
}

function begin({ parts, open, key, worst, begunAt: at }: Passage, candidates: readonly Candidate[]): Promise<void> {
  const { tokens, microUsd } = worst;
  const model = candidates[0]?.model ?? "";
  return parts.records.append(open.grant.key, { type: "begun", key, at, model, reserved: { tokens, microUsd } });
}

/** From here on something may be spent: whatever happens, it ends with a charge. */
async function exchange(passage: Passage, candidates: readonly Candidate[]): Promise<void> {
  const { parts, open, call, response } = passage;
  const { traffic } = open.grant;
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  response.once("close", leave);
  open.over.signal.addEventListener("abort", leave, { once: true });
  // To hold it took a while: whoever left meanwhile is not told of again.
  if (open.over.signal.aborted || response.destroyed) leave();
  try {
    const send =
      traffic === undefined ? parts.send : traffic.kind === "replay" ? traffic.send : traffic.around(parts.send);
    const tenant = open.grant.accounts.find(({ scope }) => scope === "tenant")?.name ?? null;
    const answer = await parts.router.answer({ ...call, tenant }, candidates, send, gone.signal);
    await deliver(passage, answer);
  } catch (error) {
    if (gone.signal.aborted) passage.trial.left();
    await failed(passage, candidates[0] as Candidate, error);
  } finally {
    passage.trial.left();
    response.off("close", leave);
    open.over.signal.removeEventListener("abort", leave);
  }
}

/** No answer, or not a whole one. Who may have been asked may bill it. */
async function failed(passage: Passage, candidate: Candidate, error: unknown): Promise<void> {
  const { parts, open, call, response, worst, trial } = passage;
  if (passage.isSettled) return refuse(response, call.wire, ledgerFailed(passage, error));
  if (error instanceof RouteRefusal) {
    const { refusal, until } = error;
    trial.refused({ ...refusal, isResting: refusal.code === "GATEWAY_MODELS_RESTING", until });
    await settle(passage, {
      candidate,
      status: error.refusal.status,
      charge: FREE,
      reading: NOTHING_READ,
      error: error.message,
    });
    const waitMs = error.until === null ? null : error.until - parts.clock.now();
    return refuse(response, call.wire, error.refusal, waitMs);
  }
  if (error instanceof ReplayMiss) {
    open.missed += 1;
    const { model, order } = error;
    return refuse(response, call.wire, refusalFor("GATEWAY_REPLAY_MISSED", { model, order }));
  }
  const maySpend = !(error instanceof UpstreamError) || error.maySpend;
  const detail = parts.redact(error instanceof Error ? error.message : String(error));
  trial.refused({ status: 502, message: detail, until: null });
  const charge = maySpend ? reserved(worst, "there was no answer: charged what was reserved") : FREE;
  await settle(passage, { candidate, status: 502, charge, reading: NOTHING_READ, error: detail });
  refuse(response, call.wire, refusalFor("GATEWAY_UPSTREAM_FAILED", { provider: candidate.provider, detail }));
}

async function deliver(passage: Passage, answer: ProviderAnswer): Promise<void> {
  const { parts, call, response } = passage;
  const { status, headers, candidate, passedOver, onCounted } = answer;
  const clean = { ...towardsClient(headers, parts.redact), ...routeHeaders(answer) };
  const isStream = /^text\/event-stream\b/i.test(headers["content-type"] ?? "");
  if (status >= 200 && status < 300 && isStream) return deliverStream(passage, answer, clean);
  const whole = await readWhole(answer.body, parts.mostAnswerBytes);
  if (whole === null) throw new UpstreamError("the answer is too large", true);
  const isGood = status >= 200 && status < 300;
  const reading = call.wire.readAnswer(parsed(whole));
  const charge = isGood ? chargeFor(reading, priceOf(passage, candidate, reading), passage.worst) : FREE;
  await settle(passage, {
    candidate,
    status,
    charge,
    reading,
    passedOver,
    onCounted,
    error: reading.error?.type ?? null,
  });
  // A provider may repeat a part of the key when it refuses it.
  const bytes = isGood ? whole : Buffer.from(parts.redact(whole.toString("utf8")));
  tellOf(passage, reading, isGood ? null : status, answer);
  response.writeHead(status, { ...clean, "content-length": bytes.length });
  response.end(bytes);
}

async function deliverStream(
  passage: Passage,
  answer: ProviderAnswer,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { call, response, worst, trial } = passage;
  const { body, status, candidate, passedOver, onCounted } = answer;
  response.writeHead(status, { ...headers, "cache-control": "no-cache" });
  const reader = call.wire.createStreamReader();
  const { reading, brokenBy } = await tapStream({ body, response, reader, isHidden: call.isHidden });
  const charge = chargeFor(reading, priceOf(passage, candidate, reading), worst);
  const error = brokenBy === null ? (reading.error?.type ?? null) : `cut by the ${brokenBy}`;
  await settle(passage, { candidate, status, charge, reading, passedOver, onCounted, error });
  if (brokenBy === "client") trial.left();
  else if (brokenBy === "provider") trial.refused({ status: null, message: "the answer broke off", until: null });
  else tellOf(passage, reading, null, { ...answer, until: null });
  if (brokenBy === null) response.end();
  // A stream that breaks off must not look as if it had ended.
  else response.destroy();
}

/** What an answer was. `status`: it was none; null: it began as one. */
function tellOf(
  { parts, trial }: Passage,
  { error }: AnswerReading,
  status: number | null,
  { until = null, candidate: { provider } }: Pick<ProviderAnswer, "until" | "candidate">,
): void {
  if (status === null && error === null) {
    trial.answered();
    return;
  }
  const said = error === null ? `the provider answered with ${status}` : `${error.type}: ${error.message}`;
  const message = parts.redact(said);
  const isMoney = status === NO_MONEY || saysNoCredit(message);
  const account = `the account at ${provider} whose key the gateway holds`;
  trial.refused({ status, message, until, ...(isMoney ? { account } : {}) });
}

/** Of a provider: what the gateway itself refuses with it never comes here. */
const NO_MONEY = 402;

interface Ended {
  readonly candidate: Candidate;
  readonly status: number;
  readonly charge: Charge;
  readonly reading: AnswerReading;
  readonly passedOver?: readonly PassedOver[] | undefined;
  readonly onCounted?: ProviderAnswer["onCounted"] | undefined;
  readonly error: string | null;
}

async function settle(passage: Passage, ended: Ended): Promise<void> {
  const { open } = passage;
  if (passage.isSettled) return;
  passage.isSettled = true;
  const work = book(passage, ended);
  open.settling.add(work);
  await work.finally(() => open.settling.delete(work));
}

async function book({ parts, open, call, key, begunAt }: Passage, ended: Ended): Promise<void> {
  const { candidate, status, charge, reading, passedOver = [], onCounted, error } = ended;
  const at = parts.clock.now();
  const { provider } = candidate;
  const model = reading.model ?? candidate.model;
  const { estimate, tokens } = charge;
  const isReplay = open.grant.traffic?.kind === "replay";
  // What is answered from a record costs nothing.
  const charged = isReplay ? { ...charge.usage, microUsd: 0 } : charge.usage;
  open.usage = addUsage(open.usage, charged);
  onCounted?.(charged.tokens);
  if (!isReplay) {
    // At once: each is durable by itself, and either tells a later host enough.
    await Promise.all([
      parts.records.append(open.grant.key, { type: "ended", key, at, provider, model, charged, estimate }),
      parts.ledger.settle(key, { ...charged }, at).catch((error: unknown) => {
        open.loose.set(key, { charged, at });
        throw error;
      }),
    ]);
  }
  const { toolCalls } = reading;
  const asked = call.facts.model;
  const ms = at - begunAt;
  parts.onCall({
    ...{ key, asked, provider, answered: model, status, tokens, charged, estimate, toolCalls, passedOver, error, ms },
  });
}

/** That of the model which answered; of the one that was asked when it goes by a name that nobody knows. */
function priceOf({ parts }: Passage, candidate: Candidate, { model }: AnswerReading): Price | null {
  const answered = model === null ? null : findPrice(model, parts.prices);
  return answered ?? findPrice(candidate.model, parts.prices);
}

function parsed(bytes: Buffer) {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}

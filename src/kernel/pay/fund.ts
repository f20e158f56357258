/**
 * fund: what an attempt may spend is held in the ledger before it begins, and settled when it has ended. An attempt that may spend
 * nothing never touches the ledger. A refusal is an answer, not a failure: nothing is tried again before the cap frees.
 */
import { NO_USAGE, type Usage } from "../../base/usage.ts";
import type { Amounts } from "../../limits/ledger/cap.ts";
import { capText, refusalText } from "../../limits/ledger/cap-text.ts";
import type { Granted, Refused, Reservation, Reserved } from "../../limits/ledger/reservation.ts";
import type { LeafStage } from "../../plan/plan.ts";
import type { Budget, Purse } from "../../ports/store/budget.ts";
import { isAboveReport } from "../../run/budget/ceiling.ts";
import type { EventOf, Fact } from "../../run/events.ts";
import type { Landing } from "../aftermath.ts";
import type { Flight } from "../flight.ts";
import type { Hosting, Restored } from "../hosting.ts";
import { attemptKey, costOfAttempt, mayCallModels } from "../models.ts";
import { perform } from "../perform.ts";

export function performPaid(host: Host, flight: Flight): Promise<Landing> {
  const { plan, ports, halt, purse } = host;
  const { stage } = flight.effect;
  const cost = costOfAttempt(stage) ?? (mayCallModels(stage) ? ANYTHING : null);
  const isFree = purse === undefined || (cost === null && !purse.isCounted);
  return isFree ? perform(plan, flight, ports, halt) : fund(host, purse, flight, cost);
}

type Host = Pick<Hosting, "plan" | "ports" | "halt" | "purse">;

/** What a stage that may call models asks for before it begins: is there anything left at all? Each call asks for its own. */
const ANYTHING: Amounts = { tokens: 1, microUsd: 1 };

/**
 * Lets go of what a lost attempt holds. Nobody knows what it has spent, so it has spent what it might have; unless that was booked
 * already, or nothing was held for it, and so nothing of it had begun. null: it pays for nothing itself.
 */
export async function settleLoss(purse: Purse, leaf: LeafStage, key: string, at: number): Promise<Usage | null> {
  if (costOfAttempt(leaf) !== null) {
    const { tokens = 0, microUsd = 0 } = (await (await purse.open()).ledger.settle(key, "unknown", at)) ?? {};
    return { tokens, microUsd };
  }
  // It had only asked; its calls are held by themselves.
  if (mayCallModels(leaf)) await (await purse.open()).ledger.withdraw(key);
  return null;
}

type Place = Pick<Flight, "run" | "stage" | "visit">;

/** Who stands in line for a stage: the same for all attempts of a visit. */
function waiterName({ run, stage, visit }: Place): string {
  return `${run}/${stage}/${visit}`;
}

/** A run that has ended stands in nobody's way. */
export async function leaveLine(purse: Purse): Promise<void> {
  if (purse.waiting.size === 0) return;
  const { ledger } = await purse.open();
  for (const name of purse.waiting) await ledger.withdraw(name);
  purse.waiting.clear();
}

/** The names under which a run that rests for budget stands in line. */
export function waitersOf({ run, state }: Pick<Restored, "run" | "state">): readonly string[] {
  if (state.status !== "waiting") return [];
  const parked = [...state.progress.lanes.values()].filter((lane) => lane.parked?.reason === "awaiting_budget");
  return parked.map(({ path: stage, visit }) => waiterName({ run, stage, visit }));
}

const FREE: Granted = { granted: true, degraded: null };

async function fund(host: Host, purse: Purse, flight: Flight, cost: Amounts | null): Promise<Landing> {
  const { plan, ports, halt } = host;
  const budget = await purse.open();
  const { ledger } = budget;
  const entry = await enter(purse, budget, flight, ports.clock.now());
  if (!entry.granted) return { fact: refusal(purse, flight, entry) };
  const key = attemptKey(flight);
  const counted = { key, amounts: cost ?? {}, at: ports.clock.now() };
  const answer = cost === null ? FREE : await ledger.reserve(asking(budget, flight, counted));
  if (!answer.granted) return { fact: refusal(purse, flight, answer) };
  purse.waiting.delete(waiterName(flight));
  const note = degradation(flight, entry.degraded ?? answer.degraded);
  const isCut = note !== null && isAboveReport(plan, flight.stage);
  // Nothing of it has begun, so nothing of it can have been spent.
  if (isCut || halt.hasEnded() || cost === ANYTHING) await ledger.withdraw(key);
  if (isCut) return { fact: note };
  const landing = await perform(plan, { ...flight, payment: budget }, ports, halt);
  if (cost !== null && cost !== ANYTHING) await ledger.settle(key, spentBy(landing.fact), ports.clock.now());
  return note === null ? landing : { ...landing, first: note };
}

/** Counts the run itself. A host that goes on with it asks again, and it counts once all the same. */
async function enter(purse: Purse, budget: Budget, flight: Flight, at: number): Promise<Reserved> {
  const { entry, ledger } = budget;
  if (entry === null) purse.isCounted = false;
  if (entry === null || !purse.isCounted) return FREE;
  const counted = { key: flight.run, amounts: entry, at, outright: true } as const;
  const answer = await ledger.reserve(asking(budget, flight, counted));
  purse.isCounted = !answer.granted;
  return answer;
}

function asking(
  { accounts, caps, priority }: Budget,
  flight: Flight,
  of: Pick<Reservation, "key" | "amounts" | "at" | "outright">,
): Reservation {
  return { ...of, accounts, caps, priority, wait: true, waiter: waiterName(flight) };
}

function refusal(purse: Purse, flight: Flight, refused: Refused): Fact {
  const { stage, attempt } = flight;
  const { cap, spent, reserved, asked, freesAt } = refused;
  const why = refusalText(refused);
  if (freesAt === null) return { type: "budget.refused", stage, attempt, why, cap, spent, reserved, asked };
  purse.waiting.add(waiterName(flight));
  const parked = { type: "stage.parked", stage, attempt, reason: "awaiting_budget", until: freesAt, why } as const;
  return { ...parked, usage: NO_USAGE, turns: 0 };
}

function degradation({ stage, degraded }: Flight, cap: Granted["degraded"]): Fact | null {
  if (cap === null || degraded) return null;
  return { type: "run.degraded", stage, level: "L1", why: `80 % or more are spent of ${capText(cap)}`, cap };
}

/** What does not say what it has spent is charged what it might have. */
function spentBy(fact: Fact): Amounts | "unknown" {
  // Only an action is paid for in advance, and that ends in no other way.
  const { usage } = fact as EventOf<"stage.finished">;
  return usage === undefined ? "unknown" : { ...usage };
}

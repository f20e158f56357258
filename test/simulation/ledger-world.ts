/**
 * Workers that share one cap: each makes its calls one after the other, waits where the ledger says so, and dies at any moment between
 * two steps. Time is simulated, so that days pass. The same seed gives the same life.
 */
import { createMemoryState } from "../../src/adapters/memory/state.ts";
import { createMemoryStore } from "../../src/adapters/memory/store.ts";
import type { Account, Cap, Window } from "../../src/limits/ledger/cap.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { createLedgerModel, type LedgerModel } from "./ledger-model.ts";
import { type Chance, chance } from "./random.ts";

export interface LedgerTrial {
  readonly workers: number;
  readonly calls: number;
  /** Some calls cost more than was reserved. */
  readonly overReports: boolean;
}

export interface LedgerLife {
  readonly cap: Cap;
  /** The first wrong of all that was looked at after each step. */
  readonly problem: string | null;
  readonly crashes: number;
  readonly restarts: number;
  readonly granted: number;
  readonly refusedForEver: number;
  /** Calls whose price nobody knew, and calls that cost more than was reserved. */
  readonly unknown: number;
  readonly over: number;
  /** The longest that a call waited which was served in the end, and how many days it all took. */
  readonly longestWaitMs: number;
  readonly days: number;
  /** What the model and the ledger say was spent in all. */
  readonly spent: readonly [model: number, ledger: number];
}

interface Worker {
  readonly name: string;
  readonly priority: number;
  call: number;
  amount: number;
  /** When it first asked for the call under way. */
  since: number;
  /** The last call that was settled. */
  done: number;
}

interface Step {
  readonly at: number;
  readonly order: number;
  readonly take: () => Promise<void>;
}

const START = Date.UTC(2026, 2, 1, 7, 30);
const MOST_STEPS = 100_000;
const CRASH_RATE = 0.03;
const FLEET: Account = { scope: "fleet", name: "*" };

export async function liveLedger(seed: number, trial: LedgerTrial): Promise<LedgerLife> {
  const dice = chance(seed);
  const state = createMemoryState();
  const clock = createVirtualClock(START);
  let store: Store = createMemoryStore({ clock, state });
  const model = createLedgerModel();
  const cap = capFor(dice, trial);
  const count = { crashes: 0, restarts: 0, granted: 0, refusedForEver: 0, unknown: 0, over: 0, longestWaitMs: 0 };
  const steps = createSteps();
  let problem: string | null = null;
  let now = START;
  const wrong = (what: string): void => {
    problem ??= `${what} at ${new Date(now).toISOString()}`;
  };
  const dies = (): boolean => {
    const died = dice.hit(CRASH_RATE);
    if (died) count.crashes += 1;
    return died;
  };
  const keyOf = ({ name, call }: Worker): string => `${name}/${call}`;

  /** A new process finds what the old one has left: what it held is charged, what it had not begun is asked for again. */
  const revive = (worker: Worker): void => {
    steps.add(now + dice.int(5000), async () => {
      if (model.isOpen(keyOf(worker))) await settle(worker, "unknown");
      if (worker.done === worker.call) next(worker);
      else await ask(worker);
    });
  };

  const settle = async (worker: Worker, told: number | "unknown"): Promise<void> => {
    const key = keyOf(worker);
    worker.done = worker.call;
    model.settled(key, told, now);
    await store.ledger.settle(key, told === "unknown" ? told : { tokens: told }, now);
  };

  const next = (worker: Worker): void => {
    worker.call += 1;
    worker.amount = amountFor(dice, cap);
    if (worker.call > trial.calls) return;
    steps.add(now + dice.int(2000), async () => {
      worker.since = now;
      await ask(worker);
    });
  };

  /** A budget that is used up is the end: nothing is tried again. What was too large alone is left out. */
  const giveUp = (worker: Worker): void => {
    if (worker.amount <= cap.amount && cap.window !== "run") wrong(`${keyOf(worker)} was refused for ever`);
    count.refusedForEver += 1;
    if (worker.amount <= cap.amount) worker.call = trial.calls;
    next(worker);
  };

  const ask = async (worker: Worker): Promise<void> => {
    if (dies()) return revive(worker);
    const { name, priority, amount } = worker;
    const key = keyOf(worker);
    const spent = model.spent(cap, now);
    const asked = { key, at: now, accounts: [FLEET], amounts: { tokens: amount }, caps: [cap], priority };
    const answer = await store.ledger.reserve({ ...asked, wait: true, waiter: name });
    if (answer.granted) {
      if (spent + model.held() + amount > cap.amount) wrong(`${key} was granted ${amount} too much`);
      model.granted(key, amount);
      count.granted += 1;
      count.longestWaitMs = Math.max(count.longestWaitMs, now - worker.since);
      if (dies()) return revive(worker);
      steps.add(now + dice.int(60_000), () => finish(worker));
    } else if (answer.freesAt === null) giveUp(worker);
    else {
      if (answer.freesAt <= now) wrong(`${key} is told to ask again in the past`);
      steps.add(answer.freesAt + dice.int(5000), () => ask(worker));
    }
  };

  const finish = async (worker: Worker): Promise<void> => {
    if (dies()) return revive(worker);
    const told = toldFor(dice, worker.amount, trial.overReports);
    if (told === "unknown") count.unknown += 1;
    else if (told > worker.amount) count.over += 1;
    await settle(worker, told);
    if (dies()) return revive(worker);
    next(worker);
  };

  for (let i = 0; i < trial.workers; i += 1)
    next({ name: `w${i}`, priority: dice.int(6), call: 0, amount: 0, since: START, done: 0 });
  for (let i = 0; ; i += 1) {
    const step = steps.take();
    if (step === undefined || problem !== null) break;
    if (i > MOST_STEPS) wrong("somebody waits for ever");
    now = step.at;
    await step.take();
    if (!trial.overReports && model.spent(cap, now) + model.held() > cap.amount) wrong("more was spent than the cap");
    if (!dice.hit(0.001)) continue;
    // Every process is lost, and what is stored is opened again.
    store = createMemoryStore({ clock, state });
    count.restarts += 1;
    const found = (await differences(store, model, cap, now))[0];
    if (found !== undefined) wrong(found);
  }
  const last = (await differences(store, model, cap, now))[0];
  if (last !== undefined) wrong(last);
  const [standing] = await store.ledger.standing([FLEET], now);
  const spent = [model.spent({ ...cap, window: "run" }, now), standing?.spent.run ?? 0] as const;
  return { cap, problem, ...count, days: Math.ceil((now - START) / 86_400_000), spent };
}

/** The remainder, as the ledger keeps it, as its entries make it, and as the model has it. */
async function differences(store: Store, model: LedgerModel, cap: Cap, at: number): Promise<readonly string[]> {
  const [standing] = await store.ledger.standing([FLEET], at);
  const found = [...(await store.integrity())];
  const kept = standing?.spent[cap.window] ?? 0;
  const exact = model.spent(cap, at);
  // A quarter of an hour leaves a week only as a whole: the ledger may count a little more for a while, and never less.
  if (cap.window === "week" ? kept < exact : kept !== exact) found.push(`${kept} is spent, not ${exact}`);
  if ((standing?.reserved ?? 0) !== model.held()) found.push(`${standing?.reserved} is held, not ${model.held()}`);
  return found;
}

function capFor(dice: Chance, { workers, calls }: LedgerTrial): Cap {
  const window = dice.pick<Window>(["run", "day", "week"]);
  // Enough for a few at once, and for all of it in some days at least.
  const amount = Math.floor((workers * calls * 500) / dice.pick([1, 2, 4]));
  return { account: FLEET, unit: "tokens", window, amount, source: "a test" };
}

/** Mostly small, sometimes a large part of the cap, now and then more than all of it. */
function amountFor(dice: Chance, { amount }: Cap): number {
  if (dice.hit(0.0005)) return amount + 1;
  if (dice.hit(0.002)) return Math.floor(amount * (0.2 + dice.next() * 0.7));
  return 1 + dice.int(1000);
}

function toldFor(dice: Chance, amount: number, overReports: boolean): number | "unknown" {
  if (dice.hit(0.1)) return "unknown";
  if (overReports && dice.hit(0.1)) return amount * 2;
  return dice.int(amount + 1);
}

/** What is to happen, in the order of time. */
function createSteps(): { add(at: number, take: Step["take"]): void; take(): Step | undefined } {
  const steps: Step[] = [];
  let order = 0;
  const isBefore = (a: Step, b: Step): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
  return {
    add(at, take) {
      order += 1;
      const step = { at, order, take };
      let [low, high] = [0, steps.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (isBefore(steps[middle] as Step, step)) high = middle;
        else low = middle + 1;
      }
      steps.splice(low, 0, step);
    },
    take: () => steps.pop(),
  };
}

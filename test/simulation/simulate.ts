/** Runs one random blueprint in one random world to its end, through crashes, pauses, cancels and answers. */

import { createMemoryStore } from "../../src/adapters/memory/store.ts";
// What is loaded with the first agent takes real time, and simulated time would not wait for it.
import "../../src/kernel/agents/agent.ts";
import { formatRunId } from "../../src/base/ids.ts";
import type { Usage } from "../../src/base/usage.ts";
import { createHalt } from "../../src/kernel/control/halt.ts";
import { createInbox } from "../../src/kernel/control/inbox.ts";
import type { Restored } from "../../src/kernel/hosting.ts";
import { type LoopEnd, runLoop } from "../../src/kernel/loop.ts";
import { attemptKey } from "../../src/kernel/models.ts";
import { leaveLine } from "../../src/kernel/pay/fund.ts";
import { recover } from "../../src/kernel/recover.ts";
import { restore } from "../../src/kernel/replay.ts";
import { type CompileInput, compile } from "../../src/plan/compile.ts";
import type { Plan } from "../../src/plan/plan.ts";
import type { Store } from "../../src/ports/store/store.ts";
import { answerFacts, neededAnswer, restsUntil, resumeFacts, tendFacts } from "../../src/run/approval/answer.ts";
import { openLanes } from "../../src/run/approval/due.ts";
import type { Fact, StoredEvent } from "../../src/run/events.ts";
import { beginState } from "../../src/run/evolve.ts";
import { isTerminal } from "../../src/run/reasons.ts";
import type { RunState } from "../../src/run/state.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";
import { randomAgents } from "./agents.ts";
import { createMoneyWorld, purseOf } from "./money.ts";
import { chance } from "./random.ts";
import { randomBlueprint } from "./random-blueprint.ts";
import { childBlueprint, randomLimits } from "./random-limits.ts";
import { randomMoney } from "./random-money.ts";
import { randomQuota } from "./random-quota.ts";
import { randomTaint } from "./random-taint.ts";
import { SIM_AGENT } from "./sim-agent.ts";
import { createWorld, type World } from "./world.ts";

export interface Simulated {
  readonly seed: number;
  readonly plan: Plan;
  readonly world: World;
  readonly events: readonly StoredEvent[];
  /** The state the last host held when it let go. */
  readonly state: RunState;
  readonly intact: boolean;
  /** Checkouts that were there when the run had ended, and those after it was left. */
  readonly checkouts: { readonly atEnd: number; readonly after: number };
  /** What the ledger says of the run when it has ended. */
  readonly books: Books;
}

export interface Books {
  /** Keys of the run that still hold something. */
  readonly held: readonly string[];
  readonly settled: Usage;
  /** To models, that were paid for. */
  readonly calls: number;
  /** Where what is kept differs from the entries. */
  readonly problems: readonly string[];
}

const MOST_RESUMES = 4000;
const MOST_STEPS = 2_000;
const RUN = formatRunId(new Uint8Array(12));

export async function simulate(seed: number, crashRate: number): Promise<Simulated> {
  const dice = chance(seed);
  const clock = createVirtualClock();
  const store = createMemoryStore({ clock });
  const money = createMoneyWorld(store, chance(seed ^ 0x6d21));
  const world = createWorld({ dice, vendor: chance(seed ^ 0x5117), clock, journal: store.journal, money, crashRate });
  const { ports } = world.incarnate();
  const limited = randomQuota(randomLimits(randomBlueprint(dice), chance(seed ^ 0x5bd1)), chance(seed ^ 0x9071));
  const blueprint = randomMoney(randomAgents(limited, chance(seed ^ 0x3a6e)), chance(seed ^ 0x24c5));
  const input: CompileInput = {
    level: dice.pick(["L1", "L2", "L3"]),
    params: {},
    actions: ports.actions.signatures(),
    agents: [SIM_AGENT],
    rules: [],
    child: childBlueprint,
  };
  const tainted = compile(randomTaint(blueprint, chance(~seed)), input);
  // A stage may read from one that no route leads to.
  const compiled = tainted.ok ? tainted : compile(blueprint, input);
  if (!compiled.ok) throw new Error(`seed ${seed}: ${compiled.problems.map((problem) => problem.what).join("; ")}`);
  const plan = compiled.value;

  const read = (): Promise<readonly StoredEvent[]> => store.journal.read(RUN, 0, 1_000_000);
  let state: RunState | null = null;
  for (let life = 0; ; life += 1) {
    if (life > MOST_RESUMES) throw new Error(`seed ${seed}: the run does not end`);
    const ended = await live(plan, world, clock, dice, await read());
    if (ended === "died") continue;
    if (ended.lost) throw new Error(`seed ${seed}: lost to nobody`);
    state = ended.state;
    if ("reason" in state && state.status !== "waiting") break;
  }
  const report = await store.journal.verify(RUN);
  const standing = (): number =>
    world.checkouts.filter((folder) => world.workspaces.files(folder) !== undefined).length;
  const atEnd = standing();
  await world.workspaces.leave(RUN, clock.now());
  const checkouts = { atEnd, after: standing() };
  const events = await read();
  const books = await booksOf(store, events);
  return { seed, plan, world, events, state, intact: report.intact, checkouts, books };
}

async function booksOf(
  { ledger, integrity }: Pick<Store, "ledger" | "integrity">,
  events: Simulated["events"],
): Promise<Books> {
  const { reservations } = await ledger.open({ prefix: RUN, limit: 100 });
  const { tokens = 0, microUsd = 0 } = await ledger.usage(RUN);
  let calls = 0;
  for (const { event } of events)
    if (event.type === "stage.started") calls += await ledger.count(attemptKey({ ...event, run: RUN }));
  const held = reservations.map(({ key }) => key);
  return { held, settled: { tokens, microUsd }, calls, problems: await integrity() };
}

/** One host: from what is stored until the run ends, rests or the host dies. */
async function live(
  plan: Plan,
  world: World,
  clock: VirtualClock,
  dice: ReturnType<typeof chance>,
  stored: readonly StoredEvent[],
): Promise<LoopEnd | "died"> {
  const { ports, money, died } = world.incarnate();
  const inbox = createInbox();
  const begin = async (): Promise<LoopEnd> => {
    if (stored.length === 0) {
      const tree = plan.workspace === null ? null : await world.workspaces.base(plan.workspace, ports.clock.now());
      const created = {
        type: "run.created",
        at: ports.clock.now(),
        run: RUN,
        blueprint: plan.name,
        plan: plan.fingerprint,
        params: {},
        ...(tree === null ? {} : { tree }),
      } as const;
      const fresh: Restored = { run: RUN, plan, state: beginState(created), seq: 0, unsaved: [created] };
      return hosted({ ...fresh, purse: purseOf(world.money, money, fresh) }, [], ports, inbox);
    }
    const found = restore(
      RUN,
      plan,
      stored.map((entry) => entry.event),
    );
    const restored: Restored = { ...found, purse: purseOf(world.money, money, found) };
    const answers = personFacts(restored, dice, clock).map((fact) => ({ fact }));
    return hosted(restored, [...(await recover(restored, ports, createHalt())), ...answers], ports, inbox);
  };
  let ended: LoopEnd | "died" | null = null;
  let broken: unknown = null;
  Promise.race([begin(), died]).then(
    (end) => {
      ended = end;
    },
    (error) => {
      broken = error ?? new Error("rejected");
    },
  );
  for (let step = 0; ended === null; step += 1) {
    if (step > MOST_STEPS) throw new Error("the run goes on for ever");
    await new Promise((resolve) => setImmediate(resolve));
    if (broken !== null) throw broken;
    if (ended !== null) break;
    if (dice.hit(0.01)) inbox.ask({ kind: dice.hit(0.5) ? "pause" : "cancel", by: "person" });
    else if (!clock.advance()) await new Promise((resolve) => setImmediate(resolve));
  }
  return ended;
}

/** A run that has ended leaves the line, as with an engine. */
async function hosted(restored: Restored, ...loop: Loop): Promise<LoopEnd> {
  const end = await runLoop(restored, ...loop);
  if (!end.lost && isTerminal(end.state.status) && restored.purse !== undefined) await leaveLine(restored.purse);
  return end;
}

type Loop = Parameters<typeof runLoop> extends [Restored, ...infer Rest] ? Rest : never;

/** What a person, or nobody, makes of a run that rests: an answer at once or late, only a look, or going on. */
function personFacts({ plan, state }: Restored, dice: ReturnType<typeof chance>, clock: VirtualClock): readonly Fact[] {
  const open = "progress" in state ? openLanes(state.progress) : [];
  const [expiresAt] = open.flatMap(({ question }) => question.expiresAt ?? []);
  // Sometimes nobody answers for as long as the question stays open.
  if (state.status === "waiting" && expiresAt !== undefined && dice.hit(0.15)) pass(clock, expiresAt);
  const now = clock.now();
  if (dice.hit(0.2)) return tendFacts(plan, state, now);
  if (neededAnswer(plan, state, now) === null) return goOn(plan, state, dice, clock);
  const { id, answers } = dice.pick(open).question;
  const answer = dice.pick(answers);
  if (dice.hit(0.5))
    return resumeFacts(plan, state, { by: "person", answer: dice.pick(open[0]?.question.answers ?? []) }, now).facts;
  return answerFacts(plan, state, { id, by: "person", answer }, now).facts;
}

/** Where a time must come it is waited for, or a person insists. */
function goOn(plan: Plan, state: RunState, dice: ReturnType<typeof chance>, clock: VirtualClock): readonly Fact[] {
  const until = restsUntil(plan, state, clock.now());
  const early = until !== null && dice.hit(0.3);
  if (until !== null && !early) pass(clock, until);
  return resumeFacts(plan, state, { by: "person", early }, clock.now()).facts;
}

function pass(clock: VirtualClock, until: number): void {
  clock.after(until - clock.now(), () => {});
  while (clock.now() < until) clock.advance();
}

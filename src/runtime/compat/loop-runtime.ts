/**
 * `pawl/loop-runtime`: the library of loop-runtime, on the parts of Pawl. A tick is a run like any other, in a copy of the project that is
 * thrown away afterwards; what it writes to the files of its loop goes to the state writer.
 */
import type { JsonValue } from "../../base/json.ts";
import { RUN_LOG } from "../../blueprint/dialects/loop-engineering/run-log.ts";
import { createDailyBreaker, type DailyBreaker } from "../../loops/ticks/daily-breaker.ts";
import * as plans from "../../loops/ticks/execution-plan.ts";
import { type MockAnswers, mockScripts } from "../loops/mock-scripts.ts";
import type { PastTick } from "../loops/past-tick.ts";

export type ExecutionPlan = plans.ExecutionPlan;
export type RegistryPattern = plans.RegistryPattern;
/** What a tick did, and how its run ended. */
export type TickResult = PastTick;

export const buildPlan: typeof plans.buildPlan = plans.buildPlan;
export const readPattern: typeof plans.readPattern = plans.readPattern;

/** `mock`, or an agent of Pawl by its name: `claude`, `codex`, `scripted` and so on. */
export interface AgentBackend {
  readonly name: string;
  /** Put into the copy of the project before a tick. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Who keeps the state file and the run log of a loop. */
export interface StateWriter {
  /** null: there is none yet. */
  read(file: string): string | null | Promise<string | null>;
  write(file: string, text: string): void | Promise<void>;
}

export interface LoopEngineParts {
  readonly backend: AgentBackend;
  readonly state: StateWriter;
  readonly budget: BudgetBreaker;
  /** The project that is copied; default: the current folder. */
  readonly root?: string;
  /** Parameters of a tick, such as `test`, the command that tests the project. */
  readonly params?: Readonly<Record<string, JsonValue>>;
}

export interface LoopEngine {
  /** Ticks of one engine come one after the other. Rejects with what keeps a run from beginning. */
  tick(): Promise<TickResult>;
}

export const LoopEngine: new (plan: ExecutionPlan, parts: LoopEngineParts) => LoopEngine = madeByNew(
  (plan: ExecutionPlan, parts: LoopEngineParts): LoopEngine => {
    let last: Promise<unknown> = Promise.resolve();
    const next = (): Promise<TickResult> => tickOf(plan, parts);
    return {
      tick() {
        const ticking = last.then(next, next);
        last = ticking;
        return ticking;
      },
    };
  },
);

export type BudgetBreaker = DailyBreaker;
export const BudgetBreaker: new (cap: number, options?: { readonly now?: () => number }) => BudgetBreaker = madeByNew(
  (cap: number, { now = Date.now }: { readonly now?: () => number } = {}) => createDailyBreaker(cap, now),
);

export interface MemoryStateWriter extends StateWriter {
  read(file: string): string | null;
  write(file: string, text: string): void;
  /** Everything that was written, and what it began with. */
  readonly files: Readonly<Record<string, string>>;
}

export const MemoryStateWriter: new (files?: Readonly<Record<string, string>>) => MemoryStateWriter = madeByNew(
  (files: Readonly<Record<string, string>> = {}): MemoryStateWriter => {
    const kept = new Map(Object.entries(files));
    return {
      read: (file) => kept.get(file) ?? null,
      write(file, text) {
        kept.set(file, text);
      },
      get files() {
        return Object.fromEntries(kept);
      },
    };
  },
);

export type MockBackend = AgentBackend;
/** Does one small repair in a project of its own, and calls no model. */
export const MockBackend: new (answers?: MockAnswers) => MockBackend = madeByNew(
  (answers: MockAnswers = {}): MockBackend => ({ name: "mock", files: mockScripts(answers) }),
);

async function tickOf(plan: ExecutionPlan, parts: LoopEngineParts): Promise<TickResult> {
  const { backend, state, budget, root = process.cwd(), params = {} } = parts;
  const { rehearse } = await import("../loops/rehearse.ts");
  const { BUDGET_FILE, REGISTRIES } = await import("../money/loop-texts.ts");
  const isMock = backend.name === "mock";
  const before = { [plan.stateFile]: await state.read(plan.stateFile), [RUN_LOG]: await state.read(RUN_LOG) };
  const done = await rehearse(root, {
    ...{ pattern: plan.pattern, level: plan.level, params, ticks: 1, by: "loop-runtime" },
    door: { agent: isMock ? "scripted" : backend.name, isMock },
    files: {
      ...backend.files,
      ...before,
      [REGISTRIES[0]]: JSON.stringify({ patterns: [plan.source] }, null, 2),
      [BUDGET_FILE]: limitOf(plan.pattern, budget.remaining),
    },
    kept: Object.keys(before),
    spentToday: async () => budget.standing(),
  });
  const [tick] = done.ticks as [TickResult];
  budget.charge(tick.tokens);
  for (const [file, text] of Object.entries(done.files)) if (text !== before[file]) await state.write(file, text);
  return tick;
}

/** What is left of the day is the most that one tick may take. */
function limitOf(loop: string, remaining: number): string {
  const amount = remaining === Number.POSITIVE_INFINITY ? "-" : String(Math.floor(remaining));
  return `## Daily limits\n\n| Loop | Max tokens/day |\n|---|---|\n| ${loop} | ${amount} |\n`;
}

/** Programs of loop-runtime say `new`; what they get are plain objects. */
function madeByNew<A extends readonly unknown[], T extends object>(make: (...given: A) => T): new (...given: A) => T {
  function Made(...given: A): T {
    if (new.target === undefined) throw new TypeError("It is made with `new`.");
    return Object.setPrototypeOf(make(...given), new.target.prototype) as T;
  }
  return Made as unknown as new (
    ...given: A
  ) => T;
}

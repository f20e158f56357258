/**
 * What a run may spend and has spent. Before a model is asked, the most that the call can cost must fit: its answer is kept so
 * short that it does. What a child spends is spent by its parents too.
 */
import { costOf, worstCall } from "../limits/prices/cost.ts";
import { findPrice } from "../limits/prices/find-price.ts";
import type { Price, PriceTable } from "../limits/prices/price.ts";
import { NO_TOKENS, promptOf, type Tokens, totalOf } from "../limits/prices/tokens.ts";
import type { AgentLimits, AgentUsage } from "./agent.ts";

export type Bound = "max_turns" | "max_tool_calls" | "max_tokens" | "max_usd";

export const DEFAULT_LIMITS: AgentLimits = {
  turns: 20,
  toolCalls: 100,
  wallMs: 10 * 60_000,
  tokens: 500_000,
  usd: 2,
};

/** So much may be written in one answer unless less is left. */
const ANSWER_TOKENS = 16_384;
/** An answer that must be shorter is none. */
const SHORTEST = 16;
/** What a provider adds around a prompt of its own. */
const OVERHEAD_TOKENS = 2048;
const MICRO = 1e6;

export interface Meter {
  readonly limits: AgentLimits;
  /** Which bound is reached; null: none. */
  reached(): Bound | null;
  /** How long an answer of any of these models may be, for a prompt of at most so many tokens; a bound: it no longer fits. */
  room(promptTokens: number, models: readonly string[]): number | Bound;
  /** The most that a question to any of these models costs, with an answer of at most so many tokens. */
  worst(promptTokens: number, answer: number, models: readonly string[]): { tokens: Tokens; microUsd: number };
  addTurn(): void;
  addCall(): void;
  /** Returns what it cost. `names`: who has answered, and who was asked; the first with a price is billed. */
  add(names: readonly string[], tokens: Tokens): number;
  /** Of a child or a phase. */
  addUsage(used: AgentUsage): void;
  /** What a host before this one has used of this run alone. */
  recount(used: AgentUsage, turns: number, calls: number): void;
  used(): AgentUsage;
  turns(): number;
  /** What children may spend at most. */
  left(): Pick<AgentLimits, "tokens" | "usd" | "wallMs">;
}

export interface MeterOptions {
  readonly limits: AgentLimits;
  readonly prices: PriceTable;
  /** Of the run or the phase around it. */
  readonly parent: Meter | null;
  /** Until the end of the run. */
  readonly leftMs: () => number;
}

interface Count {
  input: number;
  cached: number;
  output: number;
  tokens: number;
  microUsd: number;
  modelCalls: number;
}

export function createMeter({ limits, prices, parent, leftMs }: MeterOptions): Meter {
  const count: Count = { input: 0, cached: 0, output: 0, tokens: 0, microUsd: 0, modelCalls: 0 };
  const known = new Map<string, Price | null>();
  let turns = 0;
  let calls = 0;
  const priceOf = (model: string): Price | null => {
    const price = known.get(model) ?? findPrice(model, prices);
    known.set(model, price);
    return price;
  };
  const addUsage = (used: AgentUsage): void => {
    addTo(count, used);
    parent?.addUsage(used);
  };
  return {
    limits,
    addUsage,
    reached() {
      if (turns >= limits.turns) return "max_turns";
      if (calls >= limits.toolCalls) return "max_tool_calls";
      if (count.tokens >= limits.tokens) return "max_tokens";
      return count.microUsd >= limits.usd * MICRO ? "max_usd" : (parent?.reached() ?? null);
    },
    room(promptTokens, models) {
      const prompt = promptTokens + OVERHEAD_TOKENS;
      const prices = models.map(priceOf);
      const longest = Math.min(ANSWER_TOKENS, ...prices.map((price) => price?.outputTokens ?? ANSWER_TOKENS));
      const tokens = Math.min(longest, limits.tokens - count.tokens - prompt);
      if (tokens < SHORTEST) return "max_tokens";
      const money = affordable(prices, promptTokens, limits.usd * MICRO - count.microUsd);
      if (money < SHORTEST) return "max_usd";
      const outer = parent?.room(promptTokens, models) ?? ANSWER_TOKENS;
      return typeof outer === "string" ? outer : Math.min(tokens, money, outer);
    },
    worst(promptBytes, answer, models) {
      const size = { promptBytes, maxOutput: answer, copies: 1, cache: "long" } as const;
      const { microUsd, tokens } = worstCall(models.map(priceOf), size);
      return { microUsd, tokens: { ...NO_TOKENS, input: Math.max(0, tokens - answer), output: answer } };
    },
    addTurn() {
      turns += 1;
      parent?.addTurn();
    },
    addCall() {
      calls += 1;
      parent?.addCall();
    },
    add(names, tokens) {
      const price = names.map(priceOf).find((each) => each !== null) ?? null;
      const microUsd = billed(price, tokens);
      const read = { input: promptOf(tokens), cached: tokens.cacheRead, output: tokens.output };
      addUsage({ ...read, tokens: totalOf(tokens), microUsd, modelCalls: 1 });
      return microUsd;
    },
    recount(used, turnsBefore, callsBefore) {
      addTo(count, used);
      turns = turnsBefore;
      calls = callsBefore;
    },
    used: () => ({ ...count }),
    turns: () => turns,
    left: () => ({
      tokens: Math.max(0, limits.tokens - count.tokens),
      usd: Math.max(0, limits.usd - count.microUsd / MICRO),
      wallMs: Math.max(0, leftMs()),
    }),
  };
}

function addTo(count: Count, used: AgentUsage): void {
  count.input += used.input;
  count.cached += used.cached;
  count.output += used.output;
  count.tokens += used.tokens;
  count.microUsd += used.microUsd;
  count.modelCalls += used.modelCalls;
}

/** A model without a price costs as much as the dearest we know. */
function billed(price: Price | null, tokens: Tokens): number {
  if (price !== null) return costOf(price, tokens);
  const worst = (promptBytes: number, maxOutput: number): number =>
    worstCall([null], { promptBytes, maxOutput, copies: 1, cache: "long" }).microUsd;
  // What a provider adds around a prompt is in what it has counted.
  return worst(promptOf(tokens), tokens.output) - worst(0, 0);
}

/** How much output the money is enough for; it grows with the output, so half of the rest is tried again and again. */
function affordable(prices: readonly (Price | null)[], promptBytes: number, microUsd: number): number {
  const costs = (maxOutput: number): number =>
    worstCall(prices, { promptBytes, maxOutput, copies: 1, cache: "long" }).microUsd;
  if (costs(ANSWER_TOKENS) <= microUsd) return ANSWER_TOKENS;
  let [fits, over] = [0, ANSWER_TOKENS];
  if (costs(0) > microUsd) return 0;
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (costs(middle) <= microUsd) fits = middle;
    else over = middle;
  }
  return fits;
}

/** The stricter of two, number by number. */
export function strictest(limits: AgentLimits, other: Partial<AgentLimits>): AgentLimits {
  const least = (name: keyof AgentLimits): number => Math.min(limits[name], other[name] ?? Number.POSITIVE_INFINITY);
  return {
    turns: least("turns"),
    toolCalls: least("toolCalls"),
    wallMs: least("wallMs"),
    tokens: least("tokens"),
    usd: least("usd"),
  };
}

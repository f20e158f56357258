/** Where a run of the harness stands: a fold of its records, live and after a crash alike. */
import type { RunId } from "../../base/ids.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { promptOf, totalOf } from "../../limits/prices/tokens.ts";
import type { AgentStep, AgentUsage } from "../agent.ts";
import { type AskedCall, callsOf, inputOf, textOf } from "../models/model.ts";
import { applyCut } from "../transcript/compact.ts";
import { beginTalk, measure, resultPart, say, type Talk, userMessage } from "../transcript/talk.ts";
import type { JournalRecord, RecordOf, RecordType } from "./record.ts";

/** A call of the last answer, as far as it is known. */
export interface OpenCall {
  readonly seq: number;
  readonly call: AskedCall;
  /** Its result; null: none was recorded. */
  ended: { readonly ok: boolean; readonly output: JsonValue } | null;
  /** It was begun and may have happened. */
  isIntended: boolean;
}

type Counted = { -readonly [K in keyof AgentUsage]: AgentUsage[K] };

export interface RunState {
  /** null: no talk has begun. */
  talk: Talk | null;
  phase: string | null;
  /** Calls of the last answer, when not all of them have a result. */
  open: readonly OpenCall[];
  readonly steps: AgentStep[];
  /** Phases that have ended. */
  readonly phases: Map<string, RecordOf<"phase.ended">>;
  readonly used: Counted;
  turns: number;
  calls: number;
  /** Turns and calls of the talk, of a phase if it is that of one. */
  talkTurns: number;
  talkCalls: number;
  nextSeq: number;
  ended: RecordOf<"run.ended"> | null;
  /** What was reserved for a model that has not answered yet, by its number. */
  readonly reserved: Map<number, Pick<RecordOf<"model.reserved">, "tokens" | "microUsd">>;
  /** Children that have not ended. */
  readonly children: Map<RunId, RecordOf<"child.started">>;
  /** How long it ran, in all hosts, and when it was last heard of. */
  usedMs: number;
  seenAt: number | null;
  /** How long it may take in all, by its critic; null: that has given it no more time. */
  extendedToMs: number | null;
}

export function newState(): RunState {
  return {
    ...{ talk: null, phase: null, open: [], steps: [], phases: new Map(), ended: null },
    ...{ turns: 0, calls: 0, talkTurns: 0, talkCalls: 0, nextSeq: 1 },
    ...{ reserved: new Map(), children: new Map(), usedMs: 0, seenAt: null, extendedToMs: null },
    used: { input: 0, cached: 0, output: 0, tokens: 0, microUsd: 0, modelCalls: 0 },
  };
}

/** What is reserved for a turn has this number: a run has one turn at a time. */
export const TURN = 0;

type Evolution = { readonly [T in RecordType]: (state: RunState, record: RecordOf<T>, rules: string) => void };

const NOTHING = (): void => undefined;

const EVOLUTION: Evolution = {
  "run.started": NOTHING,
  "run.resumed": NOTHING,
  "run.lived": NOTHING,
  "run.noted": NOTHING,
  "time.extended"(state, { toMs }) {
    state.extendedToMs = toMs;
  },
  "talk.started"(state, { messages, phase }) {
    state.talk = beginTalk(messages);
    state.phase = phase;
    state.open = [];
    state.talkTurns = 0;
    state.talkCalls = 0;
  },
  "user.said"(state, { text }) {
    // Whoever speaks after the end goes on with the run.
    state.ended = null;
    if (state.talk !== null) say(state.talk, userMessage(text));
  },
  "turn.answered": answered,
  "model.reserved"({ reserved }, { id, tokens, microUsd }) {
    reserved.set(id, { tokens, microUsd });
  },
  "model.freed"({ reserved }, { id }) {
    reserved.delete(id);
  },
  "model.asked"(state, record) {
    if (record.id !== undefined) state.reserved.delete(record.id);
    spend(state, record);
  },
  "call.intended"(state, { seq }) {
    for (const open of state.open) if (open.seq === seq) open.isIntended = true;
  },
  "call.ended": callEnded,
  "talk.compacted"(state, cut, rules) {
    if (state.talk !== null) applyCut(state.talk, cut, cut.summary, rules);
  },
  "phase.ended"(state, record) {
    state.phases.set(record.phase, record);
  },
  "child.started"({ children }, record) {
    children.set(record.run, record);
  },
  "child.ended"({ used, children }, { run, usage }) {
    children.delete(run);
    for (const part of Object.keys(used) as (keyof AgentUsage)[]) used[part] += usage[part];
  },
  "run.ended"(state, record) {
    state.ended = record;
    state.reserved.clear();
  },
};

/** `rules`: of the agent; a summary repeats them. */
export function evolve(state: RunState, record: JournalRecord, rules: string): void {
  const step = EVOLUTION[record.type] as (state: RunState, record: JournalRecord, rules: string) => void;
  count(state, record);
  step(state, record, rules);
}

/** How long a run took, in all hosts that it had. */
export function timeUsed(past: readonly JournalRecord[]): number {
  const state = newState();
  for (const record of past) count(state, record);
  return state.usedMs;
}

/** Between two records of one host it ran; before the first one of the next it did not. */
function count(state: RunState, { type, at }: JournalRecord): void {
  if (type !== "run.resumed" && state.seenAt !== null) state.usedMs += Math.max(0, at - state.seenAt);
  state.seenAt = at;
}

function spend({ used }: RunState, { tokens, microUsd }: Pick<RecordOf<"model.asked">, "tokens" | "microUsd">): void {
  used.input += promptOf(tokens);
  used.cached += tokens.cacheRead;
  used.output += tokens.output;
  used.tokens += totalOf(tokens);
  used.microUsd += microUsd;
  used.modelCalls += 1;
}

function answered(state: RunState, record: RecordOf<"turn.answered">): void {
  const { turn, model, message, tokens, microUsd } = record;
  spend(state, record);
  state.reserved.delete(TURN);
  state.turns += 1;
  state.talkTurns += 1;
  if (message !== null && state.talk !== null) {
    say(state.talk, message);
    measure(state.talk, totalOf(tokens));
  }
  const calls = message === null ? [] : callsOf(message);
  state.open = calls.map((call) => ({ seq: state.nextSeq++, call, ended: null, isIntended: false }));
  const text = message === null ? "" : textOf(message);
  state.steps.push({ turn, phase: state.phase, model, text, calls: [], tokens: totalOf(tokens), microUsd });
}

function callEnded(state: RunState, record: RecordOf<"call.ended">): void {
  const { seq, ok, output, key } = record;
  const open = state.open.find((each) => each.seq === seq);
  if (open === undefined) return;
  open.ended = { ok, output };
  state.calls += 1;
  state.talkCalls += 1;
  const step = state.steps.at(-1);
  if (step !== undefined) {
    const { id, tool } = open.call;
    const done = { id, tool, input: objectIn(open.call.text), key, ok, output };
    state.steps[state.steps.length - 1] = { ...step, calls: [...step.calls, done] };
  }
  if (!state.open.every(({ ended }) => ended !== null)) return;
  if (state.talk !== null) {
    const content = state.open.map(({ call, ended }) => resultPart(call, ended?.ok === true, ended?.output ?? ""));
    say(state.talk, { role: "tool", content });
  }
  state.open = [];
}

function objectIn(text: string): JsonObject {
  const value = inputOf(text);
  return isJsonObject(value) ? value : {};
}

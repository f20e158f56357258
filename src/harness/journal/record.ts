/**
 * The journal of a run of the harness: what was said and done, in order. Everything that a run knows can be folded from it,
 * so a crash loses no step. The intent of a call that must not be repeated is durable before the call.
 */
import type { RunId } from "../../base/ids.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Tokens } from "../../limits/prices/tokens.ts";
import type { AgentStatus, AgentUsage } from "../agent.ts";
import type { Message } from "../models/model.ts";

export type SaidBy = "prompt" | "steering" | "nudge" | "repair";

interface Records {
  "run.started": { readonly run: RunId; readonly agent: string | null; readonly parent: RunId | null };
  /** Another host goes on with it. */
  "run.resumed": Record<never, never>;
  /** It still runs. */
  "run.lived": Record<never, never>;
  /** A talk begins: that of the run, or that of a phase. */
  "talk.started": { readonly phase: string | null; readonly messages: readonly Message[] };
  "user.said": { readonly by: SaidBy; readonly text: string };
  "turn.answered": {
    readonly turn: number;
    readonly model: string;
    readonly message: Message | null;
    readonly tokens: Tokens;
    readonly microUsd: number;
  };
  /** Before a model is asked: the most that it can cost. `id` 0 is the turn; any other a question besides. */
  "model.reserved": { readonly id: number; readonly tokens: Tokens; readonly microUsd: number };
  /** The question of this number was not answered, and cost nothing. */
  "model.freed": { readonly id: number };
  /** Asked besides: a summary, or a question of a tool. `id`: what was reserved for it. */
  "model.asked": {
    readonly id?: number;
    readonly what: string;
    readonly model: string;
    readonly tokens: Tokens;
    readonly microUsd: number;
  };
  "call.intended": { readonly seq: number; readonly id: string; readonly tool: string; readonly key: string };
  "call.ended": {
    readonly seq: number;
    readonly id: string;
    readonly tool: string;
    readonly key: string;
    readonly ok: boolean;
    readonly output: JsonValue;
  };
  /** So many messages behind the first ones became a summary. */
  "talk.compacted": { readonly from: number; readonly count: number; readonly summary: string };
  "phase.ended": { readonly phase: string; readonly status: AgentStatus; readonly output: string };
  /** What is worth knowing and changes nothing. */
  "run.noted": { readonly what: string; readonly detail: string };
  /** By its critic, once: how long it may take in all since then. */
  "time.extended": { readonly toMs: number };
  /** Before a child spends anything. `isShared`: this journal has it too; else `most` is all that is known of what it may spend. */
  "child.started": {
    readonly run: RunId;
    readonly agent: string;
    readonly isShared: boolean;
    readonly most: AgentUsage;
  };
  "child.ended": { readonly run: RunId; readonly agent: string; readonly usage: AgentUsage };
  "run.ended": {
    readonly status: AgentStatus;
    readonly output: string;
    readonly value?: JsonValue;
    readonly usage: AgentUsage;
    readonly error: JsonObject | null;
  };
}

export type RecordType = keyof Records;
export type RecordOf<T extends RecordType> = { readonly type: T; readonly at: number } & Records[T];
export type JournalRecord = { [T in RecordType]: RecordOf<T> }[RecordType];

export interface AgentJournal {
  /** Before anything is read or written: from then until `release` the run is ours. Who has it, when that is somebody else. */
  hold(run: RunId): Promise<string | null> | string | null;
  /** In order; what a crash left half-written at the end is left out. None: there is no such run. */
  read(run: RunId): Promise<readonly JournalRecord[]> | readonly JournalRecord[];
  /** Survives the process when it returns or resolves; with `sync` also a power cut, and everything before it does. */
  append(run: RunId, record: JournalRecord, sync: boolean): Promise<void> | void;
  /** The run is over for this process; only whoever holds it says so. */
  release(run: RunId): Promise<void> | void;
}

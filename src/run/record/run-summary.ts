/** A run so far, from its journal and nothing else: what each stage did, what gates said of it, and what it has cost. */

import { isJsonObject, type JsonValue } from "../../base/json.ts";
import { addUsage, NO_USAGE, type Usage } from "../../base/usage.ts";
import type { Level } from "../../blueprint/blueprint.ts";
import { isJudge, judgedBy } from "../../gates/certificate/digests.ts";
import type { LeafStage, Plan } from "../../plan/plan.ts";
import { isVerified } from "../decide.ts";
import type { ArtifactRef, Cause, EventOf, EventType, RunEvent } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import { laneFor } from "../lanes.ts";
import type { RunningState, RunState } from "../state.ts";

export interface StageSummary {
  readonly stage: string;
  readonly kind: LeafStage["kind"];
  readonly visits: number;
  readonly attempts: number;
  /** How its newest attempt ended, or how it stands. */
  readonly outcome: string;
  readonly cause: Cause | null;
  readonly error: string | null;
  /** Of all attempts. */
  readonly tookMs: number;
  readonly usage: Usage;
  /** Of a gate that counts tests. */
  readonly tests: TestCounts | null;
}

export type TestCounts = Readonly<Record<"passed" | "failed" | "skipped", number>>;

/** The latest word of a gate, with what it rests on. */
export interface GateSummary {
  readonly stage: string;
  readonly by: string;
  readonly verdict: string;
  /** The tree it has judged; null: it looks at none of its own. */
  readonly tree: string | null;
  readonly exit: number | null;
  readonly output: JsonValue;
  readonly log: ArtifactRef | null;
  readonly artifacts: Readonly<Record<string, ArtifactRef>>;
}

export interface RunSummary {
  readonly run: string;
  readonly blueprint: string;
  readonly plan: string;
  readonly level: Level;
  readonly round: number;
  readonly events: number;
  /** Every gate has passed, and the last of them exactly this tree. */
  readonly verified: boolean;
  readonly base: string | null;
  readonly tree: string | null;
  /** In the order in which they first began. */
  readonly stages: readonly StageSummary[];
  readonly gates: readonly GateSummary[];
  readonly answers: readonly { readonly stage: string; readonly answer: string; readonly by: string }[];
  readonly cost: Usage & { readonly turns: number; readonly starts: number; readonly wallMs: number };
}

type Row = { -readonly [name in keyof StageSummary]: StageSummary[name] } & { startedAt: number };
type StageEvent = Extract<RunEvent, { type: `stage.${string}` }>;

/** How a stage stands whose attempt did not come to an end of its own. */
const STANDING: Readonly<Record<Exclude<StageEvent["type"], "stage.finished">, string>> = {
  "stage.started": "running",
  "stage.interrupted": "interrupted",
  "stage.refused": "refused",
  "stage.rested": "resting",
  "stage.parked": "parked",
  "stage.deferred": "deferred",
};

/** The first event must be that of the creation. */
export function summarize(plan: Plan, events: readonly RunEvent[]): RunSummary {
  const [created, ...rest] = events;
  if (created?.type !== "run.created") throw new Error(`a journal begins with ${created?.type ?? "nothing"}`);
  const rows = new Map<string, Row>();
  const gates = new Map<string, GateSummary>();
  let state: RunState = beginState(created);
  for (const event of rest) {
    const before = state.facts.usage;
    const leaf = isOfStage(event) ? laneFor(plan, state as RunningState, event.stage).leaf : null;
    state = evolve(plan, state, event);
    if (leaf === null || !isOfStage(event)) continue;
    note(rowOf(rows, event.stage, leaf.kind), event, before, state.facts.usage);
    if (event.type === "stage.finished" && isJudge(leaf)) gates.set(event.stage, gateOf(judgedBy(leaf), event));
  }
  const { facts } = state;
  return {
    ...{ run: created.run, blueprint: created.blueprint, plan: created.plan, level: plan.level, round: facts.round },
    ...{ events: events.length, verified: isVerified(facts), base: facts.base, tree: facts.tree },
    stages: [...rows.values()].map(({ startedAt: _startedAt, ...row }) => row),
    gates: [...gates.values()],
    answers: rest.flatMap((event) =>
      event.type === "approval.answered" ? [{ stage: event.stage, answer: event.answer, by: event.by }] : [],
    ),
    cost: {
      ...facts.usage,
      ...{ turns: facts.turns, starts: facts.started, wallMs: facts.at - facts.startedAt - facts.restedMs },
    },
  };
}

function isOfStage(event: RunEvent): event is StageEvent {
  return (event.type satisfies EventType).startsWith("stage.");
}

function rowOf(rows: Map<string, Row>, stage: string, kind: Row["kind"]): Row {
  const known = rows.get(stage);
  if (known !== undefined) return known;
  const row: Row = {
    ...{ stage, kind, visits: 0, attempts: 0, outcome: "running", cause: null, error: null },
    ...{ tookMs: 0, usage: NO_USAGE, tests: null, startedAt: 0 },
  };
  rows.set(stage, row);
  return row;
}

function note(row: Row, event: StageEvent, before: Usage, after: Usage): void {
  if (event.type === "stage.started" || event.type === "stage.refused") row.visits = event.visit;
  if (event.type === "stage.started") {
    row.attempts += 1;
    row.startedAt = event.at;
  } else if (event.type !== "stage.refused") row.tookMs += event.at - row.startedAt;
  row.outcome = event.type === "stage.finished" ? event.outcome : STANDING[event.type];
  row.cause = event.type === "stage.finished" ? event.cause : null;
  row.error = errorIn(event);
  if (event.type === "stage.finished") row.tests = countsIn(event.output);
  const spent = { tokens: after.tokens - before.tokens, microUsd: after.microUsd - before.microUsd };
  row.usage = addUsage(row.usage, spent);
}

function errorIn(event: StageEvent): string | null {
  if (event.type === "stage.finished" || event.type === "stage.refused") return event.error ?? null;
  return event.type === "stage.parked" || event.type === "stage.deferred" ? event.why : null;
}

function countsIn(output: JsonValue | undefined): TestCounts | null {
  const counts = isJsonObject(output) ? output["counts"] : undefined;
  if (!isJsonObject(counts)) return null;
  const count = (name: string): number => Number(counts[name] ?? 0);
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

function gateOf(by: string, event: EventOf<"stage.finished">): GateSummary {
  const { stage, outcome: verdict, judged, exit = null, output = null, log, artifacts = {} } = event;
  const kept = log === undefined ? null : { sha256: log.sha256, bytes: log.bytes };
  return { stage, by, verdict, tree: judged ?? null, exit, output, log: kept, artifacts };
}

/** From the journal of a run to its certificate: what was judged up to a moment, and whether that is enough to say so. */
import type { CertificateInput, Judgement, TreeName, UsedApproval } from "../../gates/certificate/certificate.ts";
import { isJudge, judgedBy } from "../../gates/certificate/digests.ts";
import type { Plan } from "../../plan/plan.ts";
import { isVerified } from "../decide.ts";
import { type Effect, resolveEffect } from "../effect/effect.ts";
import type { EventOf, RunEvent, StoredEvent } from "../events.ts";
import { beginState, evolve } from "../evolve.ts";
import type { Lane, Progress, RunState } from "../state.ts";

/** When a certificate is made: when a stage was first begun on this visit, or when the run is about to end. */
export type Moment = "end" | { readonly stage: string; readonly visit: number };

/** How many of these events lie before the moment; the INTENT of the stage is one of them. null: it has not come. */
export function eventsUntil(events: readonly StoredEvent[], moment: Moment): number | null {
  if (moment === "end") {
    const end = events.findIndex(({ event }) => event.type === "run.finished");
    return end < 0 ? events.length : end;
  }
  const begun = events.findIndex(
    ({ event }) => event.type === "stage.started" && event.stage === moment.stage && event.visit === moment.visit,
  );
  return begun < 0 ? null : begun + 1;
}

/** The moment of the certificate that this event names. */
export function momentOf(events: readonly StoredEvent[], event: EventOf<"run.finished" | "stage.finished">): Moment {
  if (event.type === "run.finished") return "end";
  const ended = events.findIndex((stored) => stored.event === event);
  const begun = events.slice(0, ended).findLast((stored) => isBeginOf(stored.event, event))?.event;
  return { stage: event.stage, visit: (begun as EventOf<"stage.started">).visit };
}

function isBeginOf(event: RunEvent, { stage, attempt }: EventOf<"stage.finished">): boolean {
  return event.type === "stage.started" && event.stage === stage && event.attempt === attempt;
}

/** What only the vault knows of the trees. */
export interface TreeFacts {
  readonly base: TreeName;
  readonly candidate: TreeName;
  readonly verifiers: CertificateInput["verifiers"];
}

/** Everything but what the vault and the artifacts know. */
export type Certifiable = Omit<CertificateInput, keyof TreeFacts | "gates"> & {
  readonly base: string;
  readonly candidate: string;
  readonly gates: readonly Said[];
};

/** The tests that a gate has counted lie in an artifact. */
type Said = Omit<Judgement, "results">;

interface Fold {
  state: RunState;
  /** By path of the gate: the latest that was said. */
  readonly judgements: Map<string, Said>;
  /** By path of the gate: what its newest attempt ran. */
  readonly programs: Map<string, readonly string[]>;
  readonly approvals: UsedApproval[];
}

/** What a certificate over exactly these events would say; null: they do not tell of a tree that every gate has passed. */
export function certifiable(plan: Plan, events: readonly StoredEvent[]): Certifiable | null {
  const [first, ...rest] = events;
  if (first?.event.type !== "run.created") return null;
  const created = first.event;
  // What a drill planted is never vouched for.
  if (created.drill !== undefined) return null;
  const fold: Fold = {
    state: beginState(created),
    judgements: new Map(),
    programs: new Map(),
    approvals: [],
  };
  for (const { event } of rest) {
    before(fold, event);
    fold.state = evolve(plan, fold.state, event);
    after(fold, event);
  }
  const { facts } = fold.state;
  const { base, tree: candidate } = facts;
  // A run with a tree has a base.
  if (!isVerified(facts) || base === null || candidate === null) return null;
  const { unearned } = created;
  return {
    plan,
    run: facts.run,
    origin: facts.origin,
    unearned: unearned === undefined ? null : { by: unearned.by, why: unearned.why },
    journal: { events: events.length, head: (events.at(-1) as StoredEvent).hash },
    base,
    candidate,
    // A verdict that stands was the end of an attempt.
    gates: [...facts.verdicts.keys()].map((stage) => fold.judgements.get(stage) as Said),
    approvals: fold.approvals,
    cost: { ...facts.usage, stages: facts.started, wallMs: facts.at - facts.startedAt - facts.restedMs },
    createdAt: created.at,
  };
}

/** The end of an attempt is told while its lane still knows what it was about. */
function before({ state, judgements, programs }: Fold, event: RunEvent): void {
  if (event.type !== "stage.finished") return;
  // Only an attempt under way ends, and it has a lane.
  const { leaf, tree } = (state as Underway).progress.lanes.get(event.stage) as Lane;
  if (!isJudge(leaf)) return;
  const { stage, outcome, exit = null, output = null, log, artifacts = {}, judged, at } = event;
  const digests = Object.entries(artifacts).map(([name, ref]): [string, string] => [name, ref.sha256]);
  judgements.set(stage, {
    stage,
    by: judgedBy(leaf),
    verdict: outcome,
    tree: judged ?? tree,
    argv: programs.get(stage) ?? null,
    exit,
    output,
    log: log?.sha256 ?? null,
    artifacts: Object.fromEntries(digests),
    at,
  });
}

function after({ state, programs, approvals }: Fold, event: RunEvent): void {
  if (event.type === "approval.answered") {
    const { id, stage, digest, answer, by, at } = event;
    approvals.push({ id, stage, digest, answer, by, at });
  }
  if (event.type !== "stage.started") return;
  const { facts, progress } = state as Underway;
  const { leaf, position } = progress.lanes.get(event.stage) as Lane;
  if (leaf.kind !== "gate") return;
  // It has begun, so every reference in it had a value.
  const { effect } = resolveEffect(facts, progress, leaf, position) as { readonly effect: ProcessEffect };
  programs.set(event.stage, effect.argv);
}

type ProcessEffect = Extract<Effect, { kind: "process" }>;
type Underway = Extract<RunState, { progress: Progress }>;

/** The laws of a run, judged from outside: from its journal and from what happened in the world. */

import { createPolicyGate } from "../../src/adapters/system/policy-gate.ts";
import type { RunId } from "../../src/base/ids.ts";
import { canonical } from "../../src/base/json.ts";
import { replay, restore } from "../../src/kernel/replay.ts";
import type { EventOf, RunEvent } from "../../src/run/events.ts";
import { stageOf } from "../../src/run/plan-index.ts";
import { isTerminal, REASONS } from "../../src/run/reasons.ts";
import { AGENT_LAWS } from "./agent-laws.ts";
import { approvalLaw } from "./approval-law.ts";
import { JUDGEMENT_LAWS } from "./judgement-laws.ts";
import { type Law, leafAt, ofType } from "./life.ts";
import { LIMIT_LAWS } from "./limit-laws.ts";
import { MONEY_LAWS } from "./money-laws.ts";
import type { Simulated } from "./simulate.ts";
import { WAITING_LAWS } from "./waiting-law.ts";

function isGood(outcome: string): boolean {
  return outcome === "success" || outcome === "pass";
}

const POLICY = createPolicyGate();
/** What ends an attempt, or lays it to rest. */
const ENDS: ReadonlySet<string> = new Set([
  "stage.finished",
  "stage.interrupted",
  "stage.rested",
  "stage.parked",
  "stage.deferred",
]);

const LAWS: Readonly<Record<string, Law>> = {
  "an INTENT is durable before its effect begins, and carries the rule that allowed it": (run) => {
    for (const happening of run.world.happenings) {
      const durable = run.events.slice(0, happening.durable).map((stored) => stored.event);
      const intent = durable.find(
        (event) =>
          event.type === "stage.started" &&
          event.stage === happening.stage &&
          event.attempt === happening.attempt &&
          event.rule !== "",
      );
      if (intent === undefined) return `effect of ${happening.key} attempt ${happening.attempt} had no durable INTENT`;
    }
    return null;
  },
  "nothing that policy denies happens": (run) => {
    const denied = run.world.happenings.find((happening) => happening.program === "deny");
    return denied === undefined ? null : `${denied.key} happened`;
  },
  "what policy asks about happens only after a person allowed it": (run) => {
    for (const happening of run.world.happenings.filter((candidate) => candidate.program === "ask")) {
      const before = run.events.slice(0, happening.durable).map((stored) => stored.event);
      const allowed = before.some(
        (event) =>
          event.type === "approval.answered" &&
          event.stage === happening.stage &&
          (event.answer === "approve" || event.answer === "approve_run"),
      );
      // What was allowed for the whole run may be asked about in another stage.
      const forAll = before.some((event) => event.type === "approval.answered" && event.answer === "approve_run");
      if (!allowed && !forAll) return `${happening.key} happened without an answer`;
    }
    return null;
  },
  "whoever reads third-party text was known to when the plan was made, and changes no tree": (run) => {
    const unknown = ofType(run, "policy.denied").find(({ rule }) => rule === "taint");
    if (unknown !== undefined) return `"${unknown.stage}": ${unknown.why}`;
    // What a gate has judged was made by its host.
    const writer = ofType(run, "stage.finished").find(
      ({ stage, tree, judged }) => tree !== undefined && tree !== judged && leafAt(run.plan, stage).taint !== undefined,
    );
    return writer === undefined ? null : `"${writer.stage}" reads third-party text and changed the tree`;
  },
  "an attempt has its effect at most once": (run) => {
    const seen = new Set<string>();
    for (const { key, attempt, stage } of run.world.happenings) {
      // What a gate starts works in a checkout that is thrown away: it may be started as often as its judge needs.
      if (leafAt(run.plan, stage).kind === "gate") continue;
      if (seen.has(`${key}#${attempt}`)) return `${key} attempt ${attempt} happened twice`;
      seen.add(`${key}#${attempt}`);
    }
    return null;
  },
  "a lost attempt of a once stage is repeated only when a person says so": (run) => {
    const lost = new Map<string, boolean>();
    for (const { event } of run.events) {
      if (event.type === "stage.interrupted" && leafAt(run.plan, event.stage).effect === "once")
        lost.set(event.stage, true);
      if (event.type === "approval.answered" && !event.answer.startsWith("approve")) lost.delete(event.stage);
      if (event.type === "stage.started" && lost.get(event.stage)) return `"${event.stage}" was repeated unasked`;
    }
    return null;
  },
  "nothing passes an approval gate without an answer that names its digest, and an answer counts once": (run) =>
    approvalLaw(eventsOf(run), (stage) => leafAt(run.plan, stage).kind === "approval"),
  "a stage that succeeded really happened": (run) => {
    for (const event of ofType(run, "stage.finished")) {
      const { kind } = leafAt(run.plan, event.stage);
      if (!isGood(event.outcome) || kind === "approval" || kind === "inspection") continue;
      const happened = run.world.happenings.some((happening) => happening.stage === event.stage);
      if (!happened) return `"${event.stage}" succeeded without happening`;
    }
    return null;
  },
  "attempts never exceed max_attempts, lost ones aside": (run) => {
    const failures = new Map<string, number>();
    for (const { event } of run.events) {
      if (event.type === "group.opened" || event.type === "round.started" || event.type === "run.resumed")
        failures.clear();
      if (event.type === "stage.finished") {
        const count = isGood(event.outcome) ? 0 : (failures.get(event.stage) ?? 0) + 1;
        failures.set(event.stage, count);
        if (count > leafAt(run.plan, event.stage).maxAttempts)
          return `"${event.stage}" failed ${count} times in one visit`;
        if (count === leafAt(run.plan, event.stage).maxAttempts) failures.delete(event.stage);
      }
    }
    return null;
  },
  "visits, rounds and starts stay within their caps": (run) => {
    const { plan } = run;
    const visits = new Map<string, Set<number>>();
    for (const { event } of run.events) {
      if (event.type !== "stage.started" && event.type !== "group.opened" && event.type !== "stage.refused") continue;
      const id = event.stage.replace(/[.[].*$/, "");
      const set = visits.get(id) ?? new Set<number>();
      set.add(event.visit);
      visits.set(id, set);
      const cap = stageOf(plan, id).maxVisits;
      if (cap !== null && set.size > cap) return `"${id}" was visited ${set.size} times, its cap is ${cap}`;
    }
    const { rounds, stages } = plan.limits;
    const last = ofType(run, "round.started").at(-1)?.round ?? 1;
    if (rounds !== null && last > rounds) return `${last} rounds, the limit is ${rounds}`;
    const started = ofType(run, "stage.started").length - resumable(run);
    return stages !== null && started > stages ? `${started} stages started, the limit is ${stages}` : null;
  },
  "the worst case holds, lost attempts aside": (run) => {
    const lost = ofType(run, "stage.interrupted").length + resumable(run);
    const started = ofType(run, "stage.started").length;
    const { bound } = run.plan;
    if (started - lost > bound.stages) return `${started - lost} starts, the bound is ${bound.stages}`;
    return null;
  },
  "what was refused for now is not tried before its time, unless a person insists": (run) => {
    const resting = new Map<string, number>();
    for (const { event } of run.events) {
      if (event.type === "run.resumed" && event.early === true) resting.clear();
      if (event.type === "stage.parked" && event.until !== null) resting.set(event.stage, event.until);
      if (event.type !== "stage.started") continue;
      const until = resting.get(event.stage);
      if (until !== undefined && event.at < until) return `${event.stage} was tried ${until - event.at} ms too early`;
      resting.delete(event.stage);
    }
    return null;
  },
  "what was refused for now counts for nothing": (run) => {
    const { consecutiveFailures, stages } = run.plan.limits;
    const end = ofType(run, "run.finished")[0];
    const failed = ofType(run, "stage.finished").filter(({ outcome }) => !isGood(outcome)).length;
    const refused = ofType(run, "stage.refused").length;
    const told = ofType(run, "approval.answered").filter(({ answer }) => answer === "failed").length;
    if (end?.reason === "consecutive_failures" && failed + refused + told < (consecutiveFailures ?? 0))
      return `${failed} failures, and the run ended because of ${consecutiveFailures}`;
    const parked = ofType(run, "stage.parked").length;
    const asked = ofType(run, "approval.requested").length;
    const opened = ofType(run, "group.opened").length;
    const started = ofType(run, "stage.started").length - parked + refused + asked + opened;
    return end?.reason === "max_stages" && started < (stages ?? 0) ? `${started} of ${stages} stages` : null;
  },
  "no more is spent than the budget": (run) => {
    const { tokens } = run.plan.limits;
    const told = run.events.flatMap(({ event }) => ("usage" in event ? [event.usage?.tokens ?? 0] : []));
    const spent = Math.max(
      run.state.facts.usage.tokens,
      told.reduce((sum, each) => sum + each, 0),
    );
    return tokens !== null && spent > tokens ? `spent ${spent} of ${tokens}` : null;
  },
  "a group never runs more members at once than it may": (run) => {
    const open = new Set<string>();
    for (const { event } of run.events) {
      if (event.type === "stage.started") open.add(event.stage);
      if ("stage" in event && ENDS.has(event.type)) open.delete(event.stage);
      if (open.size === 0 || event.type !== "stage.started") continue;
      const stage = stageOf(run.plan, event.stage.replace(/[.[].*$/, ""));
      const most = stage.kind === "group" ? stage.maxParallel : 1;
      if (open.size > most) return `${open.size} at once in "${stage.id}", it may ${most}`;
    }
    return null;
  },
  "a finished run has one end, its last event, with the status of its reason": (run) => {
    const ends = ofType(run, "run.finished");
    const [end] = ends;
    if (ends.length !== 1 || end === undefined) return `${ends.length} ends`;
    if (run.events.at(-1)?.event !== end) return "there are events after the end";
    return REASONS[end.reason] === end.status ? null : `${end.reason} is not ${end.status}`;
  },
  "success needs every gate's latest verdict to be a pass, or of a merge gate that nothing was merged": (run) => {
    const end = ofType(run, "run.finished")[0];
    if (end?.status !== "succeeded") return null;
    const verdicts = new Map<string, string>();
    const isMerge = (stage: string): boolean => {
      const leaf = leafAt(run.plan, stage);
      return leaf.kind === "action" && (leaf.action === "git.merge" || leaf.action === "merge.queue");
    };
    const merged = ofType(run, "stage.finished").some(({ stage, outcome }) => outcome === "success" && isMerge(stage));
    const onlyHolds = (stage: string): boolean => {
      const leaf = leafAt(run.plan, stage);
      return leaf.kind === "inspection" && leaf.by === "merge" && !merged && end.reason !== "goal_achieved";
    };
    for (const event of ofType(run, "stage.finished")) {
      const { kind } = leafAt(run.plan, event.stage);
      if (kind === "gate" || kind === "approval" || kind === "inspection") verdicts.set(event.stage, event.outcome);
      // What a person allows proves nothing, except to a gate that has asked for one.
      if (kind !== "approval" || event.outcome !== "pass") continue;
      verdicts.delete(event.stage);
      for (const [stage, verdict] of verdicts) if (verdict === "escalate") verdicts.set(stage, "pass");
    }
    // Where nothing has changed there is nothing to judge.
    const bad = [...verdicts].find(
      ([stage, outcome]) => outcome !== "pass" && outcome !== "empty" && !onlyHolds(stage),
    );
    return bad === undefined ? null : `succeeded although the gate "${bad[0]}" said ${bad[1]}`;
  },
  "nothing starts once the run is stopping, pausing or resting": (run) => {
    let quiet = false;
    for (const { event } of run.events) {
      if (
        event.type === "run.stopping" ||
        event.type === "run.pausing" ||
        event.type === "run.paused" ||
        event.type === "run.waiting"
      )
        quiet = true;
      if (event.type === "run.resumed" && event.after !== "interruption") quiet = false;
      if (event.type === "stage.started" && quiet) return `"${event.stage}" started`;
    }
    return null;
  },
  "no tree holds the work of two attempts of one visit": (run) => {
    for (const event of [...ofType(run, "stage.finished"), ...ofType(run, "stage.interrupted")]) {
      const keys = worksIn(run, event.tree).map((work) => work.replace(/#\d+$/, ""));
      const twice = keys.find((key, index) => keys.indexOf(key) !== index);
      if (twice !== undefined) return `the tree after "${event.stage}" has ${twice} twice`;
    }
    return null;
  },
  "the work of every stage that succeeded is in the last tree, and nothing that a retry has undone": (run) => {
    const last = new Set(worksIn(run, run.state.facts.tree ?? undefined));
    for (const event of ofType(run, "stage.finished")) {
      const leaf = leafAt(run.plan, event.stage);
      if (leaf.kind !== "command" || stageOf(run.plan, stageId(event.stage)).kind === "group") continue;
      if (leaf.wall.sandbox === "read_only") continue;
      const own = worksIn(run, event.tree).filter((work) => work.includes(`:${event.stage}:`));
      const mine = own.find((work) => work.endsWith(`#${event.attempt}`));
      if (isGood(event.outcome) && mine === undefined) return `"${event.stage}" left nothing in its tree`;
      if (isGood(event.outcome) && mine !== undefined && !last.has(mine)) return `the work of ${mine} is lost`;
    }
    return null;
  },
  "an attempt that was cut off loses nothing that it had done": (run) => {
    for (const event of ofType(run, "stage.interrupted")) {
      const happened = run.world.happenings.filter(
        ({ stage, attempt }) => stage === event.stage && attempt === event.attempt,
      );
      const leaf = leafAt(run.plan, event.stage);
      // The checkout of a gate is thrown away.
      const isKept = leaf.kind === "command" && leaf.wall.sandbox !== "read_only";
      if (!isKept || event.tree === undefined) continue;
      const kept = new Set(worksIn(run, event.tree));
      const gone = happened.find(({ key, attempt }) => !kept.has(`${key}#${attempt}`) && !isLater(run, event, key));
      if (gone !== undefined) return `what ${gone.key} had done was not saved`;
    }
    return null;
  },
  "time never runs backwards": (run) => {
    for (const [index, { event }] of run.events.entries()) {
      if (event.at < (run.events[index - 1]?.event.at ?? 0)) return `event ${index + 1} is earlier than the one before`;
    }
    return null;
  },
  "state is the fold of the journal": (run) => {
    const folded = restore(
      run.events[0]?.event.type === "run.created" ? (run.events[0].event.run as RunId) : ("" as RunId),
      run.plan,
      eventsOf(run),
    );
    const same = textOf(folded.state) === textOf(run.state);
    if (!isTerminal(folded.state.status)) return `the journal ends ${folded.state.status}`;
    return same ? null : "the host held another state than the journal tells";
  },
  "replay decides the same run again": (run) => {
    const divergence = replay(run.plan, eventsOf(run), { policy: POLICY, redact: (event) => event });
    return divergence === null
      ? null
      : `event ${divergence.seq}: expected ${divergence.expected}, found ${divergence.found}`;
  },
  "the chain is intact and the seqs have no hole": (run) => {
    if (!run.intact) return "the chain is broken";
    const hole = run.events.findIndex((stored, index) => stored.seq !== index + 1);
    return hole < 0 ? null : `seq ${hole + 1} is missing`;
  },
};

/** Attempts that were refused for now, or wait for a person: what goes on from them is the same attempt to every limit. */
function resumable(run: Simulated): number {
  return ofType(run, "stage.parked").length + ofType(run, "stage.deferred").length;
}

/** What processes left in a tree, as `key#attempt`. */
function worksIn(run: Simulated, tree: string | undefined): readonly string[] {
  const names = tree === undefined ? [] : [...(run.world.workspaces.tree(tree)?.keys() ?? [])];
  return names.filter((name) => name.includes("#"));
}

function stageId(path: string): string {
  return path.replace(/[.[].*$/, "");
}

/** The happening belongs to another visit than the one that was cut off. */
function isLater(run: Simulated, cut: EventOf<"stage.interrupted">, key: string): boolean {
  const before = run.events.slice(
    0,
    run.events.findIndex(({ event }) => event === cut),
  );
  const start = before
    .map(({ event }) => event)
    .findLast((event) => event.type === "stage.started" && event.stage === cut.stage);
  return start?.type === "stage.started" && !key.endsWith(`:${start.visit}`);
}

function eventsOf(run: Simulated): RunEvent[] {
  return run.events.map((stored) => stored.event);
}

/** Order of keys aside: what was stored comes back sorted. */
function textOf(state: Simulated["state"]): string {
  return canonical(JSON.parse(JSON.stringify(state, mapsToo)));
}

function mapsToo(_key: string, value: unknown): unknown {
  return value instanceof Map || value instanceof Set ? [...value] : value;
}

/** The first law this run breaks, or null. */
export function brokenLaw(run: Simulated): string | null {
  for (const [name, law] of Object.entries({
    ...LAWS,
    ...JUDGEMENT_LAWS,
    ...LIMIT_LAWS,
    ...AGENT_LAWS,
    ...MONEY_LAWS,
    ...WAITING_LAWS,
  })) {
    const broken = law(run);
    if (broken !== null) return `${name}: ${broken}`;
  }
  return null;
}

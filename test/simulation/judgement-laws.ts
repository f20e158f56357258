/** The laws of judgement: what was judged, what the run goes on with, and what it may claim at its end. */

import type { EventOf } from "../../src/run/events.ts";
import { beginState, evolve } from "../../src/run/evolve.ts";
import { type Law, leafAt, ofType } from "./life.ts";
import type { Simulated } from "./simulate.ts";
import { contentOf, OWN_SHIELD, OWN_SHIELDED, SHIELDED } from "./tampering.ts";

/** The latest that was said about whether the run's tree is good. */
interface Word {
  readonly by: "gate" | "person";
  /** null: the word is no pass. */
  readonly tree: string | null;
}

export const JUDGEMENT_LAWS: Readonly<Record<string, Law>> = {
  "what a gate passes is what its process saw, and the run goes on with exactly that": (run) => {
    const { workspaces, happenings } = run.world;
    const [created, ...rest] = run.events.map(({ event }) => event);
    let state = beginState(created as EventOf<"run.created">);
    for (const event of rest) {
      state = evolve(run.plan, state, event);
      if (event.type !== "stage.finished" || event.outcome !== "pass") continue;
      if (leafAt(run.plan, event.stage).kind !== "gate") continue;
      const { judged = "" } = event;
      if (state.facts.tree !== judged) return `"${event.stage}" passed ${judged}, the run has ${state.facts.tree}`;
      const content = contentOf(workspaces.tree(judged));
      const seen = happenings.filter(({ stage, attempt }) => stage === event.stage && attempt === event.attempt);
      if (!seen.some(({ saw }) => saw === content)) return `no process of "${event.stage}" saw what it passed`;
    }
    return null;
  },
  "a tree that is verified has the protected paths of its base, unless a person settled it": (run) => {
    const { tree, base, verified } = run.state.facts;
    const word = lastWord(run);
    if (verified === null || verified.tree === null || word?.by !== "gate") return null;
    const [now, before] = [tree, base].map((id) => run.world.workspaces.tree(id ?? ""));
    if (verified.tree !== tree) return null;
    const paths = run.plan.protect.includes(OWN_SHIELD) ? [...SHIELDED, OWN_SHIELDED] : SHIELDED;
    const changed = paths.find((path) => now?.get(path) !== before?.get(path));
    return changed === undefined ? null : `${changed} is not as it was`;
  },
  "nothing above L1 is claimed of a tree that no process passed and no person settled": (run) => {
    const end = ofType(run, "run.finished")[0];
    const { tree, base } = run.state.facts;
    if (end?.status !== "succeeded" || run.plan.level === "L1") return null;
    // A run that was cut to L1 because most of a cap is spent claims no more than its report.
    if (run.state.facts.degraded && end.reason === "reported") return null;
    if (end.reason === "noop") return tree === base ? null : "it says noop, and its tree is another";
    const word = lastWord(run);
    return word?.tree === tree ? null : `it ended with ${tree}, the last word is ${JSON.stringify(word)}`;
  },
  "no checkout outlives its gate, but for one that was cut off, and none the run": (run) => {
    const { atEnd, after } = run.checkouts;
    if (run.world.crashes() === 0 && atEnd > 0) return `${atEnd} are left although nothing was cut off`;
    return after === 0 ? null : `${after} are left`;
  },
};

/** Found from the journal alone. A person has the last word only where the process that judged last has asked for one. */
function lastWord(run: Simulated): Word | null {
  const asked = new Map<string, string>();
  let word: Word | null = null;
  let isOpen = false;
  for (const { event } of run.events) {
    if (event.type === "approval.requested") asked.set(event.stage, event.commit ?? "");
    if (event.type !== "stage.finished") continue;
    const { kind } = leafAt(run.plan, event.stage);
    const passed = event.outcome === "pass";
    if (kind === "gate") {
      word = { by: "gate", tree: passed ? (event.judged ?? "") : null };
      isOpen = event.outcome === "escalate";
    } else if (kind === "approval" && passed) {
      if (isOpen) word = { by: "person", tree: asked.get(event.stage) ?? "" };
      isOpen = false;
    }
  }
  return word;
}

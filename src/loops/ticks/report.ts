/** A tick in words, as loop-runtime prints it: from the events of its run alone. */
import type { EventOf, RunEvent } from "../../run/events.ts";

export interface TickReport {
  readonly decision: "noop" | "report" | "act" | "halted" | "failed";
  /** Of the verifier; null: it was not asked. */
  readonly verdict: "accept" | "reject" | "escalate" | null;
  readonly tokens: number;
  readonly details: readonly string[];
}

type Finished = EventOf<"stage.finished">;

/** `paths`: what the run has changed. */
export function reportTick(events: readonly RunEvent[], paths: readonly string[]): TickReport {
  const ends = new Map(
    events.flatMap((event) => (event.type === "stage.finished" ? [[event.stage, event] as const] : [])),
  );
  const spent = events.reduce(
    (sum, event) => sum + (event.type === "stage.finished" ? (event.usage?.tokens ?? 0) : 0),
    0,
  );
  const held = heldBack(events);
  const decision = decisionOf(ends, held);
  const verdict = verdictOf(ends);
  const acted = ends.has("implement") ? [`proposed change touching ${paths.join(", ") || "nothing"}`] : [];
  const details = [
    decision === "halted" ? `halted: ${haltOf(ends, held)}` : `triage decision: ${decision}`,
    ...acted,
    ...(verdict === null ? [] : [`verifier verdict: ${verdict}`]),
    ...(decision === "halted" ? [] : lastOf(ends, events)),
  ];
  return { decision, verdict, tokens: spent, details };
}

/** Why an attempt did not begin: a cap or a quota held it back. null: none did. */
function heldBack(events: readonly RunEvent[]): string | null {
  const found = events.find((event) => event.type === "budget.refused" || event.type === "stage.parked");
  return found?.why ?? null;
}

function decisionOf(ends: ReadonlyMap<string, Finished>, held: string | null): TickReport["decision"] {
  if (ends.has("halted")) return "halted";
  const outcome = ends.get("triage")?.outcome;
  if (outcome === "noop" || outcome === "report" || outcome === "act") return outcome;
  return held === null ? "failed" : "halted";
}

/** Both stages that lead to a halt say why they have failed. */
function haltOf(ends: ReadonlyMap<string, Finished>, held: string | null): string {
  const failed = ["admit", "price"].map((stage) => ends.get(stage)).find((end) => end?.outcome === "failure");
  return failed?.error ?? held ?? `nobody said why${failed === undefined ? "" : ` ${failed.stage} has failed`}`;
}

function verdictOf(ends: ReadonlyMap<string, Finished>): TickReport["verdict"] {
  const judged = ends.get("review")?.outcome ?? ends.get("verify")?.outcome ?? null;
  if (judged === null) return ends.has("implement") ? "reject" : null;
  return judged === "accept" || judged === "escalate" ? judged : "reject";
}

const LAST: readonly (readonly [stage: string, text: string])[] = [
  ["merged", "merged: safe + allowlisted"],
  ["proposed", "committed: safe + allowlisted"],
  ["escalated", "escalated to a person: the change is kept"],
  ["tried_out", "escalated to a person: tried too often"],
  ["rejected", "discarded: nothing is kept"],
];

function lastOf(ends: ReadonlyMap<string, Finished>, events: readonly RunEvent[]): readonly string[] {
  const found = LAST.flatMap(([stage, text]) => (ends.has(stage) ? [text] : []));
  return found.length > 0 ? found.slice(0, 1) : stopOf(events);
}

/** Why it came to no end of its own, or to none yet. */
function stopOf(events: readonly RunEvent[]): readonly string[] {
  const end = events.findLast((event) => event.type === "run.finished" || event.type === "run.waiting");
  if (end?.type === "run.waiting") return [`waits: ${saidOf(events) ?? end.reason}`];
  if (end?.type !== "run.finished" || end.status === "succeeded") return [];
  return [`ended: ${saidOf(events) ?? end.detail ?? end.reason}`];
}

/** What a budget or a quota has said last. */
function saidOf(events: readonly RunEvent[]): string | null {
  const said = events.flatMap((event) =>
    event.type === "stage.parked" || event.type === "budget.refused" ? [event.why] : [],
  );
  return said.at(-1) ?? null;
}

/** The laws of agents: nothing of what they do is done unasked, an answer is good for one call, and none spends more than it was given. */
import type { EventOf, RunEvent } from "../../src/run/events.ts";
import { type Law, leafAt, ofType } from "./life.ts";
import type { Simulated } from "./simulate.ts";

export const AGENT_LAWS: Readonly<Record<string, Law>> = {
  "a call that policy denies is never allowed, and one that it asks about once for each answer": (run) => {
    const used = new Map<string, number>();
    for (const { stage, path, answer, durable } of run.world.agents.calls) {
      if (answer !== "allow" || path.startsWith("free/")) continue;
      if (path.startsWith("denied/")) return `${path} was allowed`;
      const count = (used.get(path) ?? 0) + 1;
      used.set(path, count);
      const answered = answersOf(run, stage, durable);
      if (count > answered) return `${path} was allowed ${count} times, a person said so ${answered} times`;
    }
    return null;
  },
  "no tree that a run goes on with has what policy denies": (run) => {
    for (const { stage, tree } of ofType(run, "stage.finished")) {
      const paths = [...(run.world.workspaces.tree(tree ?? "")?.keys() ?? [])];
      const denied = paths.find((path) => path.startsWith("denied/"));
      if (denied !== undefined) return `the tree after "${stage}" has ${denied}`;
    }
    return null;
  },
  "an agent that goes on from a question spends no more than it had left": (run) => {
    const spent = new Map<string, number>();
    for (const { event } of run.events) {
      if (!isEnd(event)) continue;
      const leaf = leafAt(run.plan, event.stage);
      if (leaf.kind !== "agent" || leaf.models === undefined) continue;
      const all = (spent.get(event.stage) ?? 0) + (event.usage?.tokens ?? 0);
      if (all > leaf.models.tokens) return `"${event.stage}" has spent ${all} of ${leaf.models.tokens}`;
      if (event.type === "stage.deferred") spent.set(event.stage, all);
      else spent.delete(event.stage);
    }
    return null;
  },
};

type End = EventOf<"stage.finished" | "stage.interrupted" | "stage.parked" | "stage.deferred">;

function isEnd(event: RunEvent): event is End {
  return ["stage.finished", "stage.interrupted", "stage.parked", "stage.deferred"].includes(event.type);
}

/** How often a person had allowed a call of the stage by then. */
function answersOf(run: Simulated, stage: string, durable: number): number {
  const events = run.events.slice(0, durable).map(({ event }) => event);
  const calls = new Set(
    events.flatMap((event) => (event.type === "approval.requested" && event.kind === "call" ? [event.digest] : [])),
  );
  return events.filter(
    (event) =>
      event.type === "approval.answered" &&
      event.stage === stage &&
      event.answer === "approve" &&
      calls.has(event.digest),
  ).length;
}

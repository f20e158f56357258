/** What a run that goes on owes for the host before it: what was reserved and never settled is charged, never forgotten. */
import type { RunId } from "../../base/ids.ts";
import { type AgentUsage, NOTHING_USED } from "../agent.ts";
import type { Chronicle } from "./chronicle.ts";
import type { AgentJournal } from "./record.ts";
import { evolve, newState, type RunState } from "./state.ts";

/** The first words of a host that goes on with a run; its time counts from here. */
export async function takeUp({ state, write }: Chronicle, journal: AgentJournal): Promise<void> {
  await write({ type: "run.resumed" });
  for (const [id, { tokens, microUsd }] of [...state.reserved]) {
    await write({ type: "model.asked", what: "cut_off", model: "", tokens, microUsd, id });
  }
  for (const [run, child] of [...state.children]) {
    const usage = child.isShared ? await spentBy(run, journal, new Set()) : child.most;
    await write({ type: "child.ended", run, agent: child.agent, usage });
  }
}

/** Of a child that was cut off, with all below it, as far as its journal and what it had reserved say. */
async function spentBy(run: RunId, journal: AgentJournal, seen: Set<RunId>): Promise<AgentUsage> {
  if (seen.has(run)) return NOTHING_USED;
  seen.add(run);
  const state = newState();
  for (const record of await journal.read(run)) evolve(state, record, "");
  let usage = owed(state);
  for (const [below, child] of state.children) {
    usage = sum(usage, child.isShared ? await spentBy(below, journal, seen) : child.most);
  }
  return usage;
}

function owed({ used, reserved }: RunState): AgentUsage {
  return [...reserved.values()].reduce<AgentUsage>((total, { tokens: { input, output }, microUsd }) => {
    return sum(total, { input, output, tokens: input + output, microUsd, cached: 0, modelCalls: 1 });
  }, used);
}

function sum(a: AgentUsage, b: AgentUsage): AgentUsage {
  return {
    input: a.input + b.input,
    cached: a.cached + b.cached,
    output: a.output + b.output,
    tokens: a.tokens + b.tokens,
    microUsd: a.microUsd + b.microUsd,
    modelCalls: a.modelCalls + b.modelCalls,
  };
}

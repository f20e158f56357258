/** Agents of the simulated world: each asks before what it does, spends what it is given at most, and may be cut off at any step. */
import type { Span } from "../../src/base/diagnostic.ts";
import type { Blueprint, LeafSpec, StageSpec } from "../../src/blueprint/blueprint.ts";
import type { Rule } from "../../src/policy/rule.ts";
import type { AgentAccess } from "../../src/ports/agents/agent-access.ts";
import type { AgentFailure, AgentTask, Ruling } from "../../src/ports/agents/agent-backend.ts";
import type { ModelDoor } from "../../src/ports/models/model-access.ts";
import type { Chance } from "./random.ts";
import { createSimAgent, SIM_AGENT, type SimHands, type SimStep } from "./sim-agent.ts";

const where: Span = { file: "random.yaml", line: 1, column: 1, length: 1 };
const AGENT_RULES: readonly Rule[] = [
  { id: "sim.agent", effect: "allow", pattern: { action: "agent.*" } },
  { id: "sim.edit", effect: "allow", pattern: { edit: "**" } },
  { id: "sim.edit-asked", effect: "ask", pattern: { edit: "asked/**" } },
  { id: "sim.edit-denied", effect: "deny", pattern: { edit: "denied/**" } },
];
const FAILURES: readonly AgentFailure[] = [
  "rate_limited",
  "overloaded",
  "auth",
  "context_overflow",
  "provider",
  "lost",
];

/** Some commands become agents. */
export function randomAgents(blueprint: Blueprint, dice: Chance): Blueprint {
  if (!dice.hit(0.6)) return blueprint;
  const stages = blueprint.stages.map((stage) => changed(stage, dice));
  return { ...blueprint, stages, rules: [...blueprint.rules, ...AGENT_RULES] };
}

function changed(stage: StageSpec, dice: Chance): StageSpec {
  if (stage.kind === "group")
    return { ...stage, members: stage.members.map((leaf) => changed(leaf, dice) as LeafSpec) };
  if (stage.kind !== "command" || stage.quota !== undefined || !dice.hit(0.7)) return stage;
  const { program: _program, env: _env, capture: _capture, sandbox: _sandbox, ...common } = stage;
  return {
    ...common,
    kind: "agent",
    models: { tokens: 1 + dice.int(20), microUsd: 0, calls: 1 + dice.int(5), providers: null },
    agent: { use: SIM_AGENT.name, role: "implementer", goal: { lit: "work" }, outcomes: [], with: { map: [] }, where },
  };
}

/** One call that was ruled on. */
export interface RuledCall {
  readonly stage: string;
  readonly path: string;
  readonly answer: Ruling["answer"];
  /** Events that were durable then. */
  readonly durable: number;
}

/** What agents leave in the world; it outlives every host. */
export interface AgentWorld {
  readonly calls: RuledCall[];
  readonly sessions: Map<string, string | null>;
}

export function createAgentWorld(): AgentWorld {
  return { calls: [], sessions: new Map() };
}

export interface AgentParts {
  readonly dice: Chance;
  readonly world: AgentWorld;
  mortal(): Promise<void>;
  durable(): number;
  /** Does the work itself; false: it was ended. */
  happen(task: AgentTask, signal: AbortSignal): Promise<boolean>;
  edit(task: AgentTask, path: string): void;
  /** One call to a model, through the door. */
  call(door: ModelDoor | null): Promise<void>;
}

export function simAgents(parts: AgentParts): AgentAccess {
  const { world, mortal } = parts;
  const backend = createSimAgent((task) => stepsOf(parts, task), handsOf(parts));
  return {
    backends: { get: (name) => (name === SIM_AGENT.name ? backend : undefined), names: () => [SIM_AGENT.name] },
    homes: {
      async open(run, stage, visit) {
        const key = `${run}/${stage}/${visit}`;
        await mortal();
        const keep = async (session: string | null): Promise<void> => {
          await mortal();
          world.sessions.set(key, session);
        };
        return { folder: `/homes/${stage}`, session: world.sessions.get(key) ?? null, keep };
      },
      leave: async () => undefined,
      kept: async () => [],
    },
    redact: (text) => text,
    patch: async () => "a patch",
  };
}

function* stepsOf({ dice }: AgentParts, { goesOn, process }: AgentTask): Generator<SimStep> {
  // What it goes on with it asks for first.
  for (let left = dice.int(4); left > 0; left -= 1) {
    yield { spend: true };
    const folder = goesOn === "deferred" ? "asked" : dice.pick(["free", "asked", "asked", "denied"]);
    yield { edit: `${folder}/${process.stage}`, id: `${dice.next()}` };
  }
  yield { work: true };
  if (dice.hit(0.7)) return;
  if (dice.hit(0.2)) yield { end: { kind: "denied", error: "it gave up" } };
  yield { end: { kind: "failed", why: dice.pick(FAILURES), error: "it failed" } };
}

function handsOf({ world, mortal, durable, happen, edit, call }: AgentParts): SimHands {
  return {
    edit,
    work: happen,
    pause: mortal,
    ruled: ({ process: { stage } }, path, answer) => world.calls.push({ stage, path, answer, durable: durable() }),
    spend: ({ door }) => call(door),
  };
}

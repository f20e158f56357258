/**
 * Brings the lives of the contract about for an agent that calls models: behind a real wall, with nothing to be reached but the
 * gateway, in front of a model that answers as the life asks.
 */
import { execFileSync } from "node:child_process";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { AgentBackend } from "../../../../src/ports/agents/agent-backend.ts";
import type { Executor } from "../../../../src/ports/executor.ts";
import type { ModelDoor } from "../../../../src/ports/models/model-access.ts";
import type { AgentPlace, AgentStaging, Scenario } from "../../../contract/agent-backend.contract.ts";
import type { Script, Step, ToolUse } from "../../model-api/script.ts";
import type { ModelApi } from "../../model-api/server.ts";
import { executorIn } from "../../process-fixture.ts";
import { openDoor } from "../model-door.ts";

/** An agent that is played with. */
export interface Actor {
  /** As a model of its wire names it. */
  readonly model: string;
  /** Another one that it asks for things of its own. */
  readonly sideModel?: string;
  readonly settings?: JsonObject;
  backend(executor: Executor): AgentBackend;
  /** Calls of its tools, as its model makes them; paths are from the workspace. */
  write(path: string, content: string): ToolUse;
  run(command: string): ToolUse;
  /** What its provider says when it is overloaded. */
  readonly overloaded?: number;
  /** Of a turn whose first call was not made it keeps nothing: its model is asked anew. */
  readonly forgets?: boolean;
}

export interface Staged extends AgentStaging {
  readonly api: ModelApi;
  readonly door: ModelDoor;
}

const USAGE = { input: 1200, cacheRead: 300, output: 40, reasoning: 0 } as const;
const BUDGET = 300_000;
const PLENTY = 1e9;

function scriptOf(actor: Actor, scenario: Scenario): Script {
  const steps = stepsOf(actor, scenario).map((step) => ({ usage: USAGE, ...step }));
  const { sideModel } = actor;
  return {
    steps,
    aux: "A title",
    ...(sideModel === undefined ? {} : { models: { [sideModel]: [{ text: "A title" }] } }),
  };
}

function stepsOf({ write, run, overloaded = 529, forgets = false }: Actor, scenario: Scenario): readonly Step[] {
  switch (scenario) {
    case "answer":
      return [{ text: "All is well." }];
    case "edit":
      return [{ text: "I write.", tools: [write("made.txt", "made by the agent")] }, { text: "Done." }];
    case "denied":
      return [{ tools: [write("denied.txt", "no")] }, { text: "I was not allowed to." }];
    case "asked": {
      const asks = { text: "I write.", tools: [write("asked.txt", "yes")] };
      return [asks, ...(forgets ? [] : [asks]), { text: "Done." }];
    }
    case "budget":
      // It would go on for ever. Each turn is large, but never larger than what an agent takes for its context.
      return [{ text: "Once more.", tools: [write("made.txt", "again")], usage: { ...USAGE, output: 90_000 } }];
    case "rate_limit":
      return [{ error: { status: 429, message: "Rate limit reached for requests" } }];
    case "overload":
      return [{ error: { status: overloaded, message: "The server is overloaded" } }];
    case "auth":
      return [{ error: { status: 401, message: "Incorrect API key provided" } }];
    case "cut":
      return [{ text: "I begin with a long answer and am cut off in the middle of it.", cut: "middle" }];
    case "hang":
      return [{ text: "I wait.", tools: [run("sleep 1000")] }];
    case "structured":
      return [{ text: '{"outcome":"accept","why":"it is right"}' }];
  }
}

/** To be called inside a test. */
export async function stageWith(actor: Actor, scenario: Scenario, place: AgentPlace): Promise<Staged> {
  makeRepository(place.folder);
  const tokens = scenario === "budget" ? BUDGET : PLENTY;
  const { door, api } = await openDoor(scriptOf(actor, scenario), place.root, tokens);
  return {
    backend: actor.backend(executorIn(place.root, { graceMs: 1200 })),
    settings: actor.settings ?? {},
    door,
    api,
    model: actor.model,
    close: async () => void (await door.close()),
  };
}

/** An agent looks for one. */
export function makeRepository(work: string): void {
  // The same commit each time: some agents tell their model which it is.
  const day = "2026-01-02T03:04:05Z";
  const env = { ...process.env, GIT_AUTHOR_DATE: day, GIT_COMMITTER_DATE: day };
  const git = (...args: readonly string[]): unknown =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: work, env, stdio: "ignore" });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-q", "--allow-empty", "-m", "first");
}

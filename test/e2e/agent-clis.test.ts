/**
 * Real agent programs through the gateway against the scripted model API. Those that are installed are tried;
 * PAWL_FULL=1 installs all of them first.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type AgentProgram, agentsFolder, findAgent, installAgent } from "../../scripts/agent-clis.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { ROUTE_SETTINGS } from "../../src/limits/routes/settings.ts";
import { AGENTS, recipeOf } from "../support/agents/recipes.ts";
import { type AgentRun, filesWith, makePlace, runAgent } from "../support/agents/run-agent.ts";
import { tapInFront } from "../support/agents/wire-tap.ts";
import { KEY, meteredIn, routerWith, type Standing, standingGateway } from "../support/gateway/fixture.ts";
import { modelApi } from "../support/model-api/fixture.ts";
import { type Step, totalOf } from "../support/model-api/script.ts";
import type { ModelApi } from "../support/model-api/server.ts";

const isFull = process.env["PAWL_FULL"] === "1";
const tried = AGENTS.filter((agent) => isFull || findAgent(agent) !== null);
const absent = AGENTS.filter((agent) => !tried.includes(agent));

interface Life {
  readonly api: ModelApi;
  readonly gateway: Standing;
  readonly run: AgentRun;
  /** All bytes between the agent and the gateway. */
  readonly heard: string;
}

async function live(agent: AgentProgram, steps: (work: string) => readonly Step[], tokens = 1e9): Promise<Life> {
  const recipe = recipeOf(agent);
  const place = makePlace();
  const models = recipe.sideModel === undefined ? {} : { [recipe.sideModel]: [{ text: "A title" }] };
  const api = await modelApi({ steps: steps(place.work), aux: "A title", models }, { key: KEY });
  const router = routerWith(ROUTE_SETTINGS, createSystemClock());
  const gateway = await standingGateway({ upstream: api.url, caps: { tokens }, router });
  const tap = await tapInFront(gateway.url);
  const { url } = tap;
  const { token } = gateway;
  const run = await runAgent(place, { recipe, program: installAgent(agent), url, token, task: "Write new.txt." });
  await gateway.door.close();
  return { api, gateway, run, heard: tap.heard() };
}

/** Exactly what the API counted, part by part, and nothing lost on the way. */
function expectSameCount({ api, gateway }: Life): void {
  expect(meteredIn(gateway)).toEqual(api.counted());
  expect(gateway.door.use().usage.tokens).toBe(totalOf(api.counted()));
}

function expectKeyHidden({ api, run, heard }: Life): void {
  expect(heard).toContain("HTTP/1.1 200");
  expect(heard).not.toContain(KEY);
  expect(run.environments.length).toBeGreaterThan(0);
  expect(run.environments.filter((text) => text.includes(KEY))).toEqual([]);
  expect(run.stdout + run.stderr).not.toContain(KEY);
  expect(filesWith(KEY, run.home, run.work)).toEqual([]);
  // The provider turns away whoever brings another key.
  expect(api.calls().filter(({ status }) => status === 401)).toEqual([]);
}

/** All texts of a stream of JSON lines, in order: some agents tell an answer in pieces. */
function saidIn(lines: string): string {
  const texts = (value: unknown): string => {
    if (typeof value !== "object" || value === null) return "";
    return Object.entries(value)
      .map(([name, inner]) => (/^(text|content)$/.test(name) && typeof inner === "string" ? inner : texts(inner)))
      .join("");
  };
  return lines
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => texts(JSON.parse(line)))
    .join("");
}

const USAGE = { input: 1200, cacheRead: 300, output: 40, reasoning: 0 } as const;
const answer: Step = { text: "The answer is 42.", usage: USAGE };

test("says which agents are tried", () => {
  const shown = (agents: readonly AgentProgram[]): string =>
    agents.map(({ title, version }) => `${title} ${version}`).join(", ") || "none";
  console.log(`agents tried: ${shown(tried)}; not installed in ${agentsFolder()}: ${shown(absent)}`);
  expect([...tried, ...absent]).toHaveLength(AGENTS.length);
});

describe.for(tried)("$title through the gateway", (agent) => {
  test("gives a plain answer, metered to the token, without ever having the key", async () => {
    const life = await live(agent, () => [answer]);
    expect(saidIn(life.run.stdout)).toContain("The answer is 42.");
    expect(life.run.code).toBe(0);
    expectSameCount(life);
    expectKeyHidden(life);
  });

  test("edits a file, metered to the token, without ever having the key", async () => {
    const life = await live(agent, (work) => [
      { text: "I write.", tools: [recipeOf(agent).write(join(work, "new.txt"), "forty-two")], usage: USAGE },
      { text: "Done.", usage: { ...USAGE, cacheRead: 900 } },
    ]);
    expect(existsSync(join(life.run.work, "new.txt"))).toBe(true);
    expect(readFileSync(join(life.run.work, "new.txt"), "utf8").trim()).toBe("forty-two");
    expect(life.run.code).toBe(0);
    expectSameCount(life);
    expectKeyHidden(life);
  });

  test("stops with one refused call when the budget is reached", async () => {
    // It would go on for ever. Each turn is large, but never larger than what the agent takes for its context.
    const life = await live(
      agent,
      (work) => [
        {
          text: "Once more.",
          tools: [recipeOf(agent).write(join(work, "new.txt"), "forty-two")],
          usage: { ...USAGE, output: 90_000 },
        },
      ],
      300_000,
    );
    const { refused } = life.gateway.door.use();
    expect({ refused, ended: life.run.code !== null }).toEqual({ refused: 1, ended: true });
    expect(life.heard).toContain("HTTP/1.1 402");
    expect(life.api.calls().length).toBeGreaterThan(0);
    expect(totalOf(life.api.counted())).toBeLessThanOrEqual(300_000);
    expectSameCount(life);
  });
});

/**
 * Real agent programs as backends, those that are installed: every life of the contract behind the real wall, where nothing but the
 * gateway can be reached, against the scripted model API. opencode takes minutes, and is tried only with PAWL_FULL=1.
 */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { AgentReport } from "../../src/ports/agents/agent-backend.ts";
import { agentBackendContract, type Scenario } from "../contract/agent-backend.contract.ts";
import { REAL_NAMES, realActor } from "../support/agents/life/actors.ts";
import { recording } from "../support/agents/life/record.ts";
import { type Actor, type Staged, stageWith } from "../support/agents/life/stage.ts";
import { emptyPlace, taskFor } from "../support/agents/life/task.ts";
import { totalOf } from "../support/model-api/script.ts";

const TIME_MS = 180_000;
const isFull = process.env["PAWL_FULL"] === "1";
/** A folder: talks with agents are kept there, as test/contract plays them. */
const kept = process.env["PAWL_RECORD"];
const ALLOW = async () => ({ answer: "allow" }) as const;

const actors = REAL_NAMES.flatMap((name) => {
  const actor = name === "opencode" && !isFull ? null : realActor(name);
  return actor === null ? [] : [{ name, actor }];
});

test("says which agents are tried", () => {
  console.log(`agents tried: ${actors.map(({ name }) => name).join(", ") || "none"}`);
  expect(actors.length).toBeLessThanOrEqual(REAL_NAMES.length);
});

function recorded(actor: Actor, name: string, scenario: Scenario): Actor {
  if (kept === undefined) return actor;
  return { ...actor, backend: (executor) => actor.backend(recording(executor, `${kept}/${name}`, scenario)) };
}

for (const { name, actor } of actors) {
  agentBackendContract(`${name} itself`, {
    stage: (scenario, place) => stageWith(recorded(actor, name, scenario), scenario, place),
    timeoutMs: TIME_MS,
  });
}

describe.for(actors)("$name", { timeout: TIME_MS * 2 }, ({ actor }) => {
  const live = async (staged: Staged, place = emptyPlace()): Promise<AgentReport> => {
    const { backend, settings, door, model = null } = staged;
    const host = { onEvent: () => undefined, decide: ALLOW };
    return backend.run(taskFor(place, { settings, door, model }), host, new AbortController().signal);
  };

  test.for(["answer", "edit", "budget"] as const)("pays for %s to the token", async (scenario) => {
    const place = emptyPlace();
    const staged = await stageWith(actor, scenario, place);
    const { reported } = await live(staged, place);
    const { usage, refused } = await staged.door.close();
    expect(usage.tokens).toBe(totalOf(staged.api.counted()));
    expect(usage.tokens).toBeGreaterThan(0);
    expect(refused > 0).toBe(scenario === "budget");
    // Who ends with an error may say nothing of what it has used.
    if (reported !== null) expect(reported.tokens).toBe(usage.tokens);
  });

  test("is lost when somebody interrupts it, and leaves nothing", async () => {
    const place = emptyPlace();
    const staged = await stageWith(actor, "hang", place);
    const running = live(staged, place);
    await expect.poll(() => processesIn(place.root, "sleep").length, { timeout: 60_000 }).toBeGreaterThan(0);
    for (const pid of processesIn(place.root, "/run/pawl/agent")) process.kill(pid, "SIGINT");
    const { outcome } = await running;
    expect(outcome).toMatchObject({ kind: "failed", why: "lost" });
    expect(processesIn(place.root, "")).toEqual([]);
  });

  test("is there, in a version that was tested", async () => {
    const { backend } = await stageWith(actor, "answer", emptyPlace());
    expect(await backend.probe()).toMatchObject({ inRange: true, hint: null });
  });
});

/** Processes whose workspace is the one of the place and that have the words among their arguments. */
function processesIn(root: string, words: string): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const isThere = readFileSync(`/proc/${name}/mountinfo`, "utf8").includes(root);
      const said = readFileSync(`/proc/${name}/cmdline`, "utf8");
      return isThere && said !== "" && said.includes(words) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

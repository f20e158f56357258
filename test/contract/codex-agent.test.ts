/** Codex: the contract over talks that were recorded with the real program, played by a small one behind the wall. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createCodexBackend } from "../../src/adapters/agents/codex/backend.ts";
import type { JsonValue } from "../../src/base/json.ts";
import { bundlePeer } from "../support/agents/life/bundle.ts";
import { pathWith } from "../support/agents/life/on-path.ts";
import { type Actor, stageWith } from "../support/agents/life/stage.ts";
import { agentBackendContract, type Scenario } from "./agent-backend.contract.ts";

const TALKS = join(import.meta.dirname, "../support/agents/life/codex-talks");

function talk(name: string): readonly JsonValue[] {
  const file = join(TALKS, `${name}.jsonl`);
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonValue);
}

async function playing(scenario: Scenario): Promise<Actor> {
  const takes = { started: talk(scenario), resumed: talk(`${scenario}.resumed`), hangs: scenario === "hang" };
  const path = pathWith({ codex: await bundlePeer("codex-peer.ts", { TAKES: takes }) });
  const nothing = { name: "none", args: {} };
  return {
    model: "gpt-5.5",
    write: () => nothing,
    run: () => nothing,
    backend: (executor) => createCodexBackend({ executor, root: "/nowhere", path, nodeProgram: process.execPath }),
  };
}

agentBackendContract("Codex, as it was recorded", {
  stage: async (scenario, place) => stageWith(await playing(scenario), scenario, place),
});

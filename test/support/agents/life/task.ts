/** A task of one attempt, as the kernel would give it. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { SandboxMode } from "../../../../src/blueprint/blueprint.ts";
import type { AgentTask } from "../../../../src/ports/agents/agent-backend.ts";
import type { AgentPlace } from "../../../contract/agent-backend.contract.ts";
import { requestOf, wallOf } from "../../process-fixture.ts";
import { tempDir } from "../../temp-dir.ts";

/** To be called inside a test. */
export function emptyPlace(): AgentPlace {
  const root = tempDir();
  const place = { root, folder: join(root, "w"), home: join(root, "h") };
  for (const folder of [place.folder, place.home]) mkdirSync(folder);
  return place;
}

const TIME_MS = 180_000;

export function taskFor(
  place: AgentPlace,
  change: Partial<AgentTask>,
  sandbox: SandboxMode = "workspace_write",
): AgentTask {
  const how = { folder: place.folder, wall: wallOf(sandbox), timeoutMs: TIME_MS };
  const { argv: _, env: __, capture: ___, ...process } = requestOf([], how);
  return {
    ...{
      prompt: "Do what you are told.",
      system: "Be good.",
      model: null,
      maxTurns: null,
      schema: null,
      toolset: null,
    },
    ...{ settings: {}, session: null, goesOn: null, home: place.home, round: 1, lastError: null, process, door: null },
    ...change,
  };
}

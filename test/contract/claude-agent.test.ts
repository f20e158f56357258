/** Claude Code: played from what was recorded of it, and the program itself where it is installed. */

import { createServer } from "node:net";
import { join } from "node:path";
import { AGENT_PROGRAMS, findAgent } from "../../scripts/agent-clis.ts";
import { createClaudeAgent } from "../../src/adapters/agents/claude/claude-agent.ts";
import { listenIn } from "../../src/adapters/egress/socket-folder.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";
import { gatewayVariables } from "../../src/gateway/variables.ts";
import { ROUTE_SETTINGS } from "../../src/limits/routes/settings.ts";
import type { ModelDoor } from "../../src/ports/models/model-access.ts";
import { BEHIND } from "../../src/ports/sandbox.ts";
import { makePeer } from "../support/agents/recorded/claude-peer.ts";
import { recording } from "../support/agents/recorded/recording.ts";
import { CALM } from "../support/gateway/calm.ts";
import { KEY, routerWith, standingGateway } from "../support/gateway/fixture.ts";
import { modelApi } from "../support/model-api/fixture.ts";
import type { Step } from "../support/model-api/script.ts";
import { executorIn } from "../support/process-fixture.ts";
import { agentBackendContract, type Scenario } from "./agent-backend.contract.ts";

const [claude] = AGENT_PROGRAMS.filter(({ name }) => name === "claude");
const version = claude?.version ?? "";
const program = claude === undefined ? null : findAgent(claude);
/** Where it is installed, PAWL_RECORD=1 writes the recordings anew. */
const isRecording = process.env["PAWL_RECORD"] === "1";

const USAGE = { input: 1200, cacheRead: 300, output: 40 } as const;
const write = (file: string): Step => ({
  text: "I write.",
  tools: [{ name: "Write", args: { file_path: `/workspace/${file}`, content: "made by the agent\n" } }],
  usage: USAGE,
});
const done: Step = { text: "All is well.", usage: USAGE };

const STEPS: Readonly<Record<Scenario, readonly Step[]>> = {
  answer: [done],
  edit: [write("made.txt"), done],
  denied: [write("denied.txt"), done],
  asked: [write("asked.txt"), done],
  budget: [done],
  rate_limit: [{ error: { status: 429 } }],
  overload: [{ error: { status: 529 } }],
  auth: [{ error: { status: 401 } }],
  cut: [{ text: "All is not yet", cut: "middle" }],
  hang: [{ text: "I wait.", tools: [{ name: "Bash", args: { command: "sleep 1000" } }], usage: USAGE }, done],
  structured: [
    { text: "s", tools: [{ name: "StructuredOutput", args: { outcome: "accept", why: "it is right" } }], usage: USAGE },
    done,
  ],
};

/** A way that leads to nobody: what is recorded needs no model. */
async function deadDoor(root: string): Promise<{ door: ModelDoor; close: () => Promise<void> }> {
  const server = createServer((socket) => socket.destroy());
  const socket = await listenIn(join(root, "s"), server);
  const use = { usage: { tokens: 0, microUsd: 0 }, calls: 0, refused: 0, missed: 0, parkedUntil: null };
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return { door: { env: {}, socket, ...CALM, close: async () => use }, close };
}

agentBackendContract("Claude Code as it was recorded", {
  async stage(scenario, { root }) {
    const again = scenario === "asked" || scenario === "answer" ? "-again" : "";
    const peer = makePeer(join(root, "peer"), version, `claude/${scenario}`, `claude/${scenario}${again}`);
    const { door, close } = await deadDoor(root);
    const backend = createClaudeAgent({ executor: executorIn(root), root, path: "", program: peer });
    return { backend, settings: {}, door, close };
  },
});

async function liveDoor(scenario: Scenario, root: string): Promise<ModelDoor> {
  const api = await modelApi({ steps: STEPS[scenario] }, { key: KEY });
  const router = routerWith(ROUTE_SETTINGS, createSystemClock());
  const caps = { tokens: scenario === "budget" ? 10 : 1e9 };
  const { gateway, token, door } = await standingGateway({ upstream: api.url, caps, router });
  const socket = await gateway.listenAt((server) => listenIn(join(root, "s"), server));
  return { ...door, env: gatewayVariables(`http://127.0.0.1:${BEHIND.modelsPort}`, token), socket };
}

if (program !== null) {
  agentBackendContract("Claude Code", {
    async stage(scenario, { root }) {
      const nameOf = (argv: readonly string[]): string =>
        `claude/${scenario}${argv.includes("--resume") ? "-again" : ""}`;
      const plain = executorIn(root);
      const executor = isRecording ? recording(plain, nameOf) : plain;
      const backend = createClaudeAgent({ executor, root, path: "", program });
      return { backend, settings: {}, door: await liveDoor(scenario, root), model: "claude-sonnet-4-5" };
    },
  });
}

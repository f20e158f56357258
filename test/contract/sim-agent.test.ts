/** The agent of the simulation keeps the contract of every other one. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentOutcome } from "../../src/ports/agents/agent-backend.ts";
import { createSimAgent, type SimStep } from "../simulation/sim-agent.ts";
import { agentBackendContract, type Scenario } from "./agent-backend.contract.ts";

const failed = (why: Extract<AgentOutcome, { kind: "failed" }>["why"]): SimStep => ({
  end: { kind: "failed", why, error: "so it is" },
});
const DONE: SimStep = { say: "Done." };

const STEPS: Readonly<Record<Scenario, readonly SimStep[]>> = {
  answer: [{ say: "All is well." }],
  edit: [{ edit: "made.txt", id: "1" }, DONE],
  denied: [{ edit: "denied.txt", id: "1" }, DONE],
  asked: [{ edit: "asked.txt", id: "1" }, DONE],
  budget: [{ spend: true }, { end: { kind: "budget", error: "no money left" } }],
  rate_limit: [failed("rate_limited")],
  overload: [failed("overloaded")],
  auth: [failed("auth")],
  cut: [{ say: "I be" }, failed("lost")],
  hang: [{ say: "…" }, { work: true }],
  structured: [{ answer: { outcome: "accept", why: "it is right" } }],
};

agentBackendContract("the agent of the simulation", {
  async stage(scenario) {
    const backend = createSimAgent(() => STEPS[scenario], {
      spend: async () => undefined,
      edit: ({ process }, path) => writeFileSync(join(process.folder ?? "", path), "made by the agent\n"),
      work: (_task, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve(false), { once: true });
        }),
      pause: async () => undefined,
      ruled: () => undefined,
    });
    return { backend, settings: {} };
  },
});

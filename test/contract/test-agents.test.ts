/** The agents that tests of the kernel play with keep the contract of every other one: what they are told is all that differs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentBackend, AgentOutcome, AgentReport } from "../../src/ports/agents/agent-backend.ts";
import { createTestAgents, editCall, type Play } from "../support/test-agents.ts";
import { agentBackendContract, type Scenario } from "./agent-backend.contract.ts";

const says =
  (text: string): Play =>
  async ({ session }, { onEvent }) => {
    onEvent({ type: "text", text });
    return { text, session: session ?? "s1" };
  };

const ends =
  (outcome: AgentOutcome): Play =>
  async () => ({ outcome, text: "" });
const fails = (why: Extract<AgentOutcome, { kind: "failed" }>["why"]): Play =>
  ends({ kind: "failed", why, error: "so it is" });

/** Asks, and does what it was allowed to. */
const edits =
  (path: string): Play =>
  async ({ process }, { decide }): Promise<Partial<AgentReport>> => {
    const call = editCall(path);
    const ruling = await decide(call);
    if (ruling.answer === "defer") return { outcome: { kind: "deferred", call }, session: "s1" };
    if (ruling.answer === "allow") writeFileSync(join(process.folder ?? "", path), "made by the agent\n");
    return {};
  };

const hangs: Play = (_task, { onEvent }, signal) => {
  onEvent({ type: "session", session: "s1" });
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ outcome: { kind: "cancelled" }, session: "s1" }), { once: true });
  });
};

const PLAYS: Readonly<Record<Scenario, Play>> = {
  answer: says("All is well."),
  edit: edits("made.txt"),
  denied: edits("denied.txt"),
  asked: edits("asked.txt"),
  budget: ends({ kind: "budget", error: "no money left" }),
  rate_limit: fails("rate_limited"),
  overload: fails("overloaded"),
  auth: fails("auth"),
  cut: fails("lost"),
  hang: hangs,
  structured: async () => ({ output: { outcome: "accept", why: "it is right" } }),
};

agentBackendContract("the agents of tests", {
  async stage(scenario) {
    const backend = createTestAgents(PLAYS[scenario]).backends.get("asks") as AgentBackend;
    return { backend, settings: {} };
  },
});

/** Agents in memory: each attempt does what a function says, and homes forget nothing. */
import type { RunId } from "../../src/base/ids.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { PolicyRequest } from "../../src/policy/request.ts";
import type { AgentAccess } from "../../src/ports/agents/agent-access.ts";
import type {
  AgentBackend,
  AgentHost,
  AgentReport,
  AgentTask,
  ToolCall,
} from "../../src/ports/agents/agent-backend.ts";
import { TEST_AGENTS } from "./plan-from-yaml.ts";

export type Play = (task: AgentTask, host: AgentHost, signal: AbortSignal) => Promise<Partial<AgentReport>>;

export interface TestAgents extends AgentAccess {
  /** Every task that was begun. */
  readonly tasks: AgentTask[];
  readonly left: RunId[];
}

const COMPLETED: AgentReport = { outcome: { kind: "completed" }, text: "done", session: null, reported: null };

export function createTestAgents(play: Play = async () => ({})): TestAgents {
  const tasks: AgentTask[] = [];
  const left: RunId[] = [];
  const sessions = new Map<string, string | null>();
  const backends = TEST_AGENTS.map(
    (signature): AgentBackend => ({
      ...signature,
      probe: async () => ({ version: "1", program: null, tested: null, inRange: true, hint: null }),
      async run(task, host, signal) {
        if (signal.aborted) return { ...COMPLETED, outcome: { kind: "cancelled" }, text: "" };
        tasks.push(task);
        return { ...COMPLETED, ...(await play(task, host, signal)) };
      },
    }),
  );
  return {
    tasks,
    left,
    backends: {
      get: (name) => backends.find((each) => each.name === name),
      names: () => backends.map(({ name }) => name),
    },
    homes: {
      open: async (run, stage, visit) => {
        const key = `${run}/${stage}/${visit}`;
        return {
          folder: `/homes/${stage}`,
          session: sessions.get(key) ?? null,
          keep: async (session) => void sessions.set(key, session),
        };
      },
      leave: async (run) => void left.push(run),
      kept: async () => [],
    },
    redact: (text) => text.replaceAll("s3cret", "[redacted]"),
    patch: async (from, to) => `patch from ${from.slice(0, 4)} to ${to.slice(0, 4)}`,
  };
}

export function callFor(tool: string, input: JsonObject, ...requests: readonly PolicyRequest[]): ToolCall {
  return { id: `${tool}-1`, tool, input, requests };
}

export function editCall(path: string): ToolCall {
  return callFor("edit", { path }, { kind: "edit", path });
}

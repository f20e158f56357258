/** The backends of agents that this program has. What they say of themselves is known at once; their code is loaded with their first use. */
import { sharedAttempt } from "../../base/shared-attempt.ts";
import type { AgentSignature } from "../../plan/agents/agent-signature.ts";
import type { AgentBackend, AgentBackends } from "../../ports/agents/agent-backend.ts";

export interface AgentEntry {
  readonly signature: AgentSignature;
  load(): Promise<Pick<AgentBackend, "probe" | "run">>;
}

export function createAgentBackends(entries: readonly AgentEntry[]): AgentBackends {
  const backends = new Map(entries.map(({ signature, load }) => [signature.name, lazy(signature, load)]));
  return { get: (name) => backends.get(name), names: () => [...backends.keys()] };
}

function lazy(signature: AgentSignature, load: AgentEntry["load"]): AgentBackend {
  const backend = sharedAttempt(load).get;
  return {
    ...signature,
    probe: async () => (await backend()).probe(),
    run: async (task, host, signal) => (await backend()).run(task, host, signal),
  };
}

/** What plans are checked against. */
export function signaturesOf(backends: AgentBackends): readonly AgentSignature[] {
  return backends.names().flatMap((name) => backends.get(name) ?? []);
}

/** Agents of vendors that are installed on this machine, and whether there is a key for what they ask. */
import type { AgentBackends } from "../../ports/agents/agent-backend.ts";

export interface AgentHere {
  readonly name: string;
  readonly version: string;
  /** Whose key it needs; null: any. */
  readonly provider: string | null;
  readonly hasKey: boolean;
}

/** In the order in which one is chosen. */
const PROVIDER_OF: readonly (readonly [agent: string, provider: string | null])[] = [
  ["claude", "anthropic"],
  ["codex", "openai"],
  ["gemini", "google"],
  ["opencode", null],
];

export async function agentsHere(
  agents: AgentBackends,
  keys: () => Promise<ReadonlySet<string>>,
): Promise<readonly AgentHere[]> {
  const known = await keys();
  const probed = await Promise.all(
    PROVIDER_OF.map(async ([name, provider]): Promise<readonly AgentHere[]> => {
      const version = (await agents.get(name)?.probe())?.version ?? null;
      const hasKey = provider === null ? known.size > 0 : known.has(provider);
      return version === null ? [] : [{ name, version, provider, hasKey }];
    }),
  );
  return probed.flat();
}

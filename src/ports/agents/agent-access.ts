/** AgentAccess: what the kernel needs to let an agent work. */
import type { AgentBackends } from "./agent-backend.ts";
import type { AgentHomes } from "./agent-homes.ts";

export interface AgentAccess {
  readonly backends: AgentBackends;
  readonly homes: AgentHomes;
  /** Masks secrets in a text before it is stored. */
  redact(text: string): string;
  /** What changed from one tree to another, as a patch; longer ones are cut, and say so. */
  patch(from: string, to: string, maxBytes: number): Promise<string>;
}

import { describe, expect, it } from "vitest";
import type { AgentBackends } from "../../ports/agents/agent-backend.ts";
import { agentsHere } from "./agents-here.ts";

const installed = (versions: Readonly<Record<string, string | null>>): AgentBackends =>
  ({
    names: () => Object.keys(versions),
    get: (name: string) =>
      name in versions ? { probe: () => Promise.resolve({ version: versions[name] ?? null }) } : undefined,
  }) as unknown as AgentBackends;

describe("agents on this machine", () => {
  it("are those that say a version, each with whether there is a key for it", async () => {
    const keys = (...names: string[]) => Promise.resolve(new Set(names));
    const agents = installed({ claude: "2.1.0", codex: "1.0.0", gemini: null, opencode: "3.0.0" });
    expect(await agentsHere(agents, () => keys("openai"))).toEqual([
      { name: "claude", version: "2.1.0", provider: "anthropic", hasKey: false },
      { name: "codex", version: "1.0.0", provider: "openai", hasKey: true },
      { name: "opencode", version: "3.0.0", provider: null, hasKey: true },
    ]);
    expect(await agentsHere(installed({}), () => keys())).toEqual([]);
  });
});

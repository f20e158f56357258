/** Grok Build. It asks before it changes a file; commands that it takes for harmless it runs without asking. */

import type { AcpPreset } from "./preset.ts";
import { GROK_SIGNATURE } from "./signatures.ts";

const MODEL = "gpt-5.5";
const SYSTEM = `${process.platform}-${process.arch}`;

/** What it would take over from the settings of other agents. */
const FOREIGN = Object.fromEntries(
  ["CURSOR", "CLAUDE", "CODEX"].flatMap((agent) =>
    ["SKILLS", "RULES", "AGENTS", "MCPS", "HOOKS", "SESSIONS"].map((part) => [`GROK_${agent}_${part}_ENABLED`, "0"]),
  ),
);

export const GROK: AcpPreset = {
  signature: GROK_SIGNATURE,
  program: { name: "grok", native: [{ pkg: `@xai-official/grok-${SYSTEM}`, path: "bin/grok" }] },
  tested: { title: "Grok Build", install: "npm install -g @xai-official/grok", range: ["1.0.41", "1.0.41"] },
  settings: ({ url, token, model }) => ({
    args: ["agent", "stdio"],
    env: {
      GROK_HOME: "/home/pawl/.grok",
      GATEWAY_KEY: token,
      // After its last word it would ask for a line about it, and leave before the answer.
      GROK_TURN_SUMMARY: "0",
      GROK_SESSION_RECAP: "0",
      GROK_TURN_TRANSIENT_RETRY: "0",
      ...FOREIGN,
    },
    kept: [".grok/sessions"],
    files: { ".grok/config.toml": configOf(model ?? MODEL, `${url}/v1`) },
  }),
};

function configOf(model: string, url: string): string {
  return `[cli]
auto_update = false
[features]
telemetry = false
feedback = false
remote_fetch = false
[telemetry]
trace_upload = false
[models]
default = "gateway"
[model.gateway]
model = ${JSON.stringify(model)}
base_url = ${JSON.stringify(url)}
env_key = "GATEWAY_KEY"
api_backend = "chat_completions"
context_window = 200000
max_retries = 1
rate_limit_retry_threshold = 1
`;
}

/** Grok Build. */
import { join } from "node:path";
import type { Recipe } from "./recipe.ts";

export const GROK: Recipe = {
  name: "grok",
  wire: "chat",
  sideModel: "grok-4.6",
  run: ({ program, home, url, token }, task) => ({
    argv: [program, "-p", task, "--output-format", "streaming-messages-json", "--always-approve"],
    // After its last word it would ask for a line about it, and leave before the answer.
    env: { GROK_HOME: join(home, "grok"), GATEWAY_KEY: token, GROK_TURN_SUMMARY: "0", GROK_SESSION_RECAP: "0" },
    files: {
      [join(home, "grok", "config.toml")]: `
[cli]
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
model = "gpt-5.5"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
api_backend = "chat_completions"
context_window = 200000
`,
    },
  }),
  write: (path, content) => ({ name: "write", args: { file_path: path, content } }),
};

/**
 * Codex. Its own sandbox lays empty `.git` folders over every folder that it may write, for a moment also on the host: in the
 * folder of all temporary files that would make one project of the projects of all other tests.
 */
import { join } from "node:path";
import type { Recipe } from "./recipe.ts";

export const CODEX: Recipe = {
  name: "codex",
  wire: "responses",
  run: ({ program, home, work, url, token }, task) => ({
    argv: [program, "exec", "--json", "-s", "workspace-write", task],
    env: { CODEX_HOME: join(home, "codex"), GATEWAY_KEY: token },
    files: {
      [join(home, "codex", "config.toml")]: `
model = "gpt-5.5"
model_provider = "gateway"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
[model_providers.gateway]
name = "gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects."${work}"]
trust_level = "untrusted"
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
`,
    },
  }),
  write: (path, content) => ({
    name: "apply_patch",
    args: {},
    text: `*** Begin Patch\n*** Add File: ${path}\n${content.replace(/^/gm, "+")}\n*** End Patch\n`,
  }),
};

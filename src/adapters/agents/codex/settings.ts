/** How Codex is started: its model is the gateway, nothing of the repository runs, nobody hears of it. */
import type { CliSettings, ModelAddress } from "../cli/run-cli.ts";

/** What is not a command and not a change of a file would be done without asking, or would call a model of its own accord. */
const OFF = [
  "apps",
  "browser_use",
  "browser_use_external",
  "computer_use",
  "goals",
  "guardian_approval",
  "image_generation",
  "in_app_browser",
  "memories",
  "multi_agent",
  "plugins",
  "remote_plugin",
  "skill_mcp_dependency_install",
  "tool_suggest",
  "unified_exec",
  "unified_exec_tty",
  "view_image",
  "workspace_dependencies",
];

export const CODEX_MODEL = "gpt-5.5";

export function codexSettings({ url, token }: ModelAddress, cwd: string): CliSettings {
  return {
    args: ["app-server"],
    env: { CODEX_HOME: "/home/pawl/.codex", GATEWAY_KEY: token },
    kept: [".codex/sessions"],
    files: { ".codex/config.toml": configOf(`${url}/v1`, cwd) },
  };
}

/** What is excluded below is where its own sandbox, should it be used, would lay empty folders. */
function configOf(url: string, cwd: string): string {
  return `model_provider = "gateway"
check_for_update_on_startup = false
web_search = "disabled"
[analytics]
enabled = false
[features]
${OFF.map((name) => `${name} = false`).join("\n")}
[model_providers.gateway]
name = "gateway"
base_url = ${JSON.stringify(url)}
env_key = "GATEWAY_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
[projects.${JSON.stringify(cwd)}]
trust_level = "untrusted"
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
`;
}

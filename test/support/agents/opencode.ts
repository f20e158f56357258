/** opencode. */
import { join } from "node:path";
import type { Recipe } from "./recipe.ts";

export const OPENCODE: Recipe = {
  name: "opencode",
  wire: "chat",
  run: ({ program, home, url, token }, task) => ({
    argv: [program, "run", "--format", "json", task],
    env: {
      XDG_CONFIG_HOME: join(home, "config"),
      XDG_DATA_HOME: join(home, "data"),
      XDG_CACHE_HOME: join(home, "cache"),
      XDG_STATE_HOME: join(home, "state"),
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_DISABLE_AUTOCOMPACT: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        autoupdate: false,
        share: "disabled",
        model: "gateway/gpt-4.1",
        small_model: "gateway/gpt-4.1",
        enabled_providers: ["gateway"],
        permission: { "*": "allow" },
        provider: {
          gateway: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: token },
            models: { "gpt-4.1": { limit: { context: 200_000, output: 8000 }, tool_call: true } },
          },
        },
      }),
    },
  }),
  write: (path, content) => ({ name: "write", args: { filePath: path, content } }),
};

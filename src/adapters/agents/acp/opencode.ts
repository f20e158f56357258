/** opencode. Settings and plugins of the repository are off, and so is its compaction, which can go round for ever. */

import { isJsonObject } from "../../../base/json.ts";
import type { AcpPreset } from "./preset.ts";
import { OPENCODE_SIGNATURE } from "./signatures.ts";
import type { ToldCall } from "./tool-call.ts";

const MODEL = "gpt-5.5";
const SYSTEM = `${process.platform}-${process.arch}`;
const LIMIT = { context: 200_000, output: 32_000 };

export const OPENCODE: AcpPreset = {
  signature: OPENCODE_SIGNATURE,
  program: {
    name: "opencode",
    native: [`opencode-${SYSTEM}`, `opencode-${SYSTEM}-baseline`].map((pkg) => ({ pkg, path: "bin/opencode" })),
  },
  tested: { title: "opencode", install: "npm install -g opencode-ai", range: ["1.18.33", "1.18.33"] },
  settings: ({ url, token, model }) => ({
    args: ["acp"],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      OPENCODE_DISABLE_PROJECT_CONFIG: "1",
      OPENCODE_DISABLE_AUTOCOMPACT: "1",
      OPENCODE_DISABLE_CLAUDE_CODE: "1",
      OPENCODE_DISABLE_EXTERNAL_SKILLS: "1",
      OPENCODE_DISABLE_SHARE: "1",
      OPENCODE_PURE: "1",
      OPENCODE_CONFIG_CONTENT: JSON.stringify(configOf(model ?? MODEL, `${url}/v1`, token)),
    },
    kept: ["opencode.db", "opencode.db-shm", "opencode.db-wal", "storage"].map(
      (name) => `.local/share/opencode/${name}`,
    ),
    files: {},
    // Plugins that lie there run although projects are off.
    hidden: [".opencode"],
  }),
  plain: withFiles,
};

/** A patch names its files one by one, and once more all in one text, which is the name of no file. */
function withFiles(told: ToldCall): ToldCall {
  const input = told["rawInput"];
  if (!isJsonObject(input) || !Array.isArray(input["files"])) return told;
  const { filepath: _, ...rest } = input;
  const named = input["files"].filter(isJsonObject).flatMap(({ filePath, movePath }) => [filePath, movePath]);
  const locations = named.flatMap((path) => (typeof path === "string" ? [{ path }] : []));
  return { ...told, rawInput: rest, locations };
}

function configOf(model: string, baseURL: string, apiKey: string): unknown {
  return {
    autoupdate: false,
    share: "disabled",
    model: `gateway/${model}`,
    small_model: `gateway/${model}`,
    enabled_providers: ["gateway"],
    permission: { "*": "ask" },
    // Else it stops at the first call that is denied.
    experimental: { continue_loop_on_deny: true },
    provider: {
      gateway: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL, apiKey },
        models: { [model]: { limit: LIMIT, tool_call: true } },
      },
    },
  };
}

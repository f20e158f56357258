/** Gemini CLI. A folder that it does not trust gives it neither hooks nor servers nor settings; asking works there all the same. */

import type { AcpPreset } from "./preset.ts";
import { GEMINI_SIGNATURE } from "./signatures.ts";

const MODEL = "gemini-2.5-pro";

export const GEMINI: AcpPreset = {
  signature: GEMINI_SIGNATURE,
  program: { name: "gemini" },
  tested: { title: "Gemini CLI", install: "npm install -g @google/gemini-cli", range: ["0.61.0", "0.61.0"] },
  settings: ({ url, token, model }) => ({
    args: ["--acp", "-m", model ?? MODEL],
    env: {
      GEMINI_API_KEY: token,
      GOOGLE_GEMINI_BASE_URL: url,
      // Else it runs a copy of itself, which does not hear what its parent is told.
      GEMINI_CLI_NO_RELAUNCH: "true",
    },
    kept: [],
    files: {
      ".gemini/settings.json": JSON.stringify({
        general: { enableAutoUpdate: false, maxAttempts: 2, retryFetchErrors: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: true } },
      }),
    },
  }),
  // The name of the tool begins the id, and a command that is asked about is its own title.
  plain: (told) => {
    const name = String(told["toolCallId"]).split("__")[0] ?? "";
    const isCommand = told["kind"] === "execute" && told["rawInput"] === undefined;
    return { ...told, name, ...(isCommand ? { rawInput: { command: told["title"] ?? null } } : {}) };
  },
};

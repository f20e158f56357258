/** Gemini CLI. */
import { join } from "node:path";
import type { Recipe } from "./recipe.ts";

export const GEMINI: Recipe = {
  name: "gemini",
  wire: "gemini",
  run: ({ program, home, url, token }, task) => ({
    argv: [program, ...["-m", "gemini-2.5-flash", "-p", task], ...["-o", "stream-json", "--approval-mode", "yolo"]],
    env: {
      GEMINI_API_KEY: token,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_NO_RELAUNCH: "true",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    },
    files: {
      [join(home, ".gemini", "settings.json")]: JSON.stringify({
        general: { enableAutoUpdate: false, maxAttempts: 2, retryFetchErrors: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" } },
      }),
    },
  }),
  write: (path, content) => ({ name: "write_file", args: { file_path: path, content } }),
};

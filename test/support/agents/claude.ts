/** Claude Code. */
import { join } from "node:path";
import type { Recipe } from "./recipe.ts";

export const CLAUDE: Recipe = {
  name: "claude",
  wire: "anthropic",
  run: ({ program, home, url, token }, task) => ({
    argv: [
      program,
      "-p",
      task,
      ...["--output-format", "stream-json", "--verbose"],
      ...["--setting-sources=", "--strict-mcp-config"],
      ...["--permission-mode", "acceptEdits", "--model", "claude-sonnet-4-5"],
    ],
    env: {
      CLAUDE_CONFIG_DIR: join(home, "claude"),
      CLAUDE_CODE_TMPDIR: join(home, "tmp"),
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: token,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
    },
  }),
  write: (path, content) => ({ name: "Write", args: { file_path: path, content } }),
};

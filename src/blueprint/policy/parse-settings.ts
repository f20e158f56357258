/** What `pawl.yaml` says about how runs are hosted. */
import { ok, type Result } from "../../base/result.ts";
import { parseProjectText } from "../parse-text.ts";
import { REPOSITORY_FILE } from "./repository-file.ts";

export interface Settings {
  /** A run that rests until a time goes on by itself. */
  readonly autoResume: boolean;
}

const DEFAULTS: Settings = { autoResume: true };

export function parseSettings(text: string, file: string): Result<Settings> {
  const parsed = parseProjectText<Settings>(text, file, (tree, reading) => {
    const found = REPOSITORY_FILE.read(tree, reading, "pawl.yaml");
    return { autoResume: found?.auto_resume?.value ?? DEFAULTS.autoResume };
  });
  const saysNothing = !parsed.ok && parsed.problems.every(({ code }) => code === "BLUEPRINT_TEXT_EMPTY");
  return saysNothing ? ok(DEFAULTS) : parsed;
}

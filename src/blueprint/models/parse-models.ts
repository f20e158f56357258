/** Routes that people write: in a file of the user, and under `models` in `pawl.yaml`. A file that says nothing changes nothing. */
import { ok, type Result } from "../../base/result.ts";
import type { RouteDraft } from "../../limits/routes/settings.ts";
import { parseProjectText, parseText } from "../parse-text.ts";
import { REPOSITORY_FILE } from "../policy/repository-file.ts";
import { MODELS } from "./model-fields.ts";
import { NO_ROUTES, readModels } from "./read-models.ts";

/** Of a user, in a file of their own. */
export function parseModels(text: string, file: string): Result<RouteDraft> {
  return orNothing(
    parseText(text, file, (tree, reading) => {
      const found = MODELS.read(tree, reading, "the models");
      return found === undefined ? undefined : readModels(found, reading);
    }),
  );
}

/** In `pawl.yaml`. */
export function parseRepositoryModels(text: string, file: string): Result<RouteDraft> {
  return orNothing(
    parseProjectText(text, file, (tree, reading) => {
      const found = REPOSITORY_FILE.read(tree, reading, "pawl.yaml")?.models?.value;
      return found === undefined ? NO_ROUTES : readModels(found, reading);
    }),
  );
}

function orNothing(parsed: Result<RouteDraft>): Result<RouteDraft> {
  const saysNothing = !parsed.ok && parsed.problems.every(({ code }) => code === "BLUEPRINT_TEXT_EMPTY");
  return saysNothing ? ok(NO_ROUTES) : parsed;
}

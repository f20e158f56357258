/** Routes that people have written: those of the project win over those of the user, but raise no rate. */
import { PawlError } from "../../base/errors.ts";
import { ok, type Result } from "../../base/result.ts";
import { parseModels, parseRepositoryModels } from "../../blueprint/models/parse-models.ts";
import { NO_ROUTES } from "../../blueprint/models/read-models.ts";
import { mergeRoutes, type RouteDraft, type RouteSettings } from "../../limits/routes/settings.ts";
import { projectPlace, readPolicyText } from "../policy/read-policy-text.ts";

/** Throws every problem of both files. */
export async function loadRoutes(root: string, userFile: string): Promise<RouteSettings> {
  const user = { path: userFile, shown: userFile, isRequired: false, outside: root };
  const project = projectPlace(root);
  const drafts = [await load(user, parseModels), await load(project, parseRepositoryModels)];
  const problems = drafts.flatMap((draft) => (draft.ok ? [] : draft.problems));
  if (problems.length > 0) throw new PawlError(problems);
  return mergeRoutes(drafts.flatMap((draft) => (draft.ok ? [draft.value] : [])));
}

async function load(
  place: Parameters<typeof readPolicyText>[0],
  parse: (text: string, file: string) => Result<RouteDraft>,
): Promise<Result<RouteDraft>> {
  const text = await readPolicyText(place);
  if (!text.ok) return text;
  return text.value === null ? ok(NO_ROUTES) : parse(text.value, place.shown);
}

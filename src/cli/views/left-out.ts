/** What a person is told of changed files that a run does not see. */
import { visibleLine } from "../../base/visible.ts";

const MOST_NAMED = 3;
const LONGEST_NAME = 60;

/** null: there are none. */
export function renderLeftOut(paths: readonly string[]): string | null {
  if (paths.length === 0) return null;
  const named = paths.slice(0, MOST_NAMED).map((path) => visibleLine(path, LONGEST_NAME));
  const names = paths.length > named.length ? [...named, "…"] : named;
  const found = paths.length === 1 ? "1 changed file is" : `${paths.length} changed files are`;
  return `${found} not in this run, which starts from the last commit: ${names.join(", ")}. To include them, write \`workspace: { from: working_tree }\`.`;
}

/** What an agent has changed, judged by the rules for edits: they hold for every backend, whatever it asks before. */
import type { TreeReader } from "../../ports/trees.ts";
import type { Court } from "./ruling.ts";

const MOST_NAMED = 5;

/** Why the change must not be taken; null: every path of it may be changed. */
export async function changeProblem(
  from: string,
  to: string,
  project: string,
  { edit }: Court,
  trees: Pick<TreeReader, "changes">,
): Promise<string | null> {
  if (from === to) return null;
  const changes = await trees.changes(from, to);
  const paths = new Set(changes.flatMap(({ path, oldPath }) => (oldPath === undefined ? [path] : [path, oldPath])));
  const denied = [...paths].flatMap((path) => {
    const decision = edit(inProject(path, project));
    return decision === null ? [] : [{ path, rule: decision.rule }];
  });
  if (denied.length === 0) return null;
  const named = denied.slice(0, MOST_NAMED).map(({ path, rule }) => `${path} (${rule})`);
  const more = denied.length > MOST_NAMED ? ` and ${denied.length - MOST_NAMED} more` : "";
  return `policy does not let it change ${named.join(", ")}${more}: nothing of its change was taken`;
}

/** Paths of rules count from the project; what lies beside it begins with `../`. */
function inProject(path: string, project: string): string {
  if (project === "") return path;
  const folders = project.split("/");
  const parts = path.split("/");
  let shared = 0;
  while (shared < folders.length && folders[shared] === parts[shared]) shared += 1;
  return [...folders.slice(shared).map(() => ".."), ...parts.slice(shared)].join("/");
}

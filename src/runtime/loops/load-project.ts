/** The loops of `pawl.yaml`, at the root of the project on this machine: no workspace can add one. Writes nothing. */
import type { Result } from "../../base/result.ts";
import { parseProject } from "../../blueprint/project/parse-project.ts";
import type { ProjectFile } from "../../blueprint/project/project-file.ts";
import { projectPlace, readPolicyText } from "../policy/read-policy-text.ts";

export const PROJECT_FILE = "pawl.yaml";

export interface LoadedProject {
  /** null: there is no such file. */
  readonly file: Result<ProjectFile> | null;
  /** For code frames. */
  readonly sources: Readonly<Record<string, string>>;
}

export async function loadProject(root: string): Promise<LoadedProject> {
  const text = await readPolicyText(projectPlace(root));
  if (!text.ok) return { file: text, sources: {} };
  if (text.value === null) return { file: null, sources: {} };
  return { file: parseProject(text.value, PROJECT_FILE), sources: { [PROJECT_FILE]: text.value } };
}

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isThere } from "../../../runtime/survey/project-text.ts";

const FILES = [".gitlab-ci.yml", ".circleci/config.yml", "Jenkinsfile", "azure-pipelines.yml", ".travis.yml"];
const WORKFLOWS = ".github/workflows";
const MOST = 20;

/** Files that tell a CI service what to do. */
export async function findCi(root: string): Promise<readonly string[]> {
  const names = await readdir(join(root, WORKFLOWS)).catch(() => []);
  const found = names.filter((name) => /\.ya?ml$/.test(name)).sort();
  const others: string[] = [];
  for (const file of FILES) if (await isThere(join(root, file))) others.push(file);
  return [...found.slice(0, MOST).map((name) => `${WORKFLOWS}/${name}`), ...others];
}

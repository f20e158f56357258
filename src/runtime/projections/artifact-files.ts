/** Artifacts as files of one folder: a name may be any path that a process made up. */
import { sha256 } from "../../base/digest.ts";
import type { ArtifactRef } from "../../run/events.ts";

const LONGEST = 100;

/** File name → artifact, one for each, the same whatever order they come in. `below`: a folder that is not told in the names. */
export function artifactFiles(
  artifacts: Readonly<Record<string, ArtifactRef>>,
  below = "",
): ReadonlyMap<string, ArtifactRef> {
  const files = new Map<string, ArtifactRef>();
  const names = Object.keys(artifacts).sort();
  for (const name of names) {
    const told = name.startsWith(`./${below}`) ? name.slice(below.length + 2) : name;
    const plain = told.replaceAll(/[^\w.-]/g, "_");
    const isFree = plain !== "" && plain.length <= LONGEST && !files.has(plain);
    files.set(isFree ? plain : `${sha256(name).slice(0, 12)}-${plain.slice(-LONGEST)}`, artifacts[name] as ArtifactRef);
  }
  return files;
}

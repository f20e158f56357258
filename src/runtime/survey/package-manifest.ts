/** What a `package.json`, or a manifest like it, says about commands. Names in it are looked up and never run or shown. */
import { join } from "node:path";
import { isThere, textOf } from "./project-text.ts";

export interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly manager: "npm" | "pnpm" | "yarn" | "bun";
  /** The files that told. */
  readonly from: string;
}

const MANAGERS = ["npm", "pnpm", "yarn", "bun"] as const;
const LOCKFILES: readonly (readonly [file: string, manager: Manifest["manager"]])[] = [
  ["pnpm-lock.yaml", "pnpm"],
  ["yarn.lock", "yarn"],
  ["bun.lock", "bun"],
  ["bun.lockb", "bun"],
];

/** Undefined: there is none, or nothing that can be read. */
export async function readManifest(root: string, file = "package.json"): Promise<Manifest | undefined> {
  const found = parse(await textOf(join(root, file)));
  if (found === undefined) return undefined;
  const scripts = Object.entries(found["scripts"] ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1].trim() !== "",
  );
  return { scripts: Object.fromEntries(scripts), ...(await managerOf(root, file, found["packageManager"])) };
}

/** Manifests that are there and tell nothing, because nobody can read them. */
export async function unreadManifests(root: string): Promise<readonly string[]> {
  const unread: string[] = [];
  for (const file of ["package.json", "composer.json"])
    if ((await isThere(join(root, file))) && (await readManifest(root, file)) === undefined) unread.push(file);
  return unread;
}

async function managerOf(root: string, file: string, said: unknown): Promise<Pick<Manifest, "manager" | "from">> {
  for (const [lock, manager] of LOCKFILES) {
    if (await isThere(join(root, lock))) return { manager, from: `${file} and ${lock}` };
  }
  const name = typeof said === "string" ? said.split("@")[0] : undefined;
  return { manager: MANAGERS.find((manager) => manager === name) ?? "npm", from: file };
}

function parse(text: string | undefined): Readonly<Record<string, object | string | undefined>> | undefined {
  try {
    const value = JSON.parse(text ?? "null") as unknown;
    return typeof value === "object" && value !== null ? (value as Record<string, object | string>) : undefined;
  } catch {
    return undefined;
  }
}

/** Every error catalogue of the tree: a file named `errors.ts` or `<noun>-errors.ts` that exports a `*_ERRORS` object. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Catalogue } from "../../src/base/diagnostic.ts";

export interface Area {
  readonly file: string;
  readonly codes: readonly string[];
}

export async function catalogues(root: string): Promise<Area[]> {
  const names = readdirSync(join(root, "src"), { recursive: true }).map(String);
  const files = names.filter((name) => /(^|[-\\/])errors\.ts$/.test(name)).sort();
  return (await Promise.all(files.map((name) => loadAreas(root, join("src", name))))).flat();
}

async function loadAreas(root: string, file: string): Promise<Area[]> {
  const exported = (await import(pathToFileURL(join(root, file)).href)) as Record<string, unknown>;
  const found = Object.entries(exported).filter(([name]) => name.endsWith("_ERRORS"));
  return found.map(([, catalogue]) => ({
    file: file.replaceAll("\\", "/"),
    codes: Object.keys(catalogue as Catalogue),
  }));
}

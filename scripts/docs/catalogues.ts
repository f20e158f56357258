/** Every error catalogue of the tree: a file named `errors.ts` or `<noun>-errors.ts` that exports a `*_ERRORS` object. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Catalogue } from "../../src/base/diagnostic.ts";

export interface Area {
  readonly file: string;
  readonly catalogue: Catalogue;
}

export async function catalogues(root: string): Promise<Area[]> {
  const names = readdirSync(join(root, "src"), { recursive: true }).map(String);
  const files = names.filter((name) => /(^|[-\\/])errors\.ts$/.test(name)).sort();
  return (await Promise.all(files.map((name) => loadAreas(root, join("src", name))))).flat();
}

async function loadAreas(root: string, file: string): Promise<Area[]> {
  const exported = (await import(pathToFileURL(join(root, file)).href)) as Record<string, unknown>;
  const found = Object.entries(exported).filter(([name]) => name.endsWith("_ERRORS"));
  return found.map(([, catalogue]) => ({ file: file.replaceAll("\\", "/"), catalogue: catalogue as Catalogue }));
}

/** Stands for data nobody has yet: prints as `{name}`, whatever a message does with it. */
function placeholder(name: string, root: string): unknown {
  const text = `{${root}}`;
  return new Proxy(() => text, {
    apply: () => placeholder(root, root),
    get: (_target, key) => {
      if (key === Symbol.toPrimitive || key === "toString" || key === "toJSON") return () => text;
      if (key === Symbol.iterator) return () => [text][Symbol.iterator]();
      return placeholder(`${name}.${String(key)}`, root);
    },
  });
}

const UNKNOWN_DATA = new Proxy({}, { get: (_target, key) => placeholder(String(key), String(key)) }) as never;

/** The sentence of a problem with `{name}` where its facts go. */
export function withoutData(part: string | ((data: never) => string)): string {
  return typeof part === "string" ? part : String(part(UNKNOWN_DATA));
}

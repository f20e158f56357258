/** The inputs of a process, laid out as files while it runs. */
import { createReadStream } from "node:fs";
import { mkdir, mkdtemp, open, readdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { sha256 } from "../../base/digest.ts";
import { createStripper } from "../../base/text/strip-hidden.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { ProcessRequest } from "../../ports/executor.ts";

export interface Inputs {
  /** null: there are none. */
  readonly folder: string | null;
  /** Name of the variable → name of the file in the folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Two inputs whose variables would have the same name. */
  readonly clash?: string;
  /** Input → how many hidden characters were taken out of it. */
  readonly stripped: Readonly<Record<string, number>>;
}

export async function layOutInputs(
  artifacts: Artifacts,
  tempDir: string,
  request: Pick<ProcessRequest, "key" | "inputs" | "strip">,
): Promise<Inputs> {
  const names = Object.entries(request.inputs);
  if (names.length === 0) return { folder: null, files: {}, stripped: {} };
  await mkdir(tempDir, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(resolve(tempDir, prefixOf(request.key)));
  const files: Record<string, string> = {};
  const stripped: Record<string, number> = {};
  for (const [index, [name, ref]] of names.entries()) {
    const variable = `PAWL_INPUT_${name.toUpperCase().replace(/[^A-Z0-9]/g, "_")}`;
    if (Object.hasOwn(files, variable)) return { folder, files, clash: variable, stripped };
    const file = `${index}-${name.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, 100)}`;
    await artifacts.copyTo(ref.sha256, resolve(folder, file));
    const count = request.strip.includes(name) ? await stripFile(resolve(folder, file)) : 0;
    if (count > 0) stripped[name] = count;
    files[variable] = file;
  }
  return { folder, files, stripped };
}

/** Takes hidden characters out of a copy, however large it is; what is stored stays as it is. */
async function stripFile(path: string): Promise<number> {
  const stripper = createStripper();
  const part = await open(`${path}.part`, "wx", 0o600);
  try {
    for await (const bytes of createReadStream(path)) await part.appendFile(stripper.push(bytes as Buffer));
    await part.appendFile(stripper.end());
  } finally {
    await part.close();
  }
  await rename(`${path}.part`, path);
  return stripper.count();
}

/** What the process finds in its environment when it sees the folder at this path. */
export function inputVariables({ files }: Inputs, seenAt: string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([variable, file]) => [variable, join(seenAt, file)]));
}

export async function removeInputs({ folder }: Inputs): Promise<void> {
  if (folder !== null) await rm(folder, { recursive: true, force: true });
}

/** Takes away what a dead host has laid out for this key. */
export async function removeLeftInputs(tempDir: string, key: string): Promise<void> {
  const left = await readdir(tempDir).catch(() => []);
  for (const name of left.filter((each) => each.startsWith(prefixOf(key))))
    await rm(resolve(tempDir, name), { recursive: true, force: true });
}

/** Named after the key, so that what a dead host left can be found again. */
function prefixOf(key: string): string {
  return `in-${sha256(key).slice(0, 24)}-`;
}

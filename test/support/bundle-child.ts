/** A program of the tests in one file that starts at once: processes that each load every module would take longer than their work. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface BundledChild {
  readonly file: string;
  readonly remove: () => void;
}

/** `script`: its path from the root of the project. The file lies inside the project, where packages are found that stay outside of it. */
export async function bundleChild(script: string): Promise<BundledChild> {
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const dir = mkdtempSync(join(cache, "pawl-child-"));
  const name = basename(script, ".ts");
  const external = [/^node:/, "@photostructure/sqlite"];
  const built = await rolldown({ cwd: root, input: { [name]: join(root, script) }, platform: "node", external });
  await built.write({ dir, format: "esm", entryFileNames: "[name].mjs" });
  await built.close();
  return { file: join(dir, `${name}.mjs`), remove: () => rmSync(dir, { recursive: true, force: true }) };
}

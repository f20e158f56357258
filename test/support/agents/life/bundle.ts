/** A program of the tests in one file, as it must be to be seen behind a wall. */
import { builtinModules } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";
import type { JsonValue } from "../../../../src/base/json.ts";
import { tempDir } from "../../temp-dir.ts";

/** To be called inside a test. `name`: a file beside this one. `values`: what it finds under names that it only declares. */
export async function bundlePeer(name: string, values: Readonly<Record<string, JsonValue>> = {}): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, name),
    external: [...builtinModules, /^node:/],
    platform: "node",
  });
  const file = join(tempDir(), "peer.mjs");
  const banner = Object.entries(values).map(([word, value]) => `const ${word} = ${JSON.stringify(value)};`);
  try {
    await build.write({ file, format: "esm", codeSplitting: false, banner: banner.join("\n") });
  } finally {
    await build.close();
  }
  return file;
}

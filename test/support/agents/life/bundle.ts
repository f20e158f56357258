/** A program of the tests in one file, as it must be to be seen behind a wall. */
import { builtinModules } from "node:module";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { tempDir } from "../../temp-dir.ts";

/** To be called inside a test. `name`: a file beside this one. */
export async function bundlePeer(name: string): Promise<string> {
  const build = await rolldown({
    input: join(import.meta.dirname, name),
    external: [...builtinModules, /^node:/],
    platform: "node",
  });
  const file = join(tempDir(), "peer.mjs");
  try {
    await build.write({ file, format: "esm", codeSplitting: false });
  } finally {
    await build.close();
  }
  return file;
}

/** Where this package lies, built or not. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const MANIFEST = "package.json";

export function packageFolder(from: string = import.meta.dirname): string {
  const above = dirname(from);
  return existsSync(join(from, MANIFEST)) || above === from ? from : packageFolder(above);
}

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageFolder(), MANIFEST), "utf8"));
  return (manifest as { readonly version: string }).version;
}

/** The program of the built-in harness, and what runs it. */
export function harnessProgram(): { readonly program: string; readonly nodeProgram: string; readonly version: string } {
  return {
    program: join(packageFolder(), "dist", "harness"),
    nodeProgram: process.execPath,
    version: packageVersion(),
  };
}

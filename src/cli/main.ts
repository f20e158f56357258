#!/usr/bin/env node
/** The bin. Answers `--version` before anything else is loaded; all other work is loaded when it is asked for. */
import { readFileSync } from "node:fs";

const argv = process.argv.slice(2);

if (argv[0] === "--version" || argv[0] === "-V") {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${(manifest as { version: string }).version}\n`);
} else {
  const { runCli } = await import("./run-cli.ts");
  await runCli(argv);
}

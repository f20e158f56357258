#!/usr/bin/env node
/** The bin. Answers `--version` before anything else is loaded; all other work is loaded when it is asked for. */
import { readFileSync } from "node:fs";

const argv = process.argv.slice(2);
const isJson = argv[0] === "--json" || argv[1] === "--json";
const first = argv[0] === "--json" ? argv[1] : argv[0];

if (first === "--version" || first === "-V") {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const { version } = manifest as { version: string };
  // A reader that has left, or a full disk: there is nobody to tell.
  process.stdout.on("error", () => undefined);
  process.stdout.write(`${isJson ? JSON.stringify({ version }, null, 2) : version}\n`);
} else {
  const { runCli } = await import("./run-cli.ts");
  await runCli(argv);
}

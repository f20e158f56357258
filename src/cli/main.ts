#!/usr/bin/env node
/** The bin. Answers `--version` before anything else is loaded; all other work is loaded when it is asked for. */
import { readFileSync } from "node:fs";

const argv = process.argv.slice(2);
const isJson = argv[0] === "--json" || argv[1] === "--json";
const first = argv[0] === "--json" ? argv[1] : argv[0];

if (first === "--version" || first === "-V") {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const { version } = manifest as { version: string };
  const text = `${isJson ? JSON.stringify({ version }, null, 2) : version}\n`;
  process.stdout.on("error", () => undefined);
  const error = await new Promise<Error | null | undefined>((resolve) => process.stdout.write(text, resolve));
  if (error) process.exitCode = (await import("./report-problems.ts")).reportUnwritten(error);
} else {
  const { runCli } = await import("./run-cli.ts");
  await runCli(argv);
}

/**
 * A process that hosts a program behind a wall, for tests that take away or add to what it was started with:
 * `node --import tsx sandbox-host.ts <program> <argument>…`. Prints what came of it. With STARVED in its environment it has no
 * descriptor left.
 */
import { closeSync, openSync } from "node:fs";
import { bubblewrap, type Outcome, programOf, runEnclosed } from "./sandbox-fixture.ts";

const held: number[] = [];
try {
  while (process.env["STARVED"] !== undefined) held.push(openSync("/dev/null", "r"));
} catch {
  // None is left: this is the state to test.
}
const sandbox = bubblewrap();
const report = await sandbox.check();
const came: Outcome | { readonly code: string } = await runEnclosed(sandbox, programOf(process.argv.slice(2))).catch(
  (error: { code: string }) => ({ code: error.code }),
);
for (const descriptor of held) closeSync(descriptor);
process.stdout.write(`${JSON.stringify({ report, came })}\n`);

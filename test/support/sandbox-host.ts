/**
 * A process that hosts a program behind a wall, for tests that take away or add to what it was started with:
 * `node --import tsx sandbox-host.ts <program> <argument>…`. Prints what came of it.
 */
import { bubblewrap, type Outcome, programOf, runEnclosed } from "./sandbox-fixture.ts";

const sandbox = bubblewrap();
const report = await sandbox.check();
const came: Outcome | { readonly code: string } = await runEnclosed(sandbox, programOf(process.argv.slice(2))).catch(
  (error: { code: string }) => ({ code: error.code }),
);
process.stdout.write(`${JSON.stringify({ report, came })}\n`);

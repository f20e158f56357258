/**
 * A process of its own that stops inside a transaction: `node --import tsx stuck-writer.ts <state folder> <file> <as>`. With `host` it is a host
 * of the project before, as every process is that runs jobs; with `guest` it only has the file open.
 */
import { join } from "node:path";
import { loadDriver } from "../../src/adapters/sqlite/driver.ts";
import { openSqliteLoops } from "../../src/adapters/sqlite/loops/loop-store.ts";
import { createSystemClock } from "../../src/adapters/system/clock.ts";

const [dir = "", file = "", as = ""] = process.argv.slice(2);
const weight = { memoryBytes: 1, cpus: 1 };

if (as === "host") {
  const { admissions } = await openSqliteLoops({ dir, clock: createSystemClock() });
  await admissions.ask({ key: "stuck", weight, total: weight });
}
const db = (await loadDriver()).open(join(dir, file), { timeout: 5000 });
db.exec("BEGIN IMMEDIATE");
process.stdout.write("inside\n");
setTimeout(() => process.kill(process.pid, "SIGSTOP"), 50);
setInterval(() => db.isTransaction, 60_000);

/** A host that has no file descriptor left when it starts a process; prints the report. Run it with a small `ulimit -n`. */
import { closeSync, openSync } from "node:fs";
import { executorIn, requestOf } from "./process-fixture.ts";

const executor = executorIn(".");
const held: number[] = [];
try {
  for (;;) held.push(openSync("/dev/null", "r"));
} catch {
  // None is left: this is the state to test.
}
const report = await executor.execute(requestOf(["/bin/true"]), new AbortController().signal, () => undefined);
for (const descriptor of held) closeSync(descriptor);
console.log(JSON.stringify(report));

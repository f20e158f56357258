import { spawn } from "node:child_process";
import { expect, test } from "vitest";
import { converse } from "./converse.ts";

const START = { argv: ["/bin/sh", "-c", "sleep 0.1; echo heard"], env: {} };

function block(ms: number): void {
  const from = performance.now();
  while (performance.now() - from < ms);
}

test("a host that was busy hears an answer that came in time", async () => {
  const answer = converse(START, 300, () => false);
  block(600);
  expect(await answer).toEqual({ code: 0, stdout: "heard\n", stderr: "", wasReady: false, wasLate: false });
});

test("one that did not answer in time was late", async () => {
  const start = { argv: ["/bin/sh", "-c", "echo begun; sleep 9"], env: {} };
  expect(await converse(start, 100, () => false)).toMatchObject({ code: null, stdout: "begun\n", wasLate: true });
});

test("a host that learns of an end before it could read hears the last words all the same", async () => {
  const answer = converse({ ...START, argv: ["/bin/sh", "-c", "sleep 0.3; echo heard"] }, 5000, () => false);
  // Ends are told together: while the host is busy with what another one said, whose end is waiting, this one ends too.
  const other = spawn("/bin/echo", ["first"], { stdio: ["ignore", "pipe", "ignore"] });
  other.stdout.once("data", () => block(400));
  other.once("exit", () => block(400));
  block(100);
  expect(await answer).toMatchObject({ code: 0, stdout: "heard\n" });
});

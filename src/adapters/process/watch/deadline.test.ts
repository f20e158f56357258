import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { after, within } from "./deadline.ts";

function block(ms: number): void {
  const from = performance.now();
  while (performance.now() - from < ms);
}

test("a host that was busy does not call late what came in time", async () => {
  const child = spawn("/bin/sh", ["-c", "echo heard"], { stdio: ["ignore", "pipe", "ignore"] });
  const heard: string[] = [];
  child.stdout.on("data", (bytes) => heard.push(String(bytes)));
  child.once("exit", (code) => heard.push(`exit ${code}`));
  // What the child says is listened to from the next turn on.
  await new Promise(setImmediate);
  const late = within(100, once(child, "close"));
  block(300);
  await late;
  expect(heard).toEqual(["heard\n", "exit 0"]);
});

test("nobody is called back once it is called off, not even when it is due", async () => {
  let isCalled = false;
  const cancel = after(10, () => {
    isCalled = true;
  });
  setTimeout(() => cancel(), 10);
  block(30);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isCalled).toBe(false);
});

import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { exceeded } from "./limits.ts";
import { createTree } from "./tree.ts";

const FREE = { outputBytes: null, cpuMs: null, processes: null, memoryBytes: null, fileBytes: null };

test("what has ended between two looks is not counted beside what came after it", async () => {
  const child = spawn("sh", ["-c", "echo up; read -r word"], { stdio: ["pipe", "pipe", "ignore"] });
  await once(child.stdout, "data");
  const tree = createTree(child.pid as number, { countsTransfer: false });
  const sample = tree.look(10);
  expect([sample.processes, tree.together()]).toEqual([1, 1]);
  expect(exceeded({ ...FREE, processes: 0 }, sample, tree)).toMatchObject({ cause: "resource" });
  expect(exceeded({ ...FREE, memoryBytes: 1 }, sample, tree)).toMatchObject({ cause: "oom" });
  child.kill("SIGKILL");
  await once(child, "exit");
  expect([tree.together(), tree.sharedMemory()]).toEqual([0, 0]);
  expect(exceeded({ ...FREE, processes: 0, memoryBytes: 1 }, sample, tree)).toBeNull();
});

test("memory that processes share is not counted for one that ends while it is looked at", async () => {
  // The text is there twice, as a constant and as a value: 80 MB in all, that thirteen processes share and twelve give up at once.
  const script = `$x = "a" x 4e7; for (1 .. 12) { fork or do { $SIG{USR1} = sub { exit }; sleep 9; exit } }
    $SIG{USR1} = "IGNORE"; sleep 1; kill USR1, -$$; 1 while wait > 0`;
  const child = spawn("perl", ["-e", script], { stdio: "ignore", detached: true });
  const tree = createTree(child.pid as number, { countsTransfer: false });
  let [mostBytes, mostProcesses] = [0, 0];
  while (child.exitCode === null) {
    mostProcesses = Math.max(mostProcesses, tree.look(100).processes);
    mostBytes = Math.max(mostBytes, tree.sharedMemory());
    await new Promise(setImmediate);
  }
  expect(mostProcesses).toBe(13);
  expect(mostBytes).toBeGreaterThan(80e6);
  expect(mostBytes).toBeLessThan(160e6);
});

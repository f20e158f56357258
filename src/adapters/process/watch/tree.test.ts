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

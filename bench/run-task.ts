/** runTask: performs a task in a process of its own and resolves with its report. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Reports, Task, TaskOf } from "./tasks/task.ts";

const CHILD = fileURLToPath(new URL("./child.ts", import.meta.url));
const TIMEOUT_MS = 15 * 60_000;

interface Ended {
  readonly report: unknown;
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly stderr: string;
}

/** Rejects when the process ends without a report. */
export async function runTask<K extends Exclude<Task["kind"], "crash">>(
  task: TaskOf<K>,
  profileDir: string | null,
): Promise<Reports[K]> {
  const ended = await runChild(task, profileDir);
  if (ended.report === undefined) throw new Error(describe(task, ended));
  return ended.report as Reports[K];
}

/** Resolves when the process has killed itself; any other end rejects. */
export async function runCrash(task: TaskOf<"crash">): Promise<void> {
  const ended = await runChild(task, null);
  if (ended.signal !== "SIGKILL") throw new Error(describe(task, ended));
}

function runChild(task: Task, profileDir: string | null): Promise<Ended> {
  const profile = profileDir === null ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileDir}`];
  const child = fork(CHILD, [JSON.stringify(task)], {
    execArgv: ["--expose-gc", "--import", import.meta.resolve("tsx"), ...profile],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    timeout: TIMEOUT_MS,
    killSignal: "SIGTERM",
  });
  let report: unknown;
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-4000);
  });
  child.on("message", (message) => {
    report = message;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ report, code, signal, stderr }));
  });
}

function describe(task: Task, ended: Ended): string {
  const how = ended.signal === null ? `exit code ${ended.code}` : `signal ${ended.signal}`;
  return `${task.kind} of ${task.module} (${task.variant}) ended without a report, ${how}\n${ended.stderr.trim()}`;
}

/** The program of the `model` backend: one task, behind the wall, led by its host over standard input and output. */
import { createInterface } from "node:readline";
import type { HostLine } from "../ports/agents/model-program.ts";
import { createHostTalk } from "./program/host-talk.ts";
import { runPlanTask } from "./program/run-plan-task.ts";
import { runTask } from "./program/run-task.ts";

const stop = new AbortController();
const talk = createHostTalk((line) => void process.stdout.write(line));
const lines = createInterface({ input: process.stdin });

function begin(start: Extract<HostLine, { type: "start" | "plan" }>): void {
  // All of it was made by whoever built the wall.
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  );
  const around = { env, signal: stop.signal };
  const work = start.type === "plan" ? runPlanTask(start, talk, around) : runTask(start, talk, around);
  work.then(
    (report) => {
      talk.end(report);
      lines.close();
    },
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exitCode = 1;
      lines.close();
    },
  );
}

lines.on("line", (line) => {
  const said = JSON.parse(line) as HostLine;
  if (said.type === "start" || said.type === "plan") begin(said);
  else if (said.type === "stop") stop.abort();
  else talk.hear(said);
});
// Without a host there is nobody to ask.
lines.on("close", () => stop.abort());

/** Keeps a talk with an agent as it was, message by message, so that it can be played without the agent. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createJsonLines } from "../../../../src/adapters/agents/cli/json-lines.ts";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { Executor } from "../../../../src/ports/executor.ts";

/** `hear`: what it was told, then. `say`: what it said after that. */
export type Recorded = { readonly hear: JsonObject } | { readonly say: JsonObject };

/** What nobody listens to, and what grows with the version of the program. */
const NOISE = /^(skills|account|mcpServer|remoteControl|configWarning|hook|app|warning|deprecationNotice)/;

/** Each talk goes into a file of its own in the folder; one that goes on with a session, into another. */
export function recording(executor: Executor, folder: string, name: string): Executor {
  return {
    ...executor,
    execute: async (request, signal, onOutput) => {
      const kept: Recorded[] = [];
      const said = createJsonLines((message) => {
        if (!NOISE.test(String(message["method"] ?? ""))) kept.push({ say: message });
      });
      const { dialogue } = request;
      const report = await executor.execute(
        {
          ...request,
          dialogue: {
            begin: (input) =>
              dialogue?.begin({
                send: (text) => {
                  kept.push({ hear: JSON.parse(text) as JsonObject });
                  return input.send(text);
                },
                end: input.end,
              }),
            onOutput: (chunk) => {
              said.push(chunk);
              return dialogue?.onOutput(chunk);
            },
          },
        },
        signal,
        onOutput,
      );
      const isResumed = kept.some((step) => "hear" in step && step.hear["method"] === "thread/resume");
      const file = join(folder, `${name}${isResumed ? ".resumed" : ""}.jsonl`);
      writeFileSync(file, kept.map((step) => `${JSON.stringify(step)}\n`).join(""));
      return report;
    },
  };
}

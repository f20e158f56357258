import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scriptedModel } from "../../../test/support/harness/scripted-model.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { runAgent } from "../run-agent.ts";
import { createBuiltInTools } from "./built-in-tools.ts";

test("a search asks nobody about one of its files: what needs a person is left out", async () => {
  const workspace = tempDir();
  for (const name of ["a.txt", "secret.txt", "b.txt"]) writeFileSync(join(workspace, name), "found\n");
  const questions: string[] = [];
  const result = await runAgent({
    model: scriptedModel([{ calls: [{ tool: "grep", input: { pattern: "found" } }] }, { text: "done" }]),
    prompt: "search",
    tools: createBuiltInTools({ env: {}, proxy: null }),
    policy: { allow: [{ read: "**" }], ask: [{ read: "secret.txt" }] },
    root: workspace,
    ports: {
      approvals: {
        ask: async (call) => {
          questions.push(call.tool);
          return "allow";
        },
      },
    },
  });
  expect(result.steps[0]?.calls[0]?.output).toEqual({
    matches: [
      { path: "a.txt", line: 1, text: "found" },
      { path: "b.txt", line: 1, text: "found" },
    ],
    denied: 1,
    truncated: false,
  });
  expect(questions).toEqual([]);
});

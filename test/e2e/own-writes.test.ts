/** A loop that watches everything is not started by what loops write themselves. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { logOf, repository } from "../support/tick-project.ts";

const PAWL = `loops:
  triage: { pattern: daily-triage, agent: scripted, level: L1, watch: { files: ["**"] }, params: { test: ["true"] } }
`;

test("R7: a loop that watches every file runs for what people change, STATE.md among it, and never for what it wrote itself", async () => {
  const project = repository({
    triage: "answer: { outcome: report, item: '#7', why: look }",
    files: { "pawl.yaml": PAWL },
  });
  const state = join(project.root, "STATE.md");
  const edit = (file: string, text: string): void => writeFileSync(file, `${readFileSync(file, "utf8")}${text}`);
  const serve = async (): Promise<number> => {
    expect((await project.pawl("serve", "--once")).code).toBe(0);
    return logOf(project).length;
  };
  project.write("loop-run-log.md", "# Log\n");
  expect(await serve()).toBe(0);
  edit(join(project.root, "src/add.mjs"), "// changed\n");
  expect(await serve()).toBe(1);
  // It has written STATE.md, which was not there, and its line of the log.
  expect(readFileSync(state, "utf8")).toContain("#7");
  expect(await serve()).toBe(1);
  edit(state, "\n- [ ] #8 — by a person\n");
  expect(await serve()).toBe(2);
  expect(await serve()).toBe(2);
  // What a person wrote is seen although a tick has written after it.
  edit(state, "\nmore\n");
  expect((await project.pawl("run", "triage")).code).toBe(0);
  expect(await serve()).toBe(4);
  expect(await serve()).toBe(4);
  project.write("work/openloop.json", "{}");
  expect(await serve()).toBe(5);
  for (const path of ["work/heartbeat.json", "work/logs/a.log", ".openexec/runs/run_1/timeline.jsonl"])
    project.write(path, "x");
  expect(await serve()).toBe(5);
}, 600_000);

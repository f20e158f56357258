/** Runs that a person queued: never two of a loop at once, however much room its lane has. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { loadProject } from "../../src/runtime/loops/load-project.ts";
import { askForRun } from "../../src/runtime/serve/ask.ts";
import type { News } from "../../src/runtime/serve/news.ts";
import { openLoops, openServe } from "../../src/runtime/wire.ts";
import { eventually } from "../support/cli.ts";
import { tempDir } from "../support/temp-dir.ts";

const STAGES = Array.from(
  { length: 40 },
  (_, i) => `  - { id: s${i}, action: artifact.save, with: { name: a${i}, content: b } }\n`,
);
const BLUEPRINT = `version: 1\nname: fix\npolicy: { allow: [ { action: artifact.save } ] }\nstages:\n${STAGES.join("")}`;

test("two runs of a loop that were asked for come one after the other", async () => {
  const root = tempDir();
  writeFileSync(join(root, "fix.yaml"), BLUEPRINT);
  writeFileSync(join(root, "pawl.yaml"), "lanes: { default: { max: 4 } }\nloops:\n  fix: { blueprint: fix.yaml }\n");
  const { file } = await loadProject(root);
  const loop = file?.ok === true ? file.value.loops[0] : undefined;
  if (loop === undefined) throw new Error("no loop");
  const loops = await openLoops(root);
  for (const name of ["a", "b"]) await askForRun(loops, loop, name, Date.now());
  await loops.close();
  const news: News[] = [];
  const serve = await openServe(root, {
    port: 0,
    leaseMs: 30_000,
    autoResume: true,
    by: "ann",
    tell: (each) => news.push(each),
  });
  onTestFinished(serve.stop);
  await serve.start();
  const ended = (): number => news.filter(({ type }) => type === "run.ended").length;
  await eventually(() => ended() === 2, "both have run", 60_000);
  expect(news.map(({ type }) => type).filter((type) => type === "run.began" || type === "run.ended")).toEqual([
    ...["run.began", "run.ended", "run.began", "run.ended"],
  ]);
});

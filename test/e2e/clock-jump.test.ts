/** The clock of the machine is set while real processes serve: each time at most once, none lost under `all`, no storm otherwise. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createProject, eventually } from "../support/cli.ts";
import { jsonLines } from "../support/json-lines.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WITHIN_MS = 60_000;
const QUICK =
  "version: 1\nname: quick\npolicy: { allow: [ { action: artifact.save } ] }\nstages:\n  - { id: note, action: artifact.save, with: { name: a, content: b } }\n";

interface Line {
  readonly type: string;
  readonly loop?: string;
  readonly slot?: string;
  readonly at: number;
}

const linesOf = (text: string): readonly Line[] => jsonLines<Line>(text);

/** The first of each month, from the one after `from` to the last before `to`. */
function months(from: number, to: number): readonly string[] {
  const found: string[] = [];
  const date = new Date(from);
  for (let month = 1; ; month += 1) {
    const at = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + month, 1);
    if (at > to) return found;
    found.push(new Date(at).toISOString());
  }
}

test("L7: a clock that is set by an hour and by 400 days under two processes that serve", async () => {
  const loop = (name: string, cron: string): string =>
    `  ${name}: { blueprint: quick.yaml, cron: "${cron}", catch_up: ${name.split("-")[0]} }\n`;
  // What is due every other second shows that they look at their clocks.
  const often = "  often: { blueprint: quick.yaml, every: 2s }\n";
  const project = createProject({
    "quick.yaml": QUICK,
    "pawl.yaml": `lanes: { default: { max: 8 } }\nloops:\n${often}${["all", "one", "skip"].map((how) => loop(how, "0 0 1 * *")).join("")}${loop("all-hours", "30 * * * *")}`,
  });
  onTestFinished(() => project.remove());
  const file = project.write("clock.txt", "0");
  const preload = pathToFileURL(join(import.meta.dirname, "..", "support", "set-clock.mjs")).href;
  Object.assign(project.env, { CLOCK_FILE: file, NODE_OPTIONS: `--import=${preload}` });
  const told: string[] = [];
  const all = [0, 1].map((index) => {
    const started = project.start("serve", "--jsonl", "--lease", "5s");
    told[index] = "";
    started.child.stdout?.on("data", (text: string) => {
      told[index] += text;
    });
    onTestFinished(() => void started.child.kill("SIGKILL"));
    return started;
  });
  const fired = (name: string): readonly string[] =>
    told
      .flatMap(linesOf)
      .filter(({ type, loop }) => type === "slot.fired" && loop === name)
      .map(({ slot }) => slot ?? "");
  const lives = (): Promise<void> => {
    const before = fired("often").length;
    return eventually(() => fired("often").length >= before + 2, "the schedule goes on", WITHIN_MS);
  };
  await lives();
  const start = Date.now();

  project.write("clock.txt", String(HOUR));
  await lives();
  await eventually(() => fired("all-hours").length > 0, "the hour that was skipped has run", WITHIN_MS);
  project.write("clock.txt", "0");
  await lives();
  // One more where the hour really came while this runs.
  expect(fired("all-hours").length).toBeLessThanOrEqual(2);

  project.write("clock.txt", String(400 * DAY));
  const owed = months(start, start + 400 * DAY);
  await eventually(() => fired("all").length === owed.length, "all that was skipped has run", WITHIN_MS);
  await lives();
  project.write("clock.txt", "0");
  await lives();
  project.write("clock.txt", String(-400 * DAY));
  await lives();
  project.write("clock.txt", "0");
  const before = months(start - 400 * DAY, start);
  await eventually(() => fired("all").length === owed.length + before.length, "so has what it showed again", WITHIN_MS);
  await lives();

  for (const { child } of all) child.kill("SIGINT");
  expect((await Promise.all(all.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0]);
  const sorted = (slots: readonly string[]): readonly string[] =>
    slots.map((slot) => new Date(slot).toISOString()).sort();
  expect(sorted(fired("all"))).toEqual([...before, ...owed].sort());
  expect(sorted(fired("one"))).toEqual([before.at(-1), owed.at(-1)].sort());
  expect(fired("skip")).toEqual([]);
  expect(told.flatMap(linesOf).filter(({ type }) => type === "loop.failed" || type === "serve.problem")).toEqual([]);
  for (const name of ["all", "one", "often", "all-hours"]) expect(new Set(fired(name)).size).toBe(fired(name).length);
}, 600_000);

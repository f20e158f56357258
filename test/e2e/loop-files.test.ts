/** What people have written in the files of a loop, and what a tick makes of it. */
import { spawnSync } from "node:child_process";
import { afterEach, describe, expect, test } from "vitest";
import type { RunEvent } from "../../src/run/events.ts";
import { createProject, type Project } from "../support/cli.ts";

const made: Project[] = [];
afterEach(() => {
  for (const project of made.splice(0)) project.remove();
});

const script = (does: string): string => `version: 1\nattempts:\n  - - ${does}\n`;

function repository(files: Readonly<Record<string, string>>): Project {
  const project = createProject({
    "src/here.mjs": "export const here = 1;\n",
    "agents/triage.yaml": script('answer: { outcome: act, item: "#7", title: "Mend it", why: "it fails" }'),
    "agents/implement.yaml": script('edit: { path: src/here.mjs, find: "1", put: "2" }'),
    "agents/review.yaml": script("answer: { outcome: accept }"),
    ...files,
  });
  made.push(project);
  const git = (...args: readonly string[]) => spawnSync("git", ["-C", project.root, ...args]);
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("-c", "user.name=ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--message=begin");
  return project;
}

const TEST = 'test=["node","--check","src/here.mjs"]';

async function claimOf(project: Project): Promise<string | undefined> {
  await project.json("run", "daily-triage", "--agent", "scripted", "--level", "L2", "--param", TEST);
  const { value } = await project.json("events", "@last");
  const events = (value as { events: { event: RunEvent }[] }).events.map(({ event }) => event);
  return events.flatMap((event) =>
    event.type === "stage.finished" && event.stage === "claim" ? [event.outcome] : [],
  )[0];
}

const state = (item: string): Readonly<Record<string, string>> => ({
  "STATE.md": `## High Priority\n- [ ] #7 — ${item}\n`,
});

describe("a tick", () => {
  test("R15: leaves alone an item whose subject is gone or that nobody has seen for long, unless a person decides", async () => {
    expect(await claimOf(repository(state("`src/gone.mjs` fails")))).toBe("failure");
    expect(await claimOf(repository(state("it fails since 2020-01-01")))).toBe("failure");
    expect(await claimOf(repository(state("`src/here.mjs` fails")))).toBe("success");
    expect(await claimOf(repository(state("`src/gone.mjs` fails\n  Human decision: write it anew")))).toBe("success");
  });

  test("L2: begins with the level of LOOP.md where that is lower, and never with a higher one", async () => {
    const planned = async (loop: string) => {
      const project = repository({
        "LOOP.md": `## Active Loops\n### CI Sweeper (${loop})\n### Daily Triage (${loop})\n`,
      });
      const level = async (id: string, ...more: string[]) =>
        ((await project.json("plan", id, "--param", TEST, ...more)).value as { plan: { level: string } }).plan.level;
      return [await level("ci-sweeper"), await level("daily-triage"), await level("ci-sweeper", "--level", "L2")];
    };
    expect(await planned("L1")).toEqual(["L1", "L1", "L2"]);
    expect(await planned("L3")).toEqual(["L2", "L1", "L2"]);
  });
});

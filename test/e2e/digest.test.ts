/** What people are told of loops that ran while nobody looked: the digest adds up to the journal, and notices outlive who raised them. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { createProject, type Project } from "../support/cli.ts";

const HEAD = 'version: 1\nname: NAME\npolicy: { allow: [ { action: file.append }, { run: ["false"] } ] }\nstages:\n';
const file = (name: string, stage: string): string => `${HEAD.replace("NAME", name)}  - ${stage}\n`;
const FILES = {
  "good.yaml": file("good", "{ id: note, action: file.append, with: { path: count.txt, line: done } }"),
  "bad.yaml": `${file("bad", '{ id: stop, command: ["false"] }')}`.replace("stages:", "workspace: directory\nstages:"),
  "ask.yaml": file("ask", '{ id: go, gate: { approval: { question: "Shall it go on?" } } }'),
  "pawl.yaml":
    "loops:\n  good: { blueprint: good.yaml, every: 12h }\n  bad: { blueprint: bad.yaml, every: 12h }\n  ask: { blueprint: ask.yaml, every: 12h }\n",
};

interface Sum {
  readonly runs: number;
  readonly ends: Readonly<Record<string, number>>;
  readonly tokens: number;
  readonly microUsd: number;
}
interface Digest {
  readonly total: Sum;
  readonly loops: readonly ({ readonly loop: string } & Sum)[];
  readonly escalations: readonly { readonly loop: string; readonly count: number }[];
  readonly notices: readonly { readonly loop: string; readonly kind: string; readonly count: number }[];
}

let project: Project;
beforeEach(() => {
  project = createProject(FILES);
  project.env["TZ"] = "UTC";
});
afterEach(() => project.remove());

const kinds = ({ notices }: Digest): readonly string[] =>
  notices.map(({ loop, kind, count }) => `${loop} ${kind} ${count}`).toSorted();

test("R14: a digest adds up to the runs of the day, and the same trouble is one notice, for whoever asks later", async () => {
  const day = new Date().toISOString().slice(0, 10);
  for (const loop of ["good", "bad", "ask", "bad", "good"])
    expect((await project.pawl("run", loop, "--no-wait")).code).toBe(0);
  for (let turn = 0; turn < 2; turn += 1) expect((await project.pawl("serve", "--once")).code).toBe(0);

  const digest = (await project.json("digest", "--day", day)).value as Digest;
  const { runs } = (await project.json("status")).value as { runs: readonly { status: string; blueprint: string }[] };
  const over = runs.filter(({ status }) => status === "succeeded" || status === "failed");
  expect(digest.total.runs).toBe(over.length);
  expect(over).toHaveLength(4);
  for (const [end, count] of Object.entries(digest.total.ends))
    expect([end, count]).toEqual([end, runs.filter(({ status }) => status === end).length]);
  const summed = (of: (sum: Sum) => number): number => digest.loops.reduce((sum, each) => sum + of(each), 0);
  expect([summed((each) => each.runs), summed((each) => each.tokens), summed((each) => each.microUsd)]).toEqual([
    digest.total.runs,
    digest.total.tokens,
    digest.total.microUsd,
  ]);
  expect(digest.escalations).toMatchObject([{ loop: "bad", count: 2 }]);
  expect(kinds(digest)).toEqual(["ask question 1", "bad ended 2"]);

  const { stdout } = await project.pawl("digest", "--day", day);
  expect(stdout).toContain(`${day}  4 runs ended, 2 succeeded, 2 failed`);
  expect(stdout).toMatch(/needs a look:\n {2}2 × {2}bad: .+\nnotices:\n {2}1 × {2}ask: it asks: Shall it go on\?/);
  expect((await project.pawl("why", "ask")).stdout).toMatch(/waiting|approv/);
  const before = (await project.json("digest", "--day", "2020-01-01")).value as Digest;
  expect([before.total.runs, kinds(before)]).toEqual([0, []]);
});

import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost } from "../../test/support/run-plan.ts";
import { historyBefore, treesOf } from "./trees.ts";

const PLAN = planFrom(`
stages:
  - { id: a, command: [ok], max_attempts: 2 }
  - id: g
    group: { parallel: [ { id: m, command: [ok] } ] }
  - { id: look, command: [ok], sandbox: read_only }
  - { id: b, command: [ok] }
`);

async function played(plan = PLAN) {
  const host = createTestHost(plan, {
    stages: { a: [{ cause: "exit", exit: 1 }, {}] },
    work: ({ stage, attempt }, files) => files.set(stage, String(attempt)),
  });
  await host.start();
  const trees = treesOf(plan, await host.events());
  const files = (tree: string) => Object.fromEntries(host.workspaces.tree(tree) ?? []);
  return { host, trees, files };
}

describe("the trees of a run", () => {
  it("are what each attempt began with and left, and what the run started from and reached", async () => {
    const { trees, files } = await played();
    const project = { "README.md": "hello" };
    expect(files(trees?.base ?? "")).toEqual(project);
    expect(trees?.stages.map(({ stage, attempt, from, to }) => [stage, attempt, files(from), files(to)])).toEqual([
      ["a", 1, project, { ...project, a: "1" }],
      ["a", 2, project, { ...project, a: "2" }],
      ["g.m", 1, { ...project, a: "2" }, { ...project, a: "2", "g.m": "1" }],
      ["b", 1, { ...project, a: "2" }, { ...project, a: "2", b: "1" }],
    ]);
    expect(files(trees?.last ?? "")).toEqual({ ...project, a: "2", b: "1" });
  });

  it("are none where the run has no workspace of its own", async () => {
    expect(treesOf(PLAN, [])).toBeNull();
    expect((await played(planFrom("stages:\n  - { id: a, action: test.work }\n"))).trees).toBeNull();
  });
});

describe("the history before a stage", () => {
  it("is everything until the stage began for the first time", async () => {
    const { host } = await played();
    const events = await host.events();
    const before = historyBefore(events, "g");
    expect(before?.at(-1)).toMatchObject({ type: "stage.finished", stage: "a", attempt: 2 });
    expect(before?.[0]).toMatchObject({ type: "run.started" });
    expect(historyBefore(events, "a")).toHaveLength(1);
    expect(historyBefore(events, "nowhere")).toBeNull();
    expect(historyBefore(events, "g.m")).toEqual(before);
  });
});

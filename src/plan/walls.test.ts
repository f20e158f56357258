import { describe, expect, test } from "vitest";
import {
  action,
  blueprint,
  command,
  gate,
  group,
  planOf,
  run,
  signature,
} from "../../test/support/blueprint-builder.ts";
import { needsTree, wallsOf } from "./walls.ts";

describe("the walls of a plan", () => {
  test("are those of every process, in groups and child runs too", () => {
    const kid = blueprint([command("k", { sandbox: "read_only" })], { name: "kid" });
    const stages = [
      gate("a"),
      action("n"),
      group("g", [command("m", { sandbox: "danger_full_access" })]),
      run("r", "kid"),
    ];
    const plan = planOf(blueprint(stages), {}, [kid]);
    expect(wallsOf(plan).map(({ sandbox }) => sandbox)).toEqual(["workspace_write", "danger_full_access", "read_only"]);
  });
});

describe("a workspace", () => {
  const kinds = (
    stages: Parameters<typeof blueprint>[0],
    kind: "clone" | "directory" = "clone",
    children = [] as never[],
  ) => planOf(blueprint(stages, { workspace: { kind, from: "head", share: [] } }), { actions: ACTIONS }, children);
  const ACTIONS = [signature(), signature({ name: "git.commit", usesTree: true })];

  test("is needed by processes, by actions that use the tree, and by child runs that need one", () => {
    expect(kinds([command("a")]).workspace).toEqual({ kind: "clone", from: "head", share: [] });
    expect(kinds([group("g", [gate("a")])]).workspace).not.toBeNull();
    expect(kinds([action("a", { action: "git.commit" })]).workspace).not.toBeNull();
    expect(kinds([action("a")]).workspace).toBeNull();
    const kid = blueprint([command("k")], { name: "kid" });
    expect(planOf(blueprint([run("r", "kid")]), {}, [kid]).workspace).not.toBeNull();
  });

  test("has a tree of its own unless it is the project folder", () => {
    expect(needsTree(kinds([command("a")]))).toBe(true);
    expect(needsTree(kinds([command("a")], "directory"))).toBe(false);
    expect(needsTree(kinds([action("a")]))).toBe(false);
  });
});

/** What a run keeps for a next host while it is under way is gone when it is over, or with the next gc. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createProject, eventually, type Project } from "../support/cli.ts";

const BLUEPRINT = `version: 1
name: work
workspace: directory
policy: { allow: [{ shell: "**" }] }
stages:
  - id: both
    group:
      parallel:
        - { id: quick, command: "echo quick" }
        - { id: slow, command: "echo slow; sleep 0.3; echo done" }
  - { id: last, command: "echo last; test ! -e wait || sleep 30" }
`;
const KINDS = ["heartbeats", "logs", "tmp"];

let project: Project;
beforeEach(() => {
  project = createProject({ "blueprint.yaml": BLUEPRINT });
});
afterEach(() => project.remove());

const namesIn = (kind: string): readonly string[] => {
  const folder = join(project.root, ".pawl", kind);
  return existsSync(folder) ? readdirSync(folder) : [];
};
const left = (): readonly string[] => KINDS.flatMap((kind) => namesIn(kind).map((name) => `${kind}/${name}`));

describe("heartbeats, live logs and inputs", () => {
  it("are gone when their run has ended", async () => {
    expect((await project.pawl("run", "blueprint.yaml")).code).toBe(0);
    expect(left().filter((name) => name !== "tmp/empty")).toEqual([]);
  });

  it("stay for the next host of a run whose host was killed, and go when it ends", async () => {
    project.write("wait", "");
    const host = project.start("run", "blueprint.yaml");
    await eventually(() => namesIn("heartbeats").length === 3 && namesIn("logs").length === 1, "the last stage runs");
    host.child.kill("SIGKILL");
    await host.ended;
    expect((await project.pawl("gc")).code).toBe(0);
    expect(namesIn("heartbeats")).toHaveLength(3);
    expect((await project.pawl("cancel", "@last")).code).toBe(0);
    expect(left().filter((name) => name !== "tmp/empty")).toEqual([]);
  });

  it("of runs that no journal mentions stay, whatever gc does", async () => {
    expect((await project.pawl("run", "blueprint.yaml")).code).toBe(0);
    writeFileSync(join(project.root, ".pawl/heartbeats", `r_gone-${"a".repeat(24)}.json`), "{}");
    mkdirSync(join(project.root, ".pawl/logs/r_gone"), { recursive: true });
    expect((await project.pawl("gc", "--dry-run")).code).toBe(0);
    expect([namesIn("heartbeats").length, namesIn("logs").length]).toEqual([1, 1]);
    expect((await project.pawl("gc")).code).toBe(0);
    expect([namesIn("heartbeats").length, namesIn("logs").length]).toEqual([1, 1]);
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planFrom } from "../../../test/support/plan-from-yaml.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { createMemoryBoard } from "../../adapters/memory/loops/board.ts";
import type { RunId } from "../../base/ids.ts";
import { createCoordinator } from "../../loops/coordinate/coordinator.ts";
import type { Store } from "../../ports/store/store.ts";
import type { Wanted } from "./admission.ts";
import { forgetOver, HELD_NOTHING, holdAgain } from "./hold-again.ts";

const [RUN, FORK] = ["r_1" as RunId, "r_2" as RunId];
const WATCH = { signal: new AbortController().signal, onWait: () => undefined, onLost: () => undefined };
const PLAN = planFrom(
  'version: 1\nname: fix\npolicy: { allow: [{ run: ["true"] }] }\nstages: [{ id: a, command: ["true"] }]\n',
  { level: "L2" },
);

/** A project whose pawl.yaml is `text`; what is asked for is noted, and had. */
function place(text: string) {
  const root = tempDir();
  writeFileSync(join(root, "pawl.yaml"), text);
  const asked: [string, RunId, Wanted][] = [];
  const leave = async (): Promise<void> => undefined;
  const coordinator = createCoordinator(createMemoryBoard());
  const status = new Map<RunId, string>();
  const store = {
    runs: { get: async (run: RunId) => ({ run, plan: "p", status: status.get(run) ?? "running" }) },
    journal: { plan: async () => PLAN },
  } as unknown as Store;
  const parts = {
    ...{ root, coordinator, open: async () => ({ store }) },
    holdAs: async (...given: [string, RunId, Wanted, unknown]) => {
      asked.push([given[0], given[1], given[2]]);
      return leave;
    },
  };
  const begun = { id: RUN, loop: "fix", level: "L2", priority: 1, paths: ["old/**"], maxOpen: 3 } as const;
  return { parts, asked, coordinator, store, status, begin: () => coordinator.mayStart(begun, 0) };
}

const LOOP = 'version: 1\nloops:\n  fix: { blueprint: fix.yaml, level: L3, priority: 7, paths: ["new/**"] }\n';

describe("a run that goes on", () => {
  it("asks as its loop, at its own level, for the paths that pawl.yaml says now", async () => {
    const { parts, asked, begin } = place(LOOP);
    await begin();
    expect(await holdAgain(parts, RUN, WATCH)).toMatchObject({ loop: "fix" });
    expect(asked).toEqual([["fix", RUN, { level: "L2", priority: 7, paths: ["new/**"], maxOpen: null }]]);
  });

  it("asks for the paths that it began with when its loop is gone", async () => {
    const { parts, asked, begin } = place("version: 1\n");
    await begin();
    await holdAgain(parts, RUN, WATCH);
    expect(asked).toEqual([["fix", RUN, { level: "L2", priority: 1, paths: ["old/**"], maxOpen: null }]]);
  });

  it("waits for nobody when no loop has begun it", async () => {
    const { parts, asked } = place(LOOP);
    expect(await holdAgain(parts, RUN, WATCH)).toBe(HELD_NOTHING);
    expect(asked).toEqual([]);
  });

  it("is of the loop of the run that it was forked from, also when that is over", async () => {
    const { parts, asked } = place(LOOP);
    expect(await holdAgain(parts, FORK, WATCH, RUN)).toMatchObject({ loop: "fix" });
    expect(asked).toEqual([["fix", FORK, { level: "L2", priority: 7, paths: ["new/**"], maxOpen: null }]]);
    const other = place("version: 1\nloops:\n  other: { blueprint: fix.yaml }\n");
    expect(await holdAgain(other.parts, FORK, WATCH, RUN)).toBe(HELD_NOTHING);
  });

  it("is known until it is over, whoever ends it", async () => {
    const { store, coordinator, status, begin } = place(LOOP);
    await begin();
    await forgetOver(store, coordinator);
    expect(await coordinator.letIn(RUN)).toEqual({ loop: "fix", level: "L2", priority: 1, paths: ["old/**"] });
    status.set(RUN, "cancelled");
    await forgetOver(store, coordinator);
    expect(await coordinator.letIn(RUN)).toBeNull();
  });
});

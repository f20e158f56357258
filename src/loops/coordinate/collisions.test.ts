import { expect, test } from "vitest";
import { collisionsOf } from "./collisions.ts";
import type { PathLock } from "./locks.ts";

const lock = (loop: string, paths: readonly string[]): PathLock => ({
  ...{ owner: `${loop}@1`, loop, paths, token: 1, since: 0, until: 9, leaseMs: 9 },
});

test("L11: what a run changed is told against what others hold and have merged, and not against its own loop", () => {
  const change = { loop: "me", id: "r_1", paths: ["src/a.ts", "docs/x.md"] };
  const held = [lock("me", ["**"]), lock("docs", ["docs/**"]), lock("web", ["web/**"])];
  const merged = [
    { loop: "deps", id: "r_2-ab", paths: ["package.json", "src/a.ts"] },
    { loop: "deps", id: "r_3-ab", paths: ["src/b.ts"] },
  ];
  expect(collisionsOf(change, held, merged)).toEqual([
    "loop docs works on docs/x.md",
    "r_2-ab of loop deps has changed src/a.ts",
  ]);
});

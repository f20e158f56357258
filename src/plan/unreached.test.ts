import { expect, test } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import type { Level } from "../blueprint/blueprint.ts";

const TEXT = `stages:
  - { id: look, command: [ok] }
  - { id: tell, level: L2, command: [ok] }
  - { id: join, level: L3, command: [ok], on_failure: undo }
  - { id: undo, command: [ok] }
`;
const unreached = (level: Level, text = TEXT) => planFrom(text, { level }).unreached;

test("L13: a plan names the stages that lower levels do not reach, those behind a cut one too", () => {
  expect(unreached("L3")).toEqual({ L1: ["tell", "join", "undo"], L2: ["join", "undo"] });
  expect(unreached("L2")).toEqual({ L1: ["tell"] });
  expect([unreached("L1"), unreached("L0")]).toEqual([undefined, undefined]);
  expect(unreached("L3", "stages:\n  - { id: look, command: [ok] }\n")).toBeUndefined();
});

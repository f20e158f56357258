import { expect, it } from "vitest";
import { formatInstant } from "../../base/text/instant.ts";
import type { Loop } from "../../blueprint/project/project-file.ts";
import type { Standing } from "../../ports/loops/slots.ts";
import { nextTimeOf } from "./next-time.ts";
import { createLoopReader } from "./served-loop.ts";

const NOON = Date.UTC(2026, 5, 1, 12);
const LOOP: Loop = {
  ...{ name: "fix", source: "a.yaml", kind: "blueprint", level: "L1", params: {}, catchUp: "one", jitterMs: 0 },
  ...{ priority: 0, lane: "default", paths: [], maxOpen: null, agent: null, weight: { memoryBytes: 0, cpus: 0 } },
  trigger: { kind: "every", minMs: 60_000, maxMs: 60_000 },
  where: { file: "pawl.yaml", line: 1, column: 1, length: 1 },
};
const standing = (fields: Partial<Standing>): Standing => ({
  ...{ loop: "fix", next: NOON, armedAt: NOON, open: null },
  trigger: createLoopReader()(LOOP).trigger,
  ...fields,
});

it("is told as it is stored, for the trigger that is written now", () => {
  const unseen = { text: "no next time yet: `pawl serve` has not seen it", isLate: false };
  expect(nextTimeOf({ ...LOOP, trigger: null }, undefined, NOON)).toBeNull();
  expect(nextTimeOf(LOOP, undefined, NOON)).toEqual(unseen);
  expect(nextTimeOf(LOOP, standing({ trigger: "another" }), NOON)).toEqual(unseen);
  expect(nextTimeOf(LOOP, standing({ next: null }), NOON)).toEqual(unseen);
  expect(nextTimeOf(LOOP, standing({}), NOON)).toEqual({ text: `next at ${formatInstant(NOON)}`, isLate: false });
});

it("is late when it has passed for longer than whoever serves may take, its jitter besides, and no run is open", () => {
  const late = { text: `was due at ${formatInstant(NOON)}, and nobody has run it`, isLate: true };
  expect(nextTimeOf(LOOP, standing({}), NOON + 120_000)?.isLate).toBe(false);
  expect(nextTimeOf(LOOP, standing({}), NOON + 120_001)).toEqual(late);
  expect(nextTimeOf({ ...LOOP, jitterMs: 3_600_000 }, standing({}), NOON + 120_001)?.isLate).toBe(false);
  const open = { loop: "fix", slot: "a", at: NOON, isSubmitted: true };
  expect(nextTimeOf(LOOP, standing({ open }), NOON + 3_600_000)).toEqual({
    text: `next at ${formatInstant(NOON)}, when its open run is over`,
    isLate: false,
  });
});

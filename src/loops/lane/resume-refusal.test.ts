import { expect, it } from "vitest";
import { createMemoryBoard } from "../../adapters/memory/loops/board.ts";
import type { RunId } from "../../base/ids.ts";
import { noteRefusal, refusalOf } from "./resume-refusal.ts";

const RUN = "r_1" as RunId;
const REFUSAL = { events: 7, code: "SANDBOX_UNAVAILABLE", what: "no wall", at: 5 };

it("is known to every process, until the run has a newer event", async () => {
  const board = createMemoryBoard();
  expect(await refusalOf(board, { run: RUN, events: 7 })).toBe(null);
  await noteRefusal(board, RUN, REFUSAL);
  expect(await refusalOf(board, { run: RUN, events: 7 })).toEqual(REFUSAL);
  expect(await refusalOf(board, { run: RUN, events: 8 })).toBe(null);
});

import { expect, test } from "vitest";
import type { RunId } from "../../../base/ids.ts";
import { changeId } from "./change.ts";

test("a commit that a run hands in again is the same change, and another commit or another run is another", () => {
  const [run, other] = ["r1" as RunId, "r2" as RunId];
  const source = "0123456789abcdef";
  expect([changeId(run, source), changeId(run, source), changeId(run, `f${source}`), changeId(other, source)]).toEqual([
    "r1-0123456789ab",
    "r1-0123456789ab",
    "r1-f0123456789a",
    "r2-0123456789ab",
  ]);
});

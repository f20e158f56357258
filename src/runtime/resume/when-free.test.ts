import { expect, test } from "vitest";
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import type { RunIndex, RunRow } from "../../ports/store/run-index.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import { whenFree } from "./when-free.ts";

const RUN = "r_1" as RunId;
const HELD = pawlError(RUN_ERRORS, "RUN_HELD", { run: RUN, pid: 7, hostname: "h" });

/** Work that fails with these errors, one after the other, and then succeeds. */
function workThat(...ends: readonly Error[]) {
  let asked = 0;
  const work = async (): Promise<string> => {
    const end = ends[asked];
    asked += 1;
    if (end !== undefined) throw end;
    return "done";
  };
  return { work, asked: () => asked };
}

const runsIn = (status: RunRow["status"]): Pick<RunIndex, "get"> => ({ get: async () => ({ status }) as RunRow });

test("a run that another process has for a moment is waited for", async () => {
  const { work, asked } = workThat(HELD, HELD);
  expect([await whenFree(runsIn("waiting"), RUN, work), asked()]).toEqual(["done", 3]);
});

test("one that another process keeps, hosts, or that cannot resume, is told", async () => {
  const kept = workThat(...Array(41).fill(HELD));
  await expect(whenFree(runsIn("waiting"), RUN, kept.work)).rejects.toBe(HELD);
  const hosted = workThat(HELD);
  await expect(whenFree(runsIn("running"), RUN, hosted.work)).rejects.toBe(HELD);
  const over = pawlError(RUN_ERRORS, "RUN_ENDED", { run: RUN, status: "failed", reason: "stage_failed" });
  const ended = workThat(over);
  await expect(whenFree(runsIn("waiting"), RUN, ended.work)).rejects.toBe(over);
  expect([kept, hosted, ended].map(({ asked }) => asked())).toEqual([41, 1, 1]);
});

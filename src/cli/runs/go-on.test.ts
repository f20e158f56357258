import { expect, test } from "vitest";
import { pawlError } from "../../base/errors.ts";
import type { RunId } from "../../base/ids.ts";
import { RUN_ERRORS } from "../../run/errors.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { goOn } from "./go-on.ts";

const RUN = "r_1" as RunId;
const HELD = pawlError(RUN_ERRORS, "RUN_HELD", { run: RUN, pid: 7, hostname: "h" });

function runtimeThat(...ends: readonly Error[]): { readonly resume: Runtime["resume"]; readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const left = [...ends];
  const resume: Runtime["resume"] = async (run, options) => {
    asked.push([run, options]);
    const end = left.shift();
    if (end !== undefined) throw end;
    return { run: RUN, ended: Promise.reject(HELD) };
  };
  return { resume, asked };
}

test("a run that another process has for a moment is gone on with", async () => {
  const runtime = runtimeThat(HELD, HELD);
  const { run, ended } = await goOn(runtime, RUN, "ann");
  await expect(ended).rejects.toBe(HELD);
  expect(run).toBe(RUN);
  expect(runtime.asked).toEqual(Array(3).fill([RUN, { by: "ann" }]));
});

test("one that another process keeps, or that cannot go on, is told", async () => {
  await expect(goOn(runtimeThat(...Array(41).fill(HELD)), RUN, "ann")).rejects.toBe(HELD);
  const over = pawlError(RUN_ERRORS, "RUN_ENDED", { run: RUN, status: "failed", reason: "stage_failed" });
  const runtime = runtimeThat(over);
  await expect(goOn(runtime, RUN, "ann")).rejects.toBe(over);
  expect(runtime.asked).toHaveLength(1);
});

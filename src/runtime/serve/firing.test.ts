import { expect, it } from "vitest";
import { createMemoryLoops } from "../../adapters/memory/loops/loop-store.ts";
import { createSystemClock } from "../../adapters/system/clock.ts";
import { parseProject } from "../../blueprint/project/parse-project.ts";
import type { Standing } from "../../ports/loops/slots.ts";
import { createFiring } from "./firing.ts";
import { createLoopReader } from "./served-loop.ts";

const NAMES = ["delivery:1", "delivery:2", "delivery:3"];

/** The slots of a loop that were run, when all its deliveries came at once. */
async function ran(catchUp: string): Promise<readonly string[]> {
  const text = `loops: { hook: { blueprint: a.yaml, webhook: { secret_file: /x }, catch_up: ${catchUp} } }`;
  const file = parseProject(text, "pawl.yaml");
  const [loop] = file.ok ? file.value.loops : [];
  if (loop === undefined) throw new Error("the file is not good");
  const served = createLoopReader()(loop);
  const clock = createSystemClock();
  const { slots, jobs } = createMemoryLoops({ clock, uptime: () => 0 });
  const told: string[] = [];
  const firing = createFiring({
    ...{ slots, jobs, now: clock.now, row: async () => undefined, onSubmitted: () => undefined },
    tell: (news) => void (news.type === "slot.fired" && told.push(news.slot)),
  });
  await slots.arm({ loop: "hook", was: null, next: null, trigger: served.trigger, at: clock.now() });
  for (const name of NAMES) expect(await firing.deliver(served, name)).toBe(true);
  for (;;) {
    const claim = await jobs.claim({ at: clock.now(), leaseMs: 1000 });
    if (claim !== null) await jobs.finish(claim.job.id, claim.token, clock.now());
    if (await firing.isFree(served, (await slots.standing("hook")) as Standing)) return told;
  }
}

it("R7: of deliveries that come while a run is open, `all` runs each, `one` the newest, and `skip` none", async () => {
  expect(await ran("all")).toEqual(NAMES);
  expect(await ran("one")).toEqual(["delivery:1", "delivery:3"]);
  expect(await ran("skip")).toEqual(["delivery:1"]);
});

import { describe, expect, it } from "vitest";
import { planFrom } from "../../test/support/plan-from-yaml.ts";
import { createTestHost, type TestHost } from "../../test/support/run-plan.ts";
import { type PawlError, pawlError } from "../base/errors.ts";
import { WORKSPACE_ERRORS } from "../ports/errors/workspace-errors.ts";
import type { Workspaces } from "../ports/workspaces.ts";
import type { Fact } from "../run/events.ts";
import { createHalt } from "./control/halt.ts";
import { recover } from "./recover.ts";
import { restore } from "./replay.ts";

const PLAN = planFrom("stages:\n  - { id: a, command: [ok], effect: idempotent }\n");
const LOST = [
  { type: "run.resumed", after: "interruption" },
  { type: "stage.interrupted", stage: "a", attempt: 1 },
];
const TOO_LARGE = pawlError(WORKSPACE_ERRORS, "WORKSPACE_TOO_LARGE", {
  ...{ found: "2 GB", most: "1 GB", setting: "max_size", largest: "core", folder: "/w" },
});

function cutOff(signal: AbortSignal | undefined): PawlError {
  const data = { doing: "Saving", why: String(signal?.reason), kept: "The files stay." };
  return pawlError(WORKSPACE_ERRORS, "WORKSPACE_INTERRUPTED", data);
}

/** A run whose host was lost in its only stage. */
async function lostRun(): Promise<TestHost> {
  const host = createTestHost(PLAN, { stages: { a: ["hang"] } });
  const lost = host.start();
  await host.busy();
  host.inbox.fail("killed");
  await expect(lost).rejects.toBe("killed");
  host.clock.forget();
  return host;
}

async function recovered(
  { run, ports, events }: TestHost,
  salvage: Workspaces["salvage"],
  halt = createHalt(),
): Promise<readonly Fact[]> {
  const workspaces = { ...ports.workspaces, salvage };
  const landings = await recover(restore(run, PLAN, await events()), { ...ports, workspaces }, halt);
  return landings.map(({ fact }) => fact);
}

describe("recover", () => {
  it("names the tree of what a lost attempt left, and none where there is no workspace", async () => {
    const host = await lostRun();
    const [resumed, lost] = LOST;
    expect(await recovered(host, async () => "t")).toEqual([resumed, { ...lost, tree: "t" }]);
    expect(await recovered(host, async () => null)).toEqual(LOST);
  });

  it("leaves what is too large to be saved to the attempt that finds it", async () => {
    const host = await lostRun();
    expect(await recovered(host, () => Promise.reject(TOO_LARGE))).toEqual(LOST);
  });

  it("leaves what cannot be saved in the time of its stage to the attempt that finds it", async () => {
    const host = await lostRun();
    const ends: unknown[] = [];
    const facts = await recovered(host, async (_place, _label, signal) => {
      ends.push(signal?.aborted, host.clock.advance(), signal?.aborted);
      throw cutOff(signal);
    });
    expect([facts, ends]).toEqual([LOST, [false, true, true]]);
  });

  it("leaves what cannot be saved within 5 s of the end of the run, and records what was lost", async () => {
    const host = await lostRun();
    const ending = createHalt();
    ending.end("stop");
    const begun = host.clock.now();
    const facts = await recovered(
      host,
      async (_place, _label, signal) => {
        host.clock.advance();
        expect([signal?.aborted, host.clock.now() - begun]).toEqual([true, 5000]);
        throw cutOff(signal);
      },
      ending,
    );
    expect(facts).toEqual(LOST);
  });

  it("rejects when its host leaves meanwhile, however saving ended", async () => {
    const host = await lostRun();
    const leaving = createHalt();
    const cut = recovered(
      host,
      async (_place, _label, signal) => {
        leaving.end("drain");
        throw cutOff(signal);
      },
      leaving,
    );
    await expect(cut).rejects.toThrow("Saving was cut off: its host is leaving. The files stay.");
    await expect(recovered(host, () => Promise.reject(TOO_LARGE), leaving)).rejects.toBe(TOO_LARGE);
  });

  it("rejects with whatever else goes wrong, and leaves no timer behind", async () => {
    const host = await lostRun();
    const full = pawlError(WORKSPACE_ERRORS, "WORKSPACE_DISK_FULL", { path: "/w" });
    await expect(recovered(host, () => Promise.reject(full))).rejects.toBe(full);
    const defect = new Error("defect");
    await expect(recovered(host, () => Promise.reject(defect))).rejects.toBe(defect);
    expect(host.clock.advance()).toBe(false);
  });

  it("has nothing to say of a run that is not under way", async () => {
    const host = createTestHost(PLAN);
    await host.start();
    expect(await recovered(host, () => Promise.reject(new Error("nothing is saved")))).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { createVirtualClock, type VirtualClock } from "../../../test/support/virtual-clock.ts";
import { createHalt, type Halt, type HaltReason } from "./halt.ts";
import { openTimeBox, type TimeBox } from "./time-box.ts";

interface Opened {
  readonly box: TimeBox;
  readonly clock: VirtualClock;
  readonly halt: Halt;
}

function opened(): Opened {
  const clock = createVirtualClock(0);
  const halt = createHalt();
  return { box: openTimeBox(60_000, clock, halt), clock, halt };
}

const seen = ({ box, clock }: Opened): unknown => ({
  at: clock.now(),
  reason: box.signal.aborted ? box.signal.reason : null,
  failure: box.failureFor("refused", "spawn_error"),
});

const OPEN = { at: 0, reason: null, failure: { outcome: "failure", cause: "spawn_error", error: "refused" } };
const KILLED = { outcome: "failure", cause: "killed", error: "refused" };

describe("a time box", () => {
  it("ends a little after the time of the stage", () => {
    const here = opened();
    expect([seen(here), here.clock.advance(), seen(here)]).toEqual([
      OPEN,
      true,
      {
        at: 90_000,
        reason: "its time was over (1m of the stage and 30s)",
        failure: { outcome: "failure", cause: "timeout", error: "refused" },
      },
    ]);
  });

  it.each<[HaltReason, number, string]>([
    ["stop", 5000, "the run is ending"],
    ["kill", 300, "the run was killed"],
  ])("gives what is under way a moment after a %s", (why, at, reason) => {
    const here = opened();
    here.halt.end(why);
    expect([seen(here), here.clock.advance(), seen(here)]).toEqual([OPEN, true, { at, reason, failure: KILLED }]);
  });

  it("ends at once when its host leaves", () => {
    const here = opened();
    here.halt.end("drain");
    expect(seen(here)).toEqual({ at: 0, reason: "its host is leaving", failure: KILLED });
  });

  it("leaves no timer behind when it is closed, not that of the moment either", () => {
    const here = opened();
    here.halt.end("stop");
    here.box.close();
    expect([here.clock.advance(), seen(here)]).toEqual([false, OPEN]);
  });
});

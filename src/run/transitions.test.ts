import { describe, expect, it } from "vitest";
import type { EventType } from "./events.ts";
import { isTerminal, REASONS, STATUSES, TERMINAL } from "./reasons.ts";
import { TRANSITIONS, transition } from "./transitions.ts";

describe("the transition table", () => {
  it("has no way out of an ended run", () => {
    for (const status of TERMINAL) expect(TRANSITIONS[status]).toEqual({});
  });

  it("ends every status that has not ended, or leads it to one that can", () => {
    for (const status of STATUSES.filter((candidate) => !isTerminal(candidate))) {
      expect(Object.keys(TRANSITIONS[status]).length, status).toBeGreaterThan(0);
    }
    expect(transition("running", "run.finished")).toBe("ended");
  });

  it("knows nothing that it does not list", () => {
    expect(transition("queued", "run.finished")).toBeUndefined();
    expect(transition("running", "run.created" satisfies EventType)).toBeUndefined();
  });
});

describe("stop reasons", () => {
  it("give success to nothing that is a bound, a denial or a failure", () => {
    const good = Object.entries(REASONS).filter(([, status]) => status === "succeeded");
    expect(good.map(([reason]) => reason)).toEqual(["goal_achieved", "noop", "reported", "proposed", "merged"]);
  });
});

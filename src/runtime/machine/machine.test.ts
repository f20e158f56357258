import { describe, expect, it, vi } from "vitest";
import { PATIENCE_MS } from "../../../test/support/slowness.ts";
import { createLoopState } from "../../adapters/memory/loops/loop-state.ts";
import { createMemoryLoops } from "../../adapters/memory/loops/loop-store.ts";
import { createSystemClock } from "../../adapters/system/clock.ts";
import { NO_WEIGHT } from "../../limits/admission/admission.ts";
import { createMachine } from "./machine.ts";

const HALF = { memoryBytes: 60, cpus: 1 };
const TOTAL = { memoryBytes: 100, cpus: 4 };

/** Machines that two processes would open. */
function two() {
  const state = createLoopState();
  const clock = createSystemClock();
  let opened = 0;
  const open = async () => {
    opened += 1;
    return createMemoryLoops({ clock, state, uptime: () => 0 });
  };
  const quick = { after: (_ms: number, call: () => void) => clock.after(1, call) };
  const machine = () => createMachine({ open, clock: quick, total: () => TOTAL });
  return { first: machine(), second: machine(), opened: () => opened };
}

describe("the machine", () => {
  it("lets a run begin when another that holds too much has left", async () => {
    const { first, second } = two();
    expect(await first.enter("a", HALF)).toBeNull();
    expect(await second.enter("b", HALF)).toBe("the memory of the machine is taken");
    const told: string[] = [];
    const { signal } = new AbortController();
    const onWait = (why: string): void => {
      told.push(why);
      setTimeout(() => void first.leave("a"), 5);
    };
    await second.wait("b", HALF, { signal, onWait });
    expect(told).toEqual(["the memory of the machine is taken"]);
    expect(await first.enter("a", HALF)).not.toBeNull();
    await second.close();
    expect(await first.enter("a", HALF)).toBeNull();
  });

  it("is waited for no more when that is ended", async () => {
    const { first, second } = two();
    expect(await first.enter("a", HALF)).toBeNull();
    const stop = new AbortController();
    await second.wait("b", HALF, { signal: stop.signal, onWait: () => stop.abort() });
    await second.close();
    await first.leave("a");
    expect(await first.enter("a", TOTAL)).toBeNull();
  });

  it("is not even opened for a run without a weight", async () => {
    const { first, opened } = two();
    expect(await first.enter("a", NO_WEIGHT)).toBeNull();
    await first.leave("a");
    await first.close();
    expect(opened()).toBe(0);
  });

  it("L7: has its room back also when that could not be stored at first, and before anything else begins there", async () => {
    const [clock, state] = [createSystemClock(), createLoopState()];
    const store = createMemoryLoops({ clock, state, uptime: () => 0 });
    let times = 2;
    const leave = async (key: string): Promise<void> => {
      times -= 1;
      if (times > 0) throw new Error("busy");
      await store.admissions.leave(key);
    };
    const open = async () => ({ ...store, admissions: { ...store.admissions, leave } });
    const quick = { after: (_ms: number, call: () => void) => clock.after(1, call) };
    const machine = createMachine({ open, clock: quick, total: () => TOTAL });
    expect(await machine.enter("a", HALF)).toBeNull();
    await expect(machine.leave("a")).rejects.toThrow("busy");
    await vi.waitFor(async () => expect(await store.admissions.list()).toEqual([]), PATIENCE_MS);
    times = 2;
    expect(await machine.enter("a", HALF)).toBeNull();
    await expect(machine.leave("a")).rejects.toThrow("busy");
    expect(await machine.enter("b", HALF)).toBeNull();
    await machine.close();
    await machine.leave("b");
  });

  it("is as big as is said now: what pawl.yaml says anew counts from the next run on", async () => {
    const clock = createSystemClock();
    const open = async () => createMemoryLoops({ clock, uptime: () => 0 });
    let total = { memoryBytes: 100, cpus: 4 };
    const machine = createMachine({ open, clock, total: () => total });
    expect(await machine.enter("a", HALF)).toBeNull();
    expect(await machine.enter("b", HALF)).toBe("the memory of the machine is taken");
    await machine.leave("b");
    total = { memoryBytes: 200, cpus: 4 };
    await machine.leave("a");
    expect(await machine.enter("a", HALF)).toBeNull();
    expect(await machine.enter("b", HALF)).toBeNull();
  });

  it("is as big as it is when nobody says less", async () => {
    const clock = createSystemClock();
    const open = async () => createMemoryLoops({ clock, uptime: () => 0 });
    expect(
      await createMachine({ open, clock, total: () => null }).enter("a", { memoryBytes: 2 ** 60, cpus: 9999 }),
    ).toBeNull();
  });
});

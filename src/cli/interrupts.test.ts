import { describe, expect, it } from "vitest";
import { createInterrupts, type SignalSource } from "./interrupts.ts";

function source(): SignalSource & { send(signal: NodeJS.Signals): void; codes: number[] } {
  const listeners = new Map<string, () => void>();
  const codes: number[] = [];
  return {
    codes,
    on: (signal, listener) => listeners.set(signal, listener),
    exit: (code) => codes.push(code),
    send: (signal) => listeners.get(signal)?.(),
  };
}

describe("createInterrupts", () => {
  it("ends the process when no command has said otherwise", () => {
    const signals = source();
    createInterrupts(signals);
    signals.send("SIGTERM");
    expect(signals.codes).toEqual([130]);
  });

  it("tells a handler the kind and the count, until it is released", () => {
    const signals = source();
    const told: string[] = [];
    const release = createInterrupts(signals).handle((kind, times) => told.push(`${kind} ${times}`));
    signals.send("SIGINT");
    signals.send("SIGHUP");
    release();
    signals.send("SIGINT");
    expect(told).toEqual(["interrupt 1", "terminate 2"]);
    expect(signals.codes).toEqual([130]);
  });

  it("aborts on the first signal and ends the process on the second", () => {
    const signals = source();
    const signal = createInterrupts(signals).untilInterrupted();
    expect(signal.aborted).toBe(false);
    signals.send("SIGINT");
    expect([signal.aborted, signals.codes]).toEqual([true, []]);
    signals.send("SIGINT");
    expect(signals.codes).toEqual([130]);
  });
});

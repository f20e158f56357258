import { describe, expect, it } from "vitest";
import { createHalt, haltOfHost } from "./halt.ts";

describe("a halt", () => {
  it("calls back once with its first reason, at once for those who come late, and not for those who left", () => {
    const halt = createHalt();
    const heard: string[] = [];
    halt.onEnd((reason) => heard.push(`early ${reason}`));
    halt.onEnd(() => heard.push("left"))();
    expect([halt.hasEnded(), halt.reason()]).toEqual([false, null]);
    halt.end("stop");
    halt.end("drain");
    halt.onEnd((reason) => heard.push(`late ${reason}`));
    expect(heard).toEqual(["early stop", "late stop"]);
    expect([halt.hasEnded(), halt.reason()]).toEqual([true, "stop"]);
  });

  it("aborts the signals it gave and the one it gives later", () => {
    const halt = createHalt();
    const early = halt.signal();
    expect(early.aborted).toBe(false);
    halt.end("drain");
    expect([early.aborted, early.reason, halt.signal()]).toEqual([true, "drain", early]);
    const ended = createHalt();
    ended.end("stop");
    expect(ended.signal().reason).toBe("stop");
  });
});

describe("a halt of a host", () => {
  it("ends when the host leaves, at once when it has left, and not once it is forgotten", () => {
    const staying = new AbortController();
    const present = haltOfHost(staying.signal);
    const forgotten = haltOfHost(staying.signal);
    forgotten.forget();
    expect([present.halt.reason(), forgotten.halt.reason()]).toEqual([null, null]);
    staying.abort();
    expect([present.halt.reason(), forgotten.halt.reason()]).toEqual(["drain", null]);
    expect(haltOfHost(staying.signal).halt.reason()).toBe("drain");
  });
});

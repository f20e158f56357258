import { describe, expect, it } from "vitest";
import { syscallFilter } from "./syscall-filter.ts";

const ALLOWED = "allowed";
const [X86_64, I386, AARCH64] = [0xc000003e, 0x40000003, 0xc00000b7];

/** Runs the filter as the kernel does: `seccomp_data` is the call, the processor, the place and six arguments. */
function answer(processor: string, audit: number, call: number, ...args: readonly bigint[]): string {
  const seen = new DataView(new ArrayBuffer(64));
  seen.setUint32(0, call, true);
  seen.setUint32(4, audit, true);
  for (const [index, value] of args.entries()) seen.setBigUint64(16 + index * 8, value, true);
  const bytes = syscallFilter(processor) as Uint8Array;
  const program = new DataView(bytes.buffer);
  let held = 0;
  for (let at = 0; at < bytes.length / 8; at += 1) {
    const [code, value] = [program.getUint16(at * 8, true), program.getUint32(at * 8 + 4, true)];
    const [ifTrue, ifFalse] = [program.getUint8(at * 8 + 2), program.getUint8(at * 8 + 3)];
    if (code === 0x20) held = seen.getUint32(value, true);
    else if (code === 0x15) at += held === value ? ifTrue : ifFalse;
    else if (code === 0x35) at += held >= value ? ifTrue : ifFalse;
    else if (code === 0x06) return value === 0x7fff0000 ? ALLOWED : `error ${value - 0x00050000}`;
    else throw new Error(`unknown code ${code}`);
  }
  throw new Error("the program ends without an answer");
}

describe("syscallFilter", () => {
  it.each([
    ["x64", X86_64, [0, 1, 2, 9, 39, 42, 56, 57, 59, 101, 165, 435]],
    ["x64", I386, [1, 3, 4, 11, 20]],
    ["arm64", AARCH64, [56, 63, 64, 117, 220, 221]],
  ])("allows what programs need on %s %i", (processor, audit, calls) => {
    for (const call of calls) expect(answer(processor, audit, call, 5n, 5n)).toBe(ALLOWED);
  });

  it.each([
    ["x64", X86_64, [248, 249, 250, 103, 321, 298, 323, 425, 426, 427, 438]],
    ["x64", I386, [286, 287, 288, 103, 357, 336, 374, 425, 426, 427, 438, 102]],
    ["arm64", AARCH64, [217, 218, 219, 116, 280, 241, 282, 425, 426, 427, 438]],
  ])("refuses what no namespace separates on %s %i", (processor, audit, calls) => {
    for (const call of calls) expect(answer(processor, audit, call)).toBe("error 1");
  });

  it.each([
    ["x64", X86_64, 41],
    ["x64", I386, 359],
    ["arm64", AARCH64, 198],
  ])("allows only families of sockets that know their network on %s %i", (processor, audit, socket) => {
    const allowed = Array.from({ length: 64 }, (_, family) => family).filter(
      (family) => answer(processor, audit, socket, BigInt(family)) === ALLOWED,
    );
    expect(allowed).toEqual([1, 2, 10, 16]);
    expect(answer(processor, audit, socket, 40n)).toBe("error 97");
    expect(answer(processor, audit, socket, 0x1_0000_0028n)).toBe("error 97");
  });

  it.each([
    ["x64", X86_64, 16],
    ["x64", I386, 54],
    ["arm64", AARCH64, 29],
  ])("lets nobody type into a terminal on %s %i", (processor, audit, ioctl) => {
    for (const request of [0x5412n, 0x541cn, 0xdead_0000_5412n])
      expect(answer(processor, audit, ioctl, 0n, request)).toBe("error 1");
    for (const request of [0x5401n, 0x5413n]) expect(answer(processor, audit, ioctl, 0x5412n, request)).toBe(ALLOWED);
  });

  it.each([
    ["x64", X86_64, [310, 311, 434], 101],
    ["x64", I386, [347, 348, 434], 26],
    ["arm64", AARCH64, [270, 271, 434], 117],
  ])("keeps the first process out of reach on %s %i", (processor, audit, calls, ptrace) => {
    for (const call of calls) {
      expect(answer(processor, audit, call, 1n)).toBe("error 1");
      expect(answer(processor, audit, call, 7n, 1n)).toBe(ALLOWED);
    }
    expect(answer(processor, audit, ptrace, 16n, 1n)).toBe("error 1");
    expect(answer(processor, audit, ptrace, 1n, 7n)).toBe(ALLOWED);
  });

  it("knows no calls of another kind of processor", () => {
    expect(answer("x64", X86_64, 0x40000000 + 39)).toBe("error 38");
    expect(answer("x64", AARCH64, 63)).toBe("error 38");
    expect(answer("arm64", X86_64, 0)).toBe("error 38");
    expect(answer("arm64", 0x40000028, 0)).toBe("error 38");
  });

  it("fits into a pipe, and does not exist for a processor it does not know", () => {
    expect(syscallFilter("x64")?.length).toBeLessThan(4096);
    expect(syscallFilter("mips")).toBeUndefined();
  });
});

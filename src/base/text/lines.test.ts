import { describe, expect, it } from "vitest";
import { createLineReader } from "./lines.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("a line reader", () => {
  it("gives whole lines, however they come", () => {
    const lines = createLineReader(100);
    expect(lines.take(bytes("a\nb"))).toEqual(["a"]);
    expect(lines.rest()).toBe("b");
    expect(lines.take(bytes("c\n\nd\n"))).toEqual(["bc", "", "d"]);
    expect(lines.rest()).toBe("");
  });

  it("puts together a character that was cut in two", () => {
    const lines = createLineReader(100);
    const [first, ...others] = bytes("é\n");
    expect(lines.take(Uint8Array.of(first ?? 0))).toEqual([]);
    expect(lines.take(Uint8Array.from(others))).toEqual(["é"]);
  });

  it("leaves out a line that is too long, and goes on after it", () => {
    const lines = createLineReader(3);
    expect(lines.take(bytes("abcd"))).toEqual([]);
    expect(lines.rest()).toBe("");
    expect(lines.take(bytes("e\nok\n"))).toEqual(["ok"]);
  });
});

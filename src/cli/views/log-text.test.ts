import { describe, expect, it } from "vitest";
import { logText, tailOfLog } from "./log-text.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("logText", () => {
  it("takes colours out, keeps lines and tabs, and shows the rest as escapes", () => {
    expect(logText(bytes("\u001b[31mred\u001b[0m\r\n\tok \u0007 \u202e\n"))).toBe("red\n\tok \\x07 \\u202e\n");
  });

  it("shows bytes that are no text without failing", () => {
    expect(logText(new Uint8Array([0xff, 0x41, 0]))).toBe("\ufffdA\\x00");
  });
});

describe("tailOfLog", () => {
  it("gives the last lines, cut to a length a person reads", () => {
    const text = `${Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n")}\n${"x".repeat(1000)}\n\n`;
    const tail = tailOfLog(bytes(text), 3);
    expect(tail.slice(0, 2)).toEqual(["line 28", "line 29"]);
    expect(tail[2]).toHaveLength(400);
  });

  it("reads a line that was redrawn as a person saw it last", () => {
    expect(tailOfLog(bytes("10%\r50%\r100%\r\ndone\n"), 5)).toEqual(["100%", "done"]);
  });
});

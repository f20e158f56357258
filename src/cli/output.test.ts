import { describe, expect, it } from "vitest";
import { createOutput, jsonText, type Sink } from "./output.ts";

function sink(isTTY = false): Sink & { text: string; fail(code?: string): void } {
  let onError: (error: NodeJS.ErrnoException) => void = () => undefined;
  return {
    text: "",
    isTTY,
    write(chunk) {
      this.text += String(chunk);
      return true;
    },
    on(_event, listener) {
      onError = listener;
    },
    fail: (code = "EPIPE") => onError(Object.assign(new Error(`write ${code}`), { code })),
  };
}

describe("createOutput", () => {
  it("writes lines for people in the human format only", () => {
    const out = sink();
    createOutput(out, sink(), { format: "json", color: true }).line("hello");
    expect(out.text).toBe("");
    createOutput(out, sink(), { format: "human", color: true }).line("hello");
    expect(out.text).toBe("hello\n");
  });

  it("colours a terminal and nothing else, each stream for itself", () => {
    const output = createOutput(sink(), sink(true), { format: "human", color: true });
    expect(output.paint.red("x")).toBe("x");
    expect(output.errorPaint.red("x")).toBe("\u001b[31mx\u001b[39m");
    expect(createOutput(sink(true), sink(), { format: "human", color: false }).paint.red("x")).toBe("x");
  });

  it("has a live view only for people at a terminal", () => {
    expect(createOutput(sink(true), sink(), { format: "human", color: true }).live).toBe(true);
    expect(createOutput(sink(true), sink(), { format: "jsonl", color: true }).live).toBe(false);
    expect(createOutput(sink(), sink(), { format: "human", color: true }).live).toBe(false);
  });

  it("drops what is written after the reader has gone, and says so", () => {
    const out = sink();
    const output = createOutput(out, sink(), { format: "human", color: false });
    output.line("one");
    out.fail();
    output.line("two");
    expect(out.text).toBe("one\n");
    expect(output.gone.aborted).toBe(true);
  });

  it("tells a reader that has left from a disk that is full", () => {
    const [left, full] = [sink(), sink()];
    const outputs = [left, full].map((out) => createOutput(out, sink(), { format: "human", color: false }));
    expect(outputs.map((output) => output.lost())).toEqual([null, null]);
    left.fail();
    full.fail("ENOSPC");
    full.fail("EDQUOT");
    expect(outputs.map((output) => output.lost())).toEqual([null, "write ENOSPC"]);
  });

  it("writes a document over lines, and on one line for jsonl", () => {
    const out = sink();
    createOutput(out, sink(), { format: "jsonl", color: false }).document({ a: [1] });
    createOutput(out, sink(), { format: "json", color: false }).document({ a: 1 });
    expect(out.text).toBe('{"a":[1]}\n{\n  "a": 1\n}\n');
  });
});

describe("jsonText", () => {
  it("escapes what a terminal would obey and keeps the value", () => {
    const value = { text: "\u009b31m \u202e \u2028 \u001b[2J é 漢 \u200b \u2060 \ufeff \u{e0041} \ufff9 🙂" };
    const text = jsonText(value, 0);
    const hidden = "\\u200b \\u2060 \\ufeff \\udb40\\udc41 \\ufff9";
    expect(text).toBe(`{"text":"\\u009b31m \\u202e \\u2028 \\u001b[2J é 漢 ${hidden} 🙂"}`);
    expect(JSON.parse(text)).toEqual(value);
  });
});

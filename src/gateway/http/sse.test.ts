import { describe, expect, it } from "vitest";
import { createSseCutter, eventObject } from "./sse.ts";

function cut(text: string, size: number, most?: number): { events: string[]; rest: string } {
  const cutter = createSseCutter(most);
  const bytes = Buffer.from(text);
  const events: string[] = [];
  for (let at = 0; at < bytes.length; at += size)
    events.push(...cutter.push(bytes.subarray(at, at + size)).map((event) => event.toString()));
  return { events, rest: cutter.rest().toString() };
}

describe("createSseCutter", () => {
  it.each([1, 2, 3, 5, 1000])("cuts at empty lines, in pieces of %i bytes", (size) => {
    const parts = ["data: a\n\n", "event: x\r\ndata: ü\r\n\r\n", ": note\ndata: b\n\n"];
    expect(cut(`${parts.join("")}data: rest`, size)).toEqual({ events: parts, rest: "data: rest" });
  });

  it.each([1, 2, 3, 5, 1000])("leaves together what concerns nobody, in pieces of %i bytes", (size) => {
    const text = 'data: a\n\ndata: b\r\n\r\ndata: {"usage":1}\n\ndata: c\n\ndata: rest';
    const wanted: string[] = [];
    const cutter = createSseCutter(undefined, (bytes) => bytes.includes('"usage"'));
    const bytes = Buffer.from(text);
    const passed: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      for (const event of cutter.push(bytes.subarray(at, at + size))) {
        passed.push(event.toString());
        if (event.includes('"usage"')) wanted.push(event.toString());
      }
    }
    expect(passed.join("") + cutter.rest().toString()).toBe(text);
    expect(wanted).toEqual(['data: {"usage":1}\n\n']);
    expect(cutter.rest().toString()).toBe("data: rest");
  });

  it("does not cut what concerns nobody", () => {
    const cutter = createSseCutter(undefined, () => false);
    expect(cutter.push(Buffer.from("data: a\n\ndata: b\n\ndata: c")).map(String)).toEqual(["data: a\n\ndata: b\n\n"]);
  });

  it("gives up on an event that does not end, and passes its pieces on", () => {
    const text = `data: ${"x".repeat(100)}\n\ndata: b\n\n`;
    const { events, rest } = cut(text, 10, 50);
    expect([events.join(""), rest, events.length > 2]).toEqual([text, "", true]);
  });
});

describe("eventObject", () => {
  it("reads the data of an event, also over several lines", () => {
    expect(eventObject(Buffer.from('event: x\ndata: {"a":1}\n\n'))).toEqual({ a: 1 });
    expect(eventObject(Buffer.from('data:{"a":\r\ndata: 1}\r\n\r\n'))).toEqual({ a: 1 });
  });

  it.each(["data: [DONE]\n\n", "data: [1]\n\n", 'data: {"a"\n\n', ": note\n\n", "\n\n"])("finds none in %j", (text) => {
    expect(eventObject(Buffer.from(text))).toBeNull();
  });
});

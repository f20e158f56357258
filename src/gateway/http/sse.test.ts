import { describe, expect, it } from "vitest";
import { createSseCutter, eventObject } from "./sse.ts";

function cut(text: string, size: number, most?: number): { events: string[]; rest: string } {
  const cutter = createSseCutter(most);
  const bytes = Buffer.from(text);
  const events: string[] = [];
  for (let at = 0; at < bytes.length; at += size)
    events.push(...cutter.push(bytes.subarray(at, at + size)).map(({ bytes }) => bytes.toString()));
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
    const cutter = createSseCutter(undefined, /"usage"/g);
    const bytes = Buffer.from(text);
    const passed: string[] = [];
    for (let at = 0; at < bytes.length; at += size) {
      for (const piece of cutter.push(bytes.subarray(at, at + size))) {
        passed.push(piece.bytes.toString());
        if (piece.isWanted) wanted.push(piece.bytes.toString());
      }
    }
    expect(passed.join("") + cutter.rest().toString()).toBe(text);
    expect(wanted).toEqual(['data: {"usage":1}\n\n']);
    expect(cutter.rest().toString()).toBe("data: rest");
  });

  it("does not cut what concerns nobody", () => {
    const cutter = createSseCutter(undefined, /usage/g);
    const pushed = cutter.push(Buffer.from("data: a\n\ndata: b\n\ndata: c"));
    expect(pushed.map(({ bytes }) => bytes.toString())).toEqual(["data: a\n\ndata: b\n\n"]);
  });

  it.each([1, 7, 64, 100_000])("gives each wanted event whole and once among many, in pieces of %i bytes", (size) => {
    const ends = ["\n\n", "\r\n\r\n"];
    const wanted = [3, 4, 90, 199].map((index) => `data: {"usage":${index}}`);
    const events = Array.from({ length: 200 }, (_, index) => {
      const own = wanted.find((text) => text.endsWith(`:${index}}`));
      return `${own ?? `event: x\ndata: "ü${index}"`}${ends[index % 2]}`;
    });
    const cutter = createSseCutter(undefined, /"usage"/g);
    const bytes = Buffer.from(events.join(""));
    const pieces = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(...cutter.push(bytes.subarray(at, at + size)));
    expect(Buffer.concat(pieces.map((piece) => piece.bytes)).toString()).toBe(events.join(""));
    const seen = pieces.filter((piece) => piece.isWanted).map((piece) => piece.bytes.toString().trimEnd());
    expect(seen).toEqual(wanted);
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

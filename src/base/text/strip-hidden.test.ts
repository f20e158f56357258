import { describe, expect, it } from "vitest";
import { createStripper, stripHidden } from "./strip-hidden.ts";

const HIDDEN = [
  0xad, 0x34f, 0x61c, 0x115f, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a, 0x202e, 0x2060, 0x2064, 0x2066,
  0x2069, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xfffb, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xe01ef,
];
const SEEN = "a \t\r\n\u0000\u001b[31mé ß Ж 漢字 🙂 \u2028 ￼ 𐀀 ￿";

function inPieces(bytes: Uint8Array, size: number) {
  const stripper = createStripper();
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(stripper.push(bytes.subarray(at, at + size)));
  pieces.push(stripper.end());
  return { kept: Buffer.concat(pieces), count: stripper.count() };
}

describe("a text without hidden characters", () => {
  it("has lost each of them and nothing else", () => {
    for (const code of HIDDEN) {
      const text = `x${String.fromCodePoint(code)}y`;
      expect([code, stripHidden(text)]).toEqual([code, { kept: "xy", count: 1 }]);
    }
    expect(stripHidden(SEEN)).toEqual({ kept: SEEN, count: 0 });
  });

  it("says how many there were", () => {
    const tags = [..."delete"].map((char) => String.fromCodePoint(0xe0000 + (char.codePointAt(0) as number))).join("");
    expect(stripHidden(`please${tags} wait\u202e`)).toEqual({ kept: "please wait", count: 7 });
  });
});

describe("bytes without hidden characters", () => {
  const text = `${HIDDEN.map((code) => `x${String.fromCodePoint(code)}`).join("")}${SEEN}`;

  it.each([1, 2, 3, 4, 5, 7, 1000])("are the same in pieces of %i", (size) => {
    const { kept, count } = inPieces(Buffer.from(text), size);
    expect(kept.toString()).toBe(stripHidden(text).kept);
    expect(count).toBe(HIDDEN.length);
  });

  it.each([
    ["a byte that begins nothing", [0x80, 0xff, 0xc0, 0xc1, 0xf5]],
    ["a character without its end", [0x41, 0xe2, 0x80]],
    ["a character that another one cuts off", [0xe2, 0x80, 0x41, 0xe2, 0x41, 0xf3, 0xa0, 0xc3, 0xa9]],
    ["a spelling with too many bytes", [0xe0, 0x82, 0xad, 0xf0, 0x82, 0x80, 0x8b]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["a number above the last character", [0xf4, 0x90, 0x80, 0x80]],
    ["the first of the longest", [0xf0, 0x90, 0x80, 0x80]],
    ["the last of all", [0xf4, 0x8f, 0xbf, 0xbf]],
    ["the last before the surrogates", [0xed, 0x9f, 0xbf]],
    ["the first of three bytes", [0xe0, 0xa0, 0x80]],
  ])("keep %s", (_name, bytes) => {
    for (const size of [1, 2, 100]) expect([...inPieces(Uint8Array.from(bytes), size).kept]).toEqual(bytes);
  });

  it("are found behind broken ones", () => {
    expect([...inPieces(Uint8Array.from([0xe2, 0xe2, 0x80, 0x8b, 0xe2]), 2).kept]).toEqual([0xe2, 0xe2]);
  });
});

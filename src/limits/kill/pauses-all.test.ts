import { describe, expect, it } from "vitest";
import { pausesAll } from "./pauses-all.ts";

describe("loop-pause-all in a STATE.md", () => {
  it.each([
    ["loop-pause-all: true", 1],
    ["\uFEFFloop-pause-all: true\r\n", 1],
    ["# State\n\n- loop-pause-all: true", 3],
    ["> **loop-pause-all:** true", 1],
    ["`loop-pause-all: true`", 1],
    ["  Loop-Pause-All :  TRUE  <!-- set by ada -->", 1],
    ['loop-pause-all: "true"', 1],
    ["<!-- one --> loop-pause-all: true <!-- two -->", 1],
    ["<!--\nhint\n--> loop-pause-all: true", 3],
    ["```\ncode\n```\nloop-pause-all: true", 4],
    ["~~~~\ncode\n~~~\n~~~~\nloop-pause-all: true", 5],
    ["``` not a fence `\nloop-pause-all: true", 2],
  ])("is found in %j", (text, line) => {
    expect(pausesAll(text)).toBe(line);
  });

  it.each([
    "",
    "loop-pause-all: false",
    "loop-pause-all: truest",
    "Set `loop-pause-all: true` to stop everything",
    "<!-- loop-pause-all: true -->",
    "<!--\nloop-pause-all: true\n-->",
    "<!-- never closed\nloop-pause-all: true",
    "```yaml\nloop-pause-all: true\n```",
    "```\nloop-pause-all: true",
    "````\n```\nloop-pause-all: true\n````",
    "```\n``` more\nloop-pause-all: true",
  ])("is not found in %j", (text) => {
    expect(pausesAll(text)).toBeNull();
  });
});

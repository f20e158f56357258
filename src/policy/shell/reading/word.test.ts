import { describe, expect, it } from "vitest";
import { readWord } from "./word.ts";

describe("readWord", () => {
  it.each<[string, string]>([
    ["'a", "a quote is not closed"],
    ['"a', "a quote is not closed"],
    ["a\\", "it ends in a backslash"],
    ["$'a'", "$'…', $\"…\" and $[…] mean different things to bash and to other shells"],
    ["a(b)", "it uses extended globs or process substitution"],
  ])("refuses %s", (text, why) => {
    expect(readWord(text)).toEqual({ ok: false, why });
  });
});

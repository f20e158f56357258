import { describe, expect, it } from "vitest";
import { writtenText } from "./written-text.ts";

describe("text on its way into a page", () => {
  it.each([
    ["plain words", "plain words"],
    ["  two\r\nlines\tand a tab\u2028x ", "two lines and a tab x"],
    ["a <!-- hides the rest", "a <! -- hides the rest"],
    ["a --> b", "a -- > b"],
    ["in\u200Bvisi\u202Eble", "invisible"],
    ["half \uD800 a character", "half \uFFFD a character"],
    ["", "—"],
    [" \n ", "—"],
  ])("%j is written as %j", (text, written) => {
    expect(writtenText(text)).toBe(written);
  });

  it("is cut where it is too long", () => {
    expect(writtenText("abcdef", 4)).toBe("abc…");
    expect(writtenText("abcd", 4)).toBe("abcd");
    expect(writtenText("x".repeat(10_000))).toHaveLength(500);
  });
});

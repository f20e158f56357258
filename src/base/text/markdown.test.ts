import { expect, test } from "vitest";
import { markdownLine } from "./markdown.ts";

test.each([
  ["plain words, 42 %; really?", "plain words, 42 %; really?"],
  ["a|b *c* `d`", "a\\|b \\*c\\* \\`d\\`"],
  ["<b>&\"'", "&#60;b&#62;&#38;&#34;&#39;"],
  ["@ann #1 https://x.y", "@<!-- -->ann #<!-- -->1 https:<!-- -->/<!-- -->/<!-- -->x.<!-- -->y"],
  ["fix-it abc-12", "fix-it abc-<!-- -->12"],
  ["two\nlines", "two\\\\nlines"],
])("%j stands for itself", (text, shown) => {
  expect(markdownLine(text, 100)).toBe(shown);
});

test("what is too long is cut", () => {
  expect(markdownLine("abcdef", 4)).toBe("abc…".replace("…", "\\…"));
});

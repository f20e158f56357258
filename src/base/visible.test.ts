import { describe, expect, it } from "vitest";
import { visible, visibleLine } from "./visible.ts";

describe("visible", () => {
  it("leaves ordinary text of any script as it is", () => {
    for (const text of ["", "plain text", "Grüße, 世界, עולם, عالم", "a emoji 🚀 and ⚠️ and 1️⃣", "back\\slash"]) {
      expect(visible(text)).toBe(text);
    }
  });

  it("shows control characters as escapes", () => {
    expect(visible("\u001b[31mred\u0007\u0000\u007f\u009b")).toBe("\\x1b[31mred\\x07\\x00\\x7f\\x9b");
  });

  it("shows line ends and tabs as escapes unless they are asked for", () => {
    expect(visible("a\r\nb\tc\n")).toBe("a\\r\\nb\\tc\\n");
    expect(visible("a\r\nb\tc\rd\n", { newlines: true })).toBe("a\nb\tc\\rd\n");
  });

  it("shows characters that turn the direction of text, have no width or end a line for some programs", () => {
    expect(visible("a\u202eb\u2066c\u200bd\u200de\ufefff\u00adg\u2028h\u2029i\u061cj\u3164k\ufff9l")).toBe(
      "a\\u202eb\\u2066c\\u200bd\\u200de\\ufefff\\xadg\\u2028h\\u2029i\\u061cj\\u3164k\\ufff9l",
    );
  });

  it("shows tags, lone surrogates and selectors that hide content", () => {
    expect(visible("a\u{e0041}b\ud800c")).toBe("a\\u{e0041}b\\ud800c");
    expect(visible("\ufe0fx\ufe0f⚠️\ufe0f")).toBe("\\ufe0fx\\ufe0f⚠️\\ufe0f");
  });
});

describe("visibleLine", () => {
  it("keeps a short line and trims it", () => {
    expect(visibleLine("  hello  ", 10)).toBe("hello");
  });

  it("cuts a long line at whole characters and marks the cut", () => {
    expect(visibleLine("🚀🚀🚀🚀🚀", 4)).toBe("🚀🚀🚀…");
    expect(visibleLine("x".repeat(1000), 5)).toBe("xxxx…");
    expect(visibleLine(`abc${" ".repeat(1000)}`, 5)).toBe("abc…");
  });
});

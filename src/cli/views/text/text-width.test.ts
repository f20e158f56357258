import { describe, expect, it } from "vitest";
import { fitText, padText, textWidth } from "./text-width.ts";

describe("textWidth", () => {
  it("counts wide characters as two columns and combining marks as none", () => {
    expect(textWidth("abc")).toBe(3);
    expect(textWidth("漢字")).toBe(4);
    expect(textWidth("e\u0301")).toBe(1);
    expect(textWidth("🚀")).toBe(2);
  });
});

describe("fitText", () => {
  it("leaves alone what fits", () => {
    expect(fitText("abc", 3)).toBe("abc");
    expect(fitText("漢字", 4)).toBe("漢字");
    expect(fitText("e\u0301e\u0301", 2)).toBe("e\u0301e\u0301");
  });

  it("cuts what does not fit and marks the cut", () => {
    expect(fitText("abcdef", 4)).toBe("abc…");
    expect(fitText("漢字漢字", 5)).toBe("漢字…");
    expect(fitText("漢字漢字", 4)).toBe("漢…");
    expect(fitText("abc", 1)).toBe("…");
    expect(fitText("abc", 0)).toBe("");
  });

  it("never exceeds the width, for any text", () => {
    const pieces = ["a", "漢", "e\u0301", "🚀", " "];
    for (let seed = 0; seed < 500; seed += 1) {
      const text = Array.from({ length: seed % 13 }, (_, i) => pieces[(seed * 7 + i * 3) % pieces.length]).join("");
      for (let width = 0; width < 12; width += 1) expect(textWidth(fitText(text, width))).toBeLessThanOrEqual(width);
    }
  });
});

describe("padText", () => {
  it("fills up to the width by columns, not by characters", () => {
    expect(padText("漢", 4)).toBe("漢  ");
    expect(padText("abcd", 2)).toBe("abcd");
  });
});

import { describe, expect, it } from "vitest";
import { dateOf, datesIn } from "./written-dates.ts";

const DAY = Date.UTC(2026, 7, 13);

describe("dates in a page", () => {
  it.each([
    ["2026-08-13", DAY],
    ["Last run: 2026-08-13 (by hand)", DAY],
    ["2026-08-13T10:30", DAY + 37_800_000],
    ["2026-08-13 10:30 UTC", DAY + 37_800_000],
    ["2026-08-13T10:30:05.123Z", DAY + 37_805_000],
    ["2026-08-13T10:30:00+02:00", DAY + 30_600_000],
    ["2026-08-13T10:30:00-0130", DAY + 43_200_000],
  ])("%s is read", (text, at) => {
    expect(datesIn(text)).toEqual([at]);
  });

  it.each(["never", "2026-13-01", "2026-02-30", "2026-08-131", "12026-08-13", "2026-08-13-2", "2026-08-13T25:00:00Z"])(
    "%s is none",
    (text) => {
      expect(datesIn(text)).toEqual([]);
    },
  );

  it("are all found, in order", () => {
    expect(datesIn("2026-08-13 → 2026-08-14")).toEqual([DAY, DAY + 86_400_000]);
  });
});

describe("a text that is a date", () => {
  it("is nothing but that date", () => {
    expect(dateOf("2026-08-13")).toBe(DAY);
    expect(dateOf("2026-02-30")).toBeNull();
    expect(dateOf("run of 2026-08-13")).toBeNull();
    expect(dateOf("")).toBeNull();
  });
});

import { expect, it } from "vitest";
import { effectKey, formatEvidenceId, formatRunId } from "./ids.ts";

it("makes ids that are short and safe as a file name", () => {
  const random = Uint8Array.from({ length: 12 }, (_, index) => index * 23);
  expect(formatRunId(random)).toMatch(/^r_[0-9a-z]{12}$/);
  expect(formatEvidenceId(random)).toBe(formatRunId(random).replace("r_", "e_"));
  expect(effectKey(formatRunId(random), "build", 2)).toBe(`${formatRunId(random)}:build:2`);
});

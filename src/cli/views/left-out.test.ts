import { describe, expect, it } from "vitest";
import { renderLeftOut } from "./left-out.ts";

describe("renderLeftOut", () => {
  it("says nothing of nothing", () => {
    expect(renderLeftOut([])).toBeNull();
  });

  it("tells how many there are, names the first, and says how to include them", () => {
    expect(renderLeftOut(["a"])).toBe(
      "1 changed file is not in this run, which starts from the last commit: a. To include them, write `workspace: { from: working_tree }`.",
    );
    expect(renderLeftOut(["a", "b", "c"])).toMatch(/^3 changed files are .*: a, b, c\. /);
    expect(renderLeftOut(["a", "b", "c", "d"])).toMatch(/^4 changed files are .*: a, b, c, …\. /);
  });

  it("shows hostile names on one line and short", () => {
    const text = renderLeftOut(["a\u001b[31m\nb", "x".repeat(5000)]) ?? "";
    expect(text).not.toMatch(/[\u0000-\u001f]/);
    expect(text.length).toBeLessThan(400);
  });
});

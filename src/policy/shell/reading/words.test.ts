import { describe, expect, it } from "vitest";
import { factsOf, newWalk } from "./walk.ts";
import { walkParts } from "./words.ts";

describe("walkParts", () => {
  it("refuses a substitution that the parser did not read", () => {
    const walk = newWalk("$(a)", () => undefined);
    walkParts(walk, [{ type: "CommandExpansion", pos: 0, end: 4, text: "$(a)", script: undefined }]);
    expect(factsOf(walk)).toMatchObject({ ok: false, why: "it has a substitution that cannot be read" });
  });
});

/** Attacks against a rule set that allows every use of everyday programs, and an ordinary day under the same rules. */
import { describe, expect, it } from "vitest";
import { BYPASSES } from "../support/shell-corpus/bypasses.ts";
import { EVERYDAY } from "../support/shell-corpus/everyday.ts";
import { allowsArgv, allowsText } from "../support/shell-corpus/generous.ts";

describe("what is known of a shell text", () => {
  it.each(BYPASSES)("stops every attack by $tries", ({ texts }) => {
    expect(texts.filter(allowsText)).toEqual([]);
  });

  it("is enough for what developers type", () => {
    const blocked = EVERYDAY.filter(({ text, argv }) => !allowsText(text) || (argv !== undefined && !allowsArgv(argv)));
    const attacks = BYPASSES.reduce((sum, { texts }) => sum + texts.length, 0);
    console.log(
      `${attacks} attacks; ${EVERYDAY.length} everyday texts, blocked: ${blocked.map(({ text }) => text).join(" · ")}`,
    );
    expect(attacks).toBeGreaterThanOrEqual(200);
    expect(EVERYDAY.length).toBeGreaterThanOrEqual(220);
    expect(blocked.length).toBeLessThanOrEqual(EVERYDAY.length * 0.05);
  });
});

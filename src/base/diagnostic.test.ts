import { describe, expect, it } from "vitest";
import { type Catalogue, codeFrame, diagnose } from "./diagnostic.ts";
import { isPawlError, PawlError, pawlError } from "./errors.ts";
import { formatEvidenceId, formatRunId } from "./ids.ts";

const ERRORS = {
  TEST_THING_BROKEN: {
    what: (d: { thing: string }) => `${d.thing} is broken`,
    why: "It cannot work.",
    hint: (d: { thing: string }) => `Mend ${d.thing}.`,
    retry: "after_change",
    exit: 3,
  },
  TEST_THING_LOST: {
    what: (d: { thing: string }) => `${d.thing} is lost`,
    why: "So.",
    hint: "Look for it.",
    retry: "never",
    exit: 1,
  },
} as const satisfies Catalogue;

const where = { file: "a.yaml", line: 2, column: 3, length: 4 };

describe("diagnose", () => {
  it("says what, why and what to do, and where if that is known", () => {
    expect(diagnose(ERRORS, "TEST_THING_BROKEN", { thing: "the lamp" }, where)).toEqual({
      code: "TEST_THING_BROKEN",
      what: "the lamp is broken",
      why: "It cannot work.",
      hint: "Mend the lamp.",
      data: { thing: "the lamp" },
      retry: "after_change",
      exit: 3,
      where,
    });
    expect(diagnose(ERRORS, "TEST_THING_LOST", { thing: "it" })).not.toHaveProperty("where");
  });
});

describe("codeFrame", () => {
  it("shows the line with its neighbours and marks the place", () => {
    expect(codeFrame("one\n\ttwo words\nthree", { ...where, column: 2, length: 3 })).toBe(
      "  1 | one\n> 2 | \ttwo words\n    | \t^^^\n  3 | three",
    );
  });

  it("marks at least one column, and none beyond the line or the file", () => {
    expect(codeFrame("ab", { ...where, line: 1, column: 3, length: 9 })).toBe("> 1 | ab\n    |   ^");
    expect(codeFrame("", { ...where, line: 3 })).toBe("");
  });
});

describe("PawlError", () => {
  it("carries its problems, also as JSON, and is known without its class", () => {
    const cause = new Error("deep");
    const error = pawlError(ERRORS, "TEST_THING_BROKEN", { thing: "the lamp" }, { where, cause });
    expect(error.code).toBe("TEST_THING_BROKEN");
    expect(error.cause).toBe(cause);
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: "PawlError", problems: [{ where }] });
    expect([error, new Error("x"), null, "x"].map(isPawlError)).toEqual([true, false, false, false]);
    expect(pawlError(ERRORS, "TEST_THING_LOST", { thing: "it" })).not.toHaveProperty("cause");
  });

  it("takes many problems, and is a defect without any", () => {
    const lost = diagnose(ERRORS, "TEST_THING_LOST", { thing: "it" });
    expect(new PawlError([lost, lost]).message).toBe("it is lost\nit is lost");
    expect(new PawlError([]).code).toBe("INTERNAL_DEFECT");
  });
});

describe("a run id", () => {
  it("is safe as a file name, and follows from its bytes", () => {
    expect(formatRunId(Uint8Array.from({ length: 12 }, (_, index) => index * 21))).toMatch(/^r_[0-9a-z]{12}$/);
    expect(formatRunId(new Uint8Array(3))).toBe("r_000000000000");
    expect(formatEvidenceId(new Uint8Array(12))).toBe("e_000000000000");
  });
});

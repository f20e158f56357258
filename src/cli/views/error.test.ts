import pc from "picocolors";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { visible } from "../../base/visible.ts";
import { renderProblems } from "./error.ts";

const paint = pc.createColors(false);

function problem(extra: Partial<Diagnostic>): Diagnostic {
  return {
    code: "A_B_C",
    what: "It is wrong.",
    why: "It matters.",
    hint: "Do this.",
    data: {},
    retry: "never",
    exit: 3,
    ...extra,
  };
}

describe("renderProblems", () => {
  it("tells code, place, what, the lines around it, why and hint", () => {
    const where = { file: "sub/b.yaml", line: 2, column: 4, length: 3 };
    const sources = { "sub/b.yaml": "version: 1\nid: fix\nend\n" };
    expect(renderProblems({ problems: [problem({ where })], sources, root: "/p", cwd: "/p/sub" }, paint)).toBe(
      [
        "A_B_C  b.yaml:2:4",
        "  It is wrong.",
        "",
        "    1 | version: 1",
        "  > 2 | id: fix",
        "      |    ^^^",
        "    3 | end",
        "",
        "  why   It matters.",
        "  hint  Do this.",
      ].join("\n"),
    );
  });

  it("tells every problem and then their number", () => {
    const text = renderProblems(
      { problems: [problem({}), problem({ code: "D_E_F" })], sources: {}, root: "/p", cwd: "/p" },
      paint,
    );
    expect(text.split("\n").filter((line) => /^\S/.test(line))).toEqual(["A_B_C", "D_E_F", "2 problems"]);
  });

  it("shows what would steer a terminal instead of obeying it", () => {
    const where = { file: "\u001b]0;x\u0007.yaml", line: 1, column: 1, length: 1 };
    const hostile = problem({ what: "bad \u001b[2J name", where });
    const text = renderProblems(
      { problems: [hostile], sources: { [where.file]: "a\u001b[31m\u202eb" }, root: "/p", cwd: "/p" },
      paint,
    );
    expect(text).toBe(visible(text, { newlines: true }));
    expect(text).toContain("bad \\x1b[2J name");
  });
});

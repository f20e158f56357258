import { describe, expect, it, test } from "vitest";
import { parseStateFile } from "../../blueprint/dialects/loop-engineering/state-file.ts";
import { pathsOf, rottenItems } from "./rot.ts";

const NOW = Date.UTC(2026, 10, 16);
const STATE = `## High Priority
- [ ] #1 — seen long ago
  Seen: 2026-10-01
- [ ] #2 — seen lately, found 2026-01-01
  Seen: 2026-11-10
- [ ] #3 — \`src/gone.ts\` fails
- \`src/gone.ts\` again
- [ ] #4 — \`src/gone.ts\` and \`src/here.ts\` fail
- [x] #5 — done 2026-01-01
- [ ] #6 — 2026-01-01
  Human decision: go on
- [ ] #7 — no date
- [ ] #8 — due 2027-01-01
- [ ] #9 — exactly 2026-11-02
## Watch List
- flaky since 2026-09-01
## Resolved
- old 2020-01-01
`;

const rot = (text: string, maxAgeDays = 14) =>
  rottenItems(parseStateFile(text), { now: NOW, maxAgeDays, isGone: (path) => path.includes("gone") });

describe("state that has gone bad", () => {
  test("R15: items that nobody has seen for long, or whose subject is gone, are told", () => {
    expect(rot(STATE).map(({ item, why }) => [item.id, item.line, why])).toEqual([
      ["#1", 2, "nobody has seen it for 46 days"],
      ["#3", 6, "src/gone.ts is not there any more"],
      ["src/gone.ts again", 7, "src/gone.ts is not there any more"],
      ["flaky since 2026-09-01", 16, "nobody has seen it for 76 days"],
    ]);
    expect(rot(STATE, 13).map(({ item }) => item.id)).toContain("#9");
    expect(rot("")).toEqual([]);
  });

  test("R15: is not about packages, versions and calls", () => {
    const named = (code: string) => pathsOf(parseStateFile(`## Watch List\n- x — \`${code}\`\n`));
    for (const other of ["lodash@4.17.20", "@scope/pkg@1", "user.login()", "a/b.run()", "v1.2.3", "1.2.3", "2.x"])
      expect([other, named(other)]).toEqual([other, []]);
    for (const path of ["app/(shop)/page.tsx", ".env", ".github/x", "price.mjs", "docs/v1.2/a.md", "Cargo.toml"])
      expect(named(path)).toEqual([path]);
  });

  it("is about paths of the project, and about nothing else in code", () => {
    const named = (code: string) => pathsOf(parseStateFile(`## Watch List\n- x — \`${code}\`\n`));
    for (const path of ["src/a.ts", "README.md", "app/[id]/page.tsx", "a/b", ".github/x.yml"])
      expect(named(path)).toEqual([path]);
    for (const other of [
      "npm",
      "/etc/passwd",
      "../x.ts",
      "a/../../b",
      "https://x.org/a",
      "src/*.ts",
      "-f.x",
      "~/x",
      "a b.c",
    ])
      expect(named(other)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { hidingPrograms } from "./hiding-programs.ts";
import type { Effect, Rule } from "./rule.ts";
import { GUARD } from "./shipped/guard.ts";
import { SETS } from "./shipped/sets.ts";

const rule = (effect: Effect, run: string, more: Partial<Rule> = {}): Rule => ({
  ...{ id: `blueprint.${effect}[0]`, effect, pattern: { run: run.split(" ") } },
  ...more,
});
const PUSH = rule("deny", "git push **");
const under = (...allowed: readonly string[]): readonly string[] =>
  hidingPrograms([...GUARD, PUSH, ...allowed.map((run) => rule("allow", run))]);

describe("programs that hide commands", () => {
  it.each([
    "python3 **",
    "python3 *",
    "python3 -c **",
    "python3 -c 1",
    "node **",
    "perl **",
    "awk **",
    "bun **",
    "vim **",
    "vim a",
    "sem a",
    "psql **",
    "kubectl get **",
    "ssh host **",
    "cargo **",
  ])("are allowed by %s", (run) => {
    expect(under(run)).toEqual([run.split(" ")[0]]);
  });

  it.each([
    "**",
    "*",
    "py* **",
    "cat **",
    "rg **",
    "date **",
    "tar **",
    "git **",
    "npm **",
    "bash **",
    "env **",
    "xargs **",
    "npx **",
    "python3 x.py",
    "python3 -m pytest **",
    "node --test",
  ])("are not allowed by %s", (run) => {
    expect(under(run)).toEqual([]);
  });

  it("are named once each, in the order of the rules", () => {
    expect(under("{vim,cat,node} **", "python3 **", "node **")).toEqual(["vim", "node", "python3"]);
  });

  it("hide nothing where nobody denies a command or asks about one", () => {
    const vim = rule("allow", "vim **");
    expect(hidingPrograms([...GUARD, vim])).toEqual([]);
    expect(hidingPrograms([...GUARD, vim, rule("ask", "git push **")])).toEqual(["vim"]);
    expect(hidingPrograms([...GUARD, vim, { id: "user.deny[0]", effect: "deny", pattern: { read: "a" } }])).toEqual([]);
  });

  it("are those that are allowed, under whatever conditions", () => {
    const when = [{ field: "user", op: "eq", values: ["ada"] }] as const;
    const python = rule("allow", "python3 **", { when, except: when });
    expect(hidingPrograms([PUSH, python])).toEqual(["python3"]);
    expect(hidingPrograms([PUSH, python, rule("deny", "python3 **")])).toEqual([]);
    expect(hidingPrograms([PUSH, { ...python, shadow: true }])).toEqual([]);
  });

  it("are never those of a shipped set", () => {
    expect(hidingPrograms([PUSH, ...(SETS["everyday"] ?? [])])).toEqual([]);
  });
});
